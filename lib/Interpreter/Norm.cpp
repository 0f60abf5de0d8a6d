// rms_norm.
#include "Handlers.h"
#include "Letters.h"
#include "cheems/Reference/RMSNorm.h"

namespace cheems::interpreter {
using namespace mlir;

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

void addNorm(Handlers &handlers) { handlers.add<RmsNormOp>(rmsNorm); }

} // namespace cheems::interpreter
