// quantize_entries.
#include "Handlers.h"
#include "Letters.h"
#include "cheems/Reference/QuantizeEntries.h"

namespace cheems::interpreter {
using namespace mlir;

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

void addEntry(Handlers &handlers) {
  handlers.add<QuantizeEntriesOp>(quantizeEntries);
}

} // namespace cheems::interpreter
