// Products, with the elementwise op behind them and the norm before. Those of
// one input are one launch.
#include "NormKernels.h"
#include "ProductLaunch.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// An elementwise op and the products before it.
struct FusedProductToTile : ToKernel<linalg::GenericOp> {
  using ToKernel::ToKernel;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    ProductChain chain = chainBefore(op);
    if (chain.products.empty()) {
      return rewriter.notifyMatchFailure(op, "it has no product of its own");
    }
    ProductGroup group = ProductGroup::around(chain, strategy);
    replaceProducts(rewriter, group, {kernels, strategy});
    return success();
  }
};

/// Others.
template <typename OpTy> struct ProductToTile : ToKernel<OpTy> {
  using ToKernel<OpTy>::ToKernel;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!Product::of(op)) {
      return rewriter.notifyMatchFailure(op, "no kernel has its types or maps");
    }
    if (onlyElementwiseUse(op.getResult(0))) {
      return rewriter.notifyMatchFailure(op, "the op behind it takes it");
    }
    ProductChain chain = chainOf({op});
    ProductGroup group = ProductGroup::around(chain, this->strategy);
    replaceProducts(rewriter, group, {this->kernels, this->strategy});
    return success();
  }
};
} // namespace

namespace {
/// A norm whose rounded rows only products of few rows read. Where a step has
/// one row, each block of these computes the norm itself, which takes less time
/// than a launch.
struct NormedProductsToTile : ToKernel<RmsNormOp> {
  using ToKernel::ToKernel;

  LogicalResult matchAndRewrite(RmsNormOp norm,
                                PatternRewriter &rewriter) const override {
    if (!norm.hasPureTensorSemantics()) {
      return rewriter.notifyMatchFailure(norm, "it is on buffers");
    }
    auto type = cast<RankedTensorType>(norm.getX().getType());
    if (type.getRank() != 2 || type.isDynamicDim(1) || !type.isDynamicDim(0) ||
        !type.getElementType().isF32()) {
      return rewriter.notifyMatchFailure(norm, "it has no rows to count");
    }
    NormChain chain = NormChain::of(norm);
    if (chain.before && !chainBefore(chain.before).products.empty()) {
      chain.before = {}; // products take it
    }
    if (!chain.after || chain.before) {
      return rewriter.notifyMatchFailure(norm, "it is not rounded alone");
    }
    std::optional<SmallVector<ProductGroup>> groups = groupsBehind(chain);
    if (!groups) {
      return rewriter.notifyMatchFailure(norm, "others read its rows");
    }
    replaceNormedProducts(rewriter, chain, *groups, {kernels, strategy});
    return success();
  }

private:
  /// All products that read the rows. None if something else reads them, or if
  /// a launch in front of the rounding cannot have a product.
  std::optional<SmallVector<ProductGroup>>
  groupsBehind(const NormChain &chain) const {
    SmallVector<ProductGroup> groups;
    llvm::SmallPtrSet<Operation *, 8> taken;
    linalg::GenericOp rounding = chain.after;
    SmallVector<Operation *> users(rounding->getUsers());
    llvm::sort(users, [](Operation *a, Operation *c) {
      return a->getBlock() == c->getBlock() && a->isBeforeInBlock(c);
    });
    for (Operation *user : users) {
      Product product = Product::of(user);
      if (!product || user->getBlock() != rounding->getBlock()) {
        return std::nullopt;
      }
      if (taken.contains(user)) {
        continue;
      }
      ProductChain own = chainOf(product);
      // The op behind it may take other products alone.
      bool isIn = llvm::any_of(own.products,
                               [&](Product each) { return each.op == user; });
      if (!isIn || own.form() != ProductForm::FewRows) {
        return std::nullopt;
      }
      ProductGroup group = ProductGroup::around(own, strategy);
      for (const ProductChain &one : group.chains) {
        if (!canBeAt(one, rounding)) {
          return std::nullopt;
        }
        for (Product each : one.products) {
          taken.insert(each.op);
        }
      }
      groups.push_back(std::move(group));
    }
    return groups.empty() ? std::nullopt : std::make_optional(groups);
  }
};
} // namespace

void cheems::tile::populateNormedProductsToTile(RewritePatternSet &patterns,
                                                KernelContext kit) {
  patterns.add<NormedProductsToTile>(patterns.getContext(), kit);
}

void cheems::tile::populateProductToTile(RewritePatternSet &patterns,
                                         KernelContext kit) {
  patterns.add<FusedProductToTile>(patterns.getContext(), kit, /*benefit=*/3);
  patterns.add<ProductToTile<linalg::MatmulOp>, ProductToTile<CodedProductOp>>(
      patterns.getContext(), kit, /*benefit=*/2);
}
