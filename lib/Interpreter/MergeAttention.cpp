// merge_attention.
#include "AttentionEntries.h"
#include "Handlers.h"
#include <limits>

namespace cheems::interpreter {
using namespace mlir;

/// A side of a merge. Where its maximum is -infinity it saw nothing, and its
/// sums are not read.
static reference::RunningSoftmax sideOf(Value maximum, Value sum, Value y,
                                        Frame &f) {
  reference::RunningSoftmax side{f.read(maximum), f.tensor(sum), f.tensor(y)};
  int64_t heads = side.maximum.shape[1];
  for (size_t i = 0; i < side.maximum.data.size() && !f.failed(); ++i) {
    if (side.maximum.data[i] != -std::numeric_limits<double>::infinity()) {
      int64_t row = static_cast<int64_t>(i) / heads,
              head = static_cast<int64_t>(i) % heads;
      f.element(sum, static_cast<int64_t>(i));
      checkWritten(y, {row, head}, side.y.shape[2], f);
    }
  }
  return side;
}

static void mergeAttention(cpu::MergeAttentionOp op, Frame &f) {
  Letters n(f);
  n("TH", op.getMaximum())("TH", op.getSum())("THP", op.getY());
  n("TH", op.getLaterMaximum())("TH", op.getLaterSum());
  n("THP", op.getLaterY());
  if (f.failed()) {
    return;
  }
  auto state = sideOf(op.getMaximum(), op.getSum(), op.getY(), f),
       later =
           sideOf(op.getLaterMaximum(), op.getLaterSum(), op.getLaterY(), f);
  if (f.failed()) {
    return;
  }
  reference::mergeAttention(later, state);
  setState(op, std::move(state), f);
}

void addMergeAttention(Handlers &handlers) {
  handlers.add<cpu::MergeAttentionOp>(mergeAttention);
}

} // namespace cheems::interpreter
