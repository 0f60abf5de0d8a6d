// Attention of segments: which of them have kernels, and their launches.
#include "AttentionLaunches.h"
#include "ProductLaunch.h"
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

/// The products of few rows that alone read the rounded outputs, as one launch.
static std::optional<ProductGroup> productsBehind(const RoundedOutput &rounded,
                                                  const Strategy &strategy) {
  linalg::GenericOp rounding = rounded.rounding;
  if (!rounding || !rounding->hasOneUse() ||
      fewRowsOf(rounding).value_or(1) == 1) {
    return std::nullopt;
  }
  Product product = Product::of(*rounding->user_begin());
  if (!product || product.x() != rounding.getResult(0)) {
    return std::nullopt;
  }
  ProductChain chain = chainOf(product);
  bool isIn = llvm::any_of(chain.products, [&](const Product &each) {
    return each.op == product.op;
  });
  return isIn && chain.form() == ProductForm::FewRows
             ? std::make_optional(ProductGroup::around(chain, strategy))
             : std::nullopt;
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
    RoundedOutput rounded = RoundedOutput::behind(op.getResult(0));
    std::optional<ProductGroup> behind = productsBehind(rounded, strategy);
    KernelContext kit{kernels, strategy};
    AttentionLaunches launches(b, op, kit, behind.has_value());
    SmallVector<Value> results = launches.make(rounded.memory(b, op.getY()));
    results[0] = rounded.replace(b, rewriter, results[0], op.getY());
    rewriter.replaceOp(op, results);
    if (launches.piecesBehind()) {
      replaceMergedProducts(rewriter, *launches.piecesBehind(), *behind, kit);
    }
    return success();
  }
};
} // namespace

void cheems::tile::populateAttentionToTile(RewritePatternSet &patterns,
                                           KernelContext kit) {
  patterns.add<AttentionToTile>(patterns.getContext(), kit);
}
