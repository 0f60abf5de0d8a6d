// Ops that work on each row: gather_rows, positions, rotary_table, rotary,
// rms_norm, dynamic_mask, quantize_entries, top_logits.
#include "Handlers.h"
#include "Letters.h"
#include "SegmentTable.h"
#include "cheems/Reference/DynamicMask.h"
#include "cheems/Reference/QuantizeEntries.h"
#include "cheems/Reference/RMSNorm.h"
#include "cheems/Reference/Rotary.h"
#include "cheems/Reference/TopLogits.h"

namespace cheems::interpreter {
using namespace mlir;

static void gatherRows(GatherRowsOp op, Frame &f) {
  Letters n(f);
  n("VD", op.getTable())("T", op.getIds())("TD", op.getY());
  const Tensor &table = f.read(op.getTable());
  std::vector<int64_t> ids = f.readIntegers(op.getIds());
  for (size_t t = 0; t < ids.size() && !f.failed(); ++t) {
    if (ids[t] < 0 || ids[t] >= n['V']) {
      f.fail() << "asks for row " << ids[t] << " of a table of " << n['V'];
    }
  }
  if (!f.failed()) {
    f.set(op.getResult(0), reference::gatherRows(table, ids));
  }
}

static Tensor integers(ArrayRef<int64_t> values) {
  return Tensor({static_cast<int64_t>(values.size())},
                {values.begin(), values.end()});
}

static void positions(PositionsOp op, Frame &f) {
  Letters n(f);
  n("T", op.getPosition())("T", op.getLength());
  auto segments =
      segmentsOf(cast<SegmentedOpInterface>(op.getOperation()), n['T'], f);
  reference::RowPositions rows = reference::rowPositions(segments, n['T']);
  f.set(op.getResult(0), integers(rows.position));
  f.set(op.getResult(1), integers(rows.length));
}

static void rotaryTable(RotaryTableOp op, Frame &f) {
  Letters n(f);
  n("T", op.getPosition())("T", op.getLength())("Th", op.getCosine());
  n("Th", op.getSine());
  std::vector<int64_t> position = f.readIntegers(op.getPosition()),
                       length = f.readIntegers(op.getLength());
  if (f.failed()) {
    return;
  }
  RotaryConfig config;
  config.theta = op.getTheta().convertToDouble();
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

static void rmsNorm(RmsNormOp op, Frame &f) {
  bool heads = cast<ShapedType>(op.getX().getType()).getRank() == 3;
  Letters n(f);
  n(heads ? "THD" : "TD", op.getX())("D", op.getWeight());
  n(heads ? "THD" : "TD", op.getY());
  const Tensor &x = f.read(op.getX()), &weight = f.read(op.getWeight());
  if (!f.failed()) {
    f.set(op.getResult(0),
          reference::rmsNorm(x, weight, op.getEpsilon().convertToDouble()));
  }
}

static void dynamicMask(DynamicMaskOp op, Frame &f) {
  Letters n(f);
  n("TM", op.getStep())("M", op.getA())("TM", op.getMask());
  const Tensor &step = f.read(op.getStep()), &a = f.read(op.getA());
  if (f.failed()) {
    return;
  }
  Tensor byHead = reference::dynamicMask(step, a); // [M, T]
  Tensor mask({n['T'], n['M']});
  for (int64_t t = 0; t < n['T']; ++t) {
    for (int64_t m = 0; m < n['M']; ++m) {
      mask(t, m) = byHead(m, t);
    }
  }
  f.set(op.getResult(0), std::move(mask));
}

static void quantizeEntries(QuantizeEntriesOp op, Frame &f) {
  Letters n(f);
  n("TP", op.getX())("TP", op.getCodes())("T", op.getScales());
  const Tensor &x = f.read(op.getX());
  if (f.failed()) {
    return;
  }
  reference::QuantizedEntries rows = reference::quantizeEntries(x);
  f.set(op.getResult(0), std::move(rows.codes));
  f.set(op.getResult(1), std::move(rows.scales));
}

static void topLogits(TopLogitsOp op, Frame &f) {
  Letters n(f);
  n("RV", op.getLogits())("RK", op.getValues())("RK", op.getTokens());
  n("R", op.getLogSumExp());
  const Tensor &logits = f.read(op.getLogits());
  if (f.failed()) {
    return;
  }
  reference::TopLogits best = reference::topLogits(logits, n['K']);
  f.set(op.getResult(0), std::move(best.values));
  f.set(op.getResult(1), std::move(best.tokens));
  f.set(op.getResult(2), std::move(best.logSumExp));
}

void addRows(Handlers &handlers) {
  handlers.add<GatherRowsOp>(gatherRows);
  handlers.add<PositionsOp>(positions);
  handlers.add<RotaryTableOp>(rotaryTable);
  handlers.add<RotaryOp>(rotary);
  handlers.add<RmsNormOp>(rmsNorm);
  handlers.add<DynamicMaskOp>(dynamicMask);
  handlers.add<QuantizeEntriesOp>(quantizeEntries);
  handlers.add<TopLogitsOp>(topLogits);
}

} // namespace cheems::interpreter
