// top_logits.
#include "Handlers.h"
#include "Letters.h"
#include "cheems/Reference/TopLogits.h"

namespace cheems::interpreter {
using namespace mlir;

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

void addSampling(Handlers &handlers) { handlers.add<TopLogitsOp>(topLogits); }

} // namespace cheems::interpreter
