// online_attention.
#include "AttentionEntries.h"
#include "Handlers.h"

namespace cheems::interpreter {
using namespace mlir;

static void onlineAttention(cpu::OnlineAttentionOp op, Frame &f) {
  checkShapes(op, f);
  Letters n(f);
  n("THP", op.getY())("TH", op.getMaximum())("TH", op.getSum());
  reference::RunningSoftmax state{f.read(op.getMaximum()), f.read(op.getSum()),
                                  f.read(op.getY())};
  if (f.failed()) {
    return;
  }
  attend(op, f.integer(op.getFrom()), /*ends=*/false, state, f);
  setState(op, std::move(state), f);
}

void addOnlineAttention(Handlers &handlers) {
  handlers.add<cpu::OnlineAttentionOp>(onlineAttention);
}

} // namespace cheems::interpreter
