// retrieve_experts and mix_experts.
#include "cheems/Reference/Experts.h"
#include "Handlers.h"
#include "Letters.h"
#include "SegmentTable.h"

namespace cheems::interpreter {
using namespace mlir;

static void retrieve(RetrieveExpertsOp op, Frame &f) {
  Letters n(f);
  n("T2HK", op.getScores())("THk", op.getScore())("THk", op.getExpert());
  const Tensor &scores = f.read(op.getScores());
  if (f.failed()) {
    return;
  }
  reference::Retrieval best = reference::retrieveExperts(
      scores, n['k'], /*roundSums=*/true,
      op.getAscending() ? reference::RetrievalOrder::Ascending
                        : reference::RetrievalOrder::BestFirst);
  f.set(op.getResult(0), std::move(best.score));
  f.set(op.getResult(1), Tensor({n['T'], n['H'], n['k']},
                                {best.expert.begin(), best.expert.end()}));
}

/// A table and its scales [E, 1], which are 1 where it is not of codes.
static reference::QuantizedWeights tableOf(Value table, Value scales,
                                           Frame &f) {
  const Tensor &rows = f.read(table);
  int64_t count = rows.shape[0];
  if (!scales) {
    return {rows, Tensor({count, 1}, std::vector<double>(count, 1.0))};
  }
  return {rows, f.read(scales).reshaped({count, 1})};
}

static void mix(MixExpertsOp op, Frame &f) {
  Letters n(f);
  n("TD", op.getX())("THk", op.getScore())("THk", op.getExpert());
  n("ED", op.getDown())("ED", op.getUp())("TD", op.getY());
  n("E", op.getDownScales())("E", op.getUpScales());
  const Tensor &x = f.read(op.getX()), &before = f.read(op.getY());
  reference::Retrieval found{f.read(op.getScore()),
                             f.readIntegers(op.getExpert())};
  for (int64_t expert : found.expert) {
    if (!f.failed() && (expert < 0 || expert >= n['E'])) {
      f.fail() << "asks for expert " << expert << " of " << n['E'];
    }
  }
  if (f.failed()) {
    return;
  }
  auto down = tableOf(op.getDown(), op.getDownScales(), f),
       up = tableOf(op.getUp(), op.getUpScales(), f);
  Tensor y = reference::mixExperts(x, found, down, up, op.getPlacement(),
                                   op.getActivation());
  for (size_t i = 0; i < y.data.size(); ++i) {
    y.data[i] += before.data[i];
  }
  f.set(op.getResult(0), std::move(y));
}

void addExperts(Handlers &handlers) {
  handlers.add<RetrieveExpertsOp>(retrieve);
  handlers.add<MixExpertsOp>(mix);
}

} // namespace cheems::interpreter
