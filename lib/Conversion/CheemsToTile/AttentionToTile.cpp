// Attention of segments: which of them have kernels, and their launches.
#include "AttentionLaunches.h"
#include "RoundedOutput.h"
#include "cheems/Conversion/CheemsToTile/Windows.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// The greatest head that registers and shared memory have room for.
constexpr int64_t kMostHeadSize = 256;

std::optional<std::string> cheems::tile::whyNoKernel(SegmentedAttentionOp op) {
  if (int64_t(op.getKeep().value_or(0)) > kMostWindow) {
    return "keeps a window of more than " + std::to_string(kMostWindow) +
           " entries";
  }
  if (op.getKeep() && int64_t(op.getBlock()) % kWindowRows != 0) {
    return "has a window and blocks of " + std::to_string(op.getBlock()) +
           " rows, no multiple of " + std::to_string(kWindowRows);
  }
  if (op.getHeadSize() > kMostHeadSize || op.getHeadSize() % 2 != 0) {
    return "has heads of an odd size, or of more than " +
           std::to_string(kMostHeadSize);
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
