// Attention of segments: which of them have kernels, and their launches.
#include "AttentionLaunches.h"
#include "Builder/RoundedOutput.h"
#include "Matmul/MatmulLaunch.h"
#include "cheems/Conversion/CheemsToTile/Windows.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

std::optional<std::string> cheems::tile::whyNoKernel(SegmentedAttentionOp op) {
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

/// Launches of attention in place of its group.
static std::optional<SplitsOfRow> replaceAttention(GroupOp group,
                                                   PatternRewriter &rewriter,
                                                   KernelTable &kernels,
                                                   bool mergesAfter) {
  auto op = cast<SegmentedAttentionOp>(group.getRoots().front());
  RoundedOutput rounded = RoundedOutput::after(op.getResult(0));
  // What is found before the group ends is in the group.
  AttentionBefore before(op, AttentionShape(op),
                         strategyOf<AttentionStrategyAttr>(op).getAttend());
  inlineGroup(rewriter, group);
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  b.setInsertionPoint(op);
  AttentionLaunches launches(b, op, kernels, before, mergesAfter);
  SmallVector<Value> results = launches.make(rounded.memory(b, op.getY()));
  results[0] = rounded.replace(b, rewriter, results[0], op.getY());
  rewriter.replaceOp(op, results);
  return launches.piecesAfter();
}

static bool hasKernels(GroupOp group) {
  SmallVector<Operation *> roots = group.getRoots();
  return roots.size() == 1 &&
         !whyNoKernel(cast<SegmentedAttentionOp>(roots.front()));
}

namespace {
/// If a group is `in_matmuls`, the matmuls of few rows that alone read its
/// outputs are replaced with it.
struct AttentionToTile : GroupToKernels<GroupKind::Attention> {
  using GroupToKernels::GroupToKernels;

  LogicalResult make(GroupOp group, PatternRewriter &rewriter) const override {
    if (!hasKernels(group)) {
      return rewriter.notifyMatchFailure(group,
                                         "it is of a shape that is left");
    }
    bool inMatmuls = group.getInMatmuls();
    GroupOp rounding = inMatmuls ? roundingAfter(group) : GroupOp();
    auto after = inMatmuls ? matmulsAfter(group, rounding) : std::nullopt;
    if (inMatmuls && (!after || after->size() != 1)) {
      return rewriter.notifyMatchFailure(group, "others read its outputs");
    }
    auto pieces = replaceAttention(group, rewriter, kernels, inMatmuls);
    if (!pieces) { // the others have launches of their own
      return success();
    }
    MatmulGroup products = MatmulGroup::of(after->front());
    auto codes =
        rounding ? rootOf<QuantizeEntriesOp>(rounding) : QuantizeEntriesOp();
    inlineGroup(rewriter, after->front());
    if (rounding) {
      inlineGroup(rewriter, rounding);
    }
    replaceMergedMatmuls(rewriter, *pieces, products, codes, kernels);
    return success();
  }

private:
  /// What becomes of them: the rounded ones, if the group has a rounding. Null
  /// if several results are.
  static Value outputsOf(GroupOp group) {
    auto op = cast<SegmentedAttentionOp>(group.getRoots().front());
    Value y = op.getResult(0);
    if (linalg::GenericOp rounding = RoundedOutput::after(y).rounding) {
      y = rounding.getResult(0);
    }
    return resultOf(group, y);
  }

  static std::optional<SmallVector<GroupOp>> matmulsAfter(GroupOp group,
                                                          GroupOp rounding) {
    if (!rounding) {
      return matmulsThatRead(outputsOf(group), MatmulForm::FewRows);
    }
    auto op = rootOf<QuantizeEntriesOp>(rounding);
    if (!op ||
        cast<ShapedType>(op.getX().getType()).getDimSize(1) > kMostRounded) {
      return std::nullopt;
    }
    return matmulsThatRead({resultOf(rounding, op.getResult(0)),
                            resultOf(rounding, op.getResult(1))},
                           MatmulForm::QuantizedFewRows);
  }

  /// The quantization of its outputs, in matmuls; null without one.
  static GroupOp roundingAfter(GroupOp group) {
    Value y = outputsOf(group);
    auto codes = y ? quantizedAfter(y) : QuantizeEntriesOp();
    auto rounding = codes ? codes->getParentOfType<GroupOp>() : GroupOp();
    return rounding && rounding.getInMatmuls() ? rounding : GroupOp();
  }
};
} // namespace

void cheems::tile::populateAttentionToTile(RewritePatternSet &patterns,
                                           KernelTable &kernels) {
  patterns.add<AttentionToTile>(patterns.getContext(), kernels);
}
