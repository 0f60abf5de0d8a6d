// dynamic_mask.
#include "Handlers.h"
#include "Letters.h"
#include "cheems/Reference/DynamicMask.h"

namespace cheems::interpreter {
using namespace mlir;

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

void addMask(Handlers &handlers) { handlers.add<DynamicMaskOp>(dynamicMask); }

} // namespace cheems::interpreter
