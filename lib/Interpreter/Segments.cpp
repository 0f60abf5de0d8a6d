// gather_rows and positions.
#include "Handlers.h"
#include "Letters.h"
#include "SegmentTable.h"

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

void addSegments(Handlers &handlers) {
  handlers.add<GatherRowsOp>(gatherRows);
  handlers.add<PositionsOp>(positions);
}

} // namespace cheems::interpreter
