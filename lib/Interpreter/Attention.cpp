// dynamic_mask_attention.
#include "AttentionEntries.h"
#include "Handlers.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"

namespace cheems::interpreter {
using namespace mlir;

static void dynamicMaskAttention(cpu::DynamicMaskAttentionOp op, Frame &f) {
  checkShapes(op, f);
  if (f.failed()) {
    return;
  }
  ArrayRef<int64_t> shape = f.tensor(op.getQuery()).shape;
  auto state = reference::RunningSoftmax::none(shape[0], shape[1], shape[2]);
  attend(op, 0, /*ends=*/true, state, f);
  f.set(op.getResult(0), state.result());
}

void addAttention(Handlers &handlers) {
  handlers.add<cpu::DynamicMaskAttentionOp>(dynamicMaskAttention);
}

} // namespace cheems::interpreter
