// rotary_table and rotary.
#include "cheems/Reference/Rotary.h"
#include "Handlers.h"
#include "Letters.h"

namespace cheems::interpreter {
using namespace mlir;

static void rotaryTable(RotaryTableOp op, Frame &f) {
  Letters n(f);
  n("T", op.getPosition())("T", op.getLength())("Th", op.getCosine());
  n("Th", op.getSine());
  std::vector<int64_t> position = f.readIntegers(op.getPosition()),
                       length = f.readIntegers(op.getLength());
  if (f.failed()) {
    return;
  }
  double magnitude = op.getMagnitude().convertToDouble();
  if (auto frequencies = op.getFrequencies()) {
    reference::RotaryTable table = reference::rotaryTable(
        position,
        RotaryList{{frequencies->begin(), frequencies->end()}, magnitude});
    f.set(op.getResult(0), std::move(table.cosine));
    f.set(op.getResult(1), std::move(table.sine));
    return;
  }
  RotaryConfig config;
  config.theta = op.getTheta()->convertToDouble();
  config.dynamic = op.getDynamic();
  config.factor = op.getFactor().convertToDouble();
  config.trainedPositions = op.getTrained();
  Tensor cosine({n['T'], n['h']}), sine({n['T'], n['h']});
  for (int64_t t = 0; t < n['T']; ++t) { // each may have a base of its own
    reference::RotaryTable row =
        reference::rotaryTable({position[t]}, 2 * n['h'], config, length[t]);
    llvm::copy(row.cosine.data, cosine.data.begin() + t * n['h']);
    llvm::copy(row.sine.data, sine.data.begin() + t * n['h']);
  }
  for (Tensor *table : {&cosine, &sine}) {
    for (double &value : table->data) {
      value *= magnitude;
    }
  }
  f.set(op.getResult(0), std::move(cosine));
  f.set(op.getResult(1), std::move(sine));
}

static void rotary(RotaryOp op, Frame &f) {
  Letters n(f);
  n("THP", op.getX())("Th", op.getCosine())("Th", op.getSine());
  n("THP", op.getY());
  const Tensor &x = f.read(op.getX());
  reference::RotaryTable table{f.read(op.getCosine()), f.read(op.getSine())};
  if (!f.failed()) {
    f.set(op.getResult(0), reference::rotary(x, table));
  }
}

void addRotary(Handlers &handlers) {
  handlers.add<RotaryTableOp>(rotaryTable);
  handlers.add<RotaryOp>(rotary);
}

} // namespace cheems::interpreter
