// Attention of segments: which of them have kernels, and their launches.
#include "AttentionLaunches.h"
#include "Builder/RoundedOutput.h"
#include "Product/ProductLaunch.h"
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

namespace {
/// The products of few rows that alone read the rounded outputs, as one launch.
struct ProductsBehind {
  std::optional<ProductGroup> group;
  QuantizeEntriesOp codes; ///< null if outputs are no codes
};
} // namespace

/// The group of a product of few rows, if it has all that read `rounding`.
static std::optional<ProductGroup> groupBehind(Operation *rounding,
                                               ProductForm form) {
  Product product = rounding->use_empty()
                        ? Product{nullptr}
                        : Product::of(*rounding->user_begin());
  if (!product || product.x() != rounding->getResult(0) ||
      fewRowsOf(rounding).value_or(1) == 1) {
    return std::nullopt;
  }
  ProductChain chain = chainOf(product);
  if (chain.form() != form) {
    return std::nullopt;
  }
  ProductGroup group = ProductGroup::around(chain);
  auto isIn = [&](Operation *user) {
    return llvm::any_of(group.chains, [&](const ProductChain &one) {
      return llvm::any_of(one.products,
                          [&](const Product &each) { return each.op == user; });
    });
  };
  return llvm::all_of(rounding->getUsers(), isIn) ? std::make_optional(group)
                                                  : std::nullopt;
}

static ProductsBehind productsBehind(Value y, const RoundedOutput &rounded) {
  if (linalg::GenericOp rounding = rounded.rounding) {
    return {rounding->hasOneUse() ? groupBehind(rounding, ProductForm::FewRows)
                                  : std::nullopt,
            {}};
  }
  auto collapse = y.hasOneUse()
                      ? dyn_cast<tensor::CollapseShapeOp>(*y.user_begin())
                      : tensor::CollapseShapeOp();
  auto codes = collapse && collapse->hasOneUse()
                   ? dyn_cast<QuantizeEntriesOp>(*collapse->user_begin())
                   : QuantizeEntriesOp();
  if (!codes || collapse.getResultType().isDynamicDim(1) ||
      collapse.getResultType().getDimSize(1) > kMostRounded) {
    return {};
  }
  return {groupBehind(codes, ProductForm::CodedFewRows), codes};
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
    ProductsBehind behind = productsBehind(op.getResult(0), rounded);
    AttentionLaunches launches(b, op, kernels, behind.group.has_value());
    SmallVector<Value> results = launches.make(rounded.memory(b, op.getY()));
    results[0] = rounded.replace(b, rewriter, results[0], op.getY());
    rewriter.replaceOp(op, results);
    if (launches.piecesBehind()) {
      replaceMergedProducts(rewriter, *launches.piecesBehind(), *behind.group,
                            behind.codes, kernels);
    }
    return success();
  }
};
} // namespace

void cheems::tile::populateAttentionToTile(RewritePatternSet &patterns,
                                           KernelTable &kernels) {
  patterns.add<AttentionToTile>(patterns.getContext(), kernels);
}
