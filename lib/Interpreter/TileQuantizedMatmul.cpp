// quantized_matmul.
#include "Handlers.h"
#include "Letters.h"
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "cheems/Reference/PackedLinear.h"

namespace cheems::interpreter {
using namespace mlir;

static void quantizedMatmul(tile::QuantizedMatmulOp op, Frame &f) {
  Letters n(f);
  n("TK", op.getX())("T", op.getXScales())("TN", op.getY());
  n("NB", op.getCodes())("NG", op.getScales());
  reference::RoundedRows x{f.read(op.getX()), f.read(op.getXScales())};
  reference::QuantizedWeights w{f.read(op.getCodes()), f.read(op.getScales())};
  if (f.failed()) {
    return;
  }
  if (op.getBits() == 4) {
    w.codes = reference::codesOfNibbles(w.codes, n['K']);
  }
  f.set(op.getResult(0), reference::quantizedMatmul(x, w));
}

void addTileQuantizedMatmul(Handlers &handlers) {
  handlers.add<tile::QuantizedMatmulOp>(quantizedMatmul);
}

} // namespace cheems::interpreter
