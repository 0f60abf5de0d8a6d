// retrieve_experts and mix_experts.
#include "cheems/Reference/Experts.h"
#include "Handlers.h"
#include "Letters.h"
#include "SegmentTable.h"

namespace cheems::interpreter {
using namespace mlir;

static reference::Retrieval retrieved(RetrieveExpertsOp op,
                                      const Tensor &scores, int64_t k) {
  return reference::retrieveExperts(scores, k, /*roundSums=*/true,
                                    op.getAscending()
                                        ? reference::RetrievalOrder::Ascending
                                        : reference::RetrievalOrder::BestFirst);
}

/// Experts of each head that exist and differ, or an error.
static void checkExperts(llvm::ArrayRef<int64_t> experts, int64_t k,
                         int64_t keys, const std::string &name, Frame &f) {
  for (size_t first = 0; first < experts.size() && !f.failed(); first += k) {
    llvm::SmallVector<int64_t> head(experts.slice(first, k));
    llvm::sort(head);
    if (head.front() < 0 || head.back() >= keys * keys ||
        std::adjacent_find(head.begin(), head.end()) != head.end()) {
      f.fail() << "is to choose '" << name << "' with an expert twice, or with "
               << "one that is not in 0 to " << keys * keys - 1;
    }
  }
}

/// What is given, or the best; noted.
static reference::Retrieval choose(RetrieveExpertsOp op, const Tensor &scores,
                                   Frame &f) {
  int64_t rows = scores.shape[0], heads = scores.shape[2],
          keys = scores.shape[3],
          k = cast<ShapedType>(op.getScore().getType()).getDimSize(2);
  std::string name = f.choices()->next("experts");
  reference::Retrieval chosen = retrieved(op, scores, k);
  if (const Tensor *given = f.given(name, {rows, heads, k})) {
    std::vector<int64_t> experts = chosen.expert;
    for (size_t i = 0; i < experts.size(); ++i) {
      bool own = given->data[i / k * k] < 0;
      experts[i] = own ? experts[i] : static_cast<int64_t>(given->data[i]);
    }
    checkExperts(experts, k, keys, name, f);
    if (!f.failed()) {
      chosen = reference::followExperts(scores, std::move(experts), k,
                                        /*roundSums=*/true);
    }
  }
  if (f.failed()) {
    return chosen;
  }
  Tensor loss = reference::retrievalLosses(scores, chosen.expert, k);
  double unit = deviationOf(scores);
  for (double &each : loss.data) {
    each /= unit;
  }
  Tensor experts({rows, heads, k},
                 {chosen.expert.begin(), chosen.expert.end()});
  f.choices()->made.push_back(
      {name, scores, std::move(experts), std::move(loss)});
  return chosen;
}

static void retrieve(RetrieveExpertsOp op, Frame &f) {
  Letters n(f);
  n("T2HK", op.getScores())("THk", op.getScore())("THk", op.getExpert());
  const Tensor &scores = f.read(op.getScores());
  if (f.failed()) {
    return;
  }
  reference::Retrieval best =
      f.choices() ? choose(op, scores, f) : retrieved(op, scores, n['k']);
  if (f.failed()) {
    return;
  }
  f.set(op.getResult(0), std::move(best.score));
  f.set(op.getResult(1), Tensor({n['T'], n['H'], n['k']},
                                {best.expert.begin(), best.expert.end()}));
}

/// A table and its scales [E, 1], which are 1 where it is not of quantized
/// values.
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
