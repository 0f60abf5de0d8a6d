// Attention of segments: which of them have kernels, and their launches.
#include "AttentionLaunches.h"
#include "RoundedOutput.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// The greatest head that registers and shared memory have room for.
constexpr int64_t kMostHeadSize = 256;

std::optional<StringRef> cheems::tile::whyNoKernel(SegmentedAttentionOp op) {
  if (op.getKeep()) {
    return "keeps a window of entries";
  }
  if (op.getHeadSize() > kMostHeadSize || op.getHeadSize() % 2 != 0) {
    return "has heads of an odd size, or of more than 256";
  }
  return std::nullopt;
}

namespace {
struct AttentionToTile : ToKernel<SegmentedAttentionOp> {
  using ToKernel::ToKernel;

  LogicalResult matchAndRewrite(SegmentedAttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (auto why = whyNoKernel(op)) {
      return rewriter.notifyMatchFailure(op, *why);
    }
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    AttentionLaunches launches(b, op, {kernels, strategy});
    RoundedOutput rounded = RoundedOutput::behind(op.getResult(0));
    SmallVector<Value> results = launches.make(rounded.memory(b, op.getY()));
    results[0] = rounded.replace(b, rewriter, results[0], op.getY());
    rewriter.replaceOp(op, results);
    return success();
  }
};
} // namespace

void cheems::tile::populateAttentionToTile(RewritePatternSet &patterns,
                                           KernelContext kit) {
  patterns.add<AttentionToTile>(patterns.getContext(), kit);
}
