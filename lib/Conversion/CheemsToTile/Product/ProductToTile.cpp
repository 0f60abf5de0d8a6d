// Products, with the elementwise op behind them and the norm before. Those of
// one input are one launch.
#include "ProductLaunch.h"
#include "Rows/NormKernels.h"

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
    ProductGroup group = ProductGroup::around(chain);
    replaceProducts(rewriter, group, kernels);
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
    ProductGroup group = ProductGroup::around(chain);
    replaceProducts(rewriter, group, this->kernels);
    return success();
  }
};
} // namespace

/// All products that read the rows of an op. None if something else reads them.
static std::optional<SmallVector<ProductGroup>>
groupsBehind(Operation *rounding, ProductForm form) {
  SmallVector<ProductGroup> groups;
  llvm::SmallPtrSet<Operation *, 8> taken;
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
    if (!isIn || own.form() != form) {
      return std::nullopt;
    }
    ProductGroup group = ProductGroup::around(own);
    for (const ProductChain &one : group.chains) {
      for (Product each : one.products) {
        taken.insert(each.op);
      }
    }
    groups.push_back(std::move(group));
  }
  return groups.empty() ? std::nullopt : std::make_optional(groups);
}

/// Whether launches in front of `at` can have all products.
static bool canBeAt(ArrayRef<ProductGroup> groups, Operation *at) {
  return llvm::all_of(groups, [&](const ProductGroup &group) {
    return llvm::all_of(group.chains, [&](const ProductChain &one) {
      return canBeAt(one, at);
    });
  });
}

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
    std::optional<SmallVector<ProductGroup>> groups =
        groupsBehind(chain.after, ProductForm::FewRows);
    if (!groups || !canBeAt(*groups, chain.after)) {
      return rewriter.notifyMatchFailure(norm, "others read its rows");
    }
    replaceNormedProducts(rewriter, chain, *groups, kernels);
    return success();
  }
};

/// Rows that become codes, which only products of few rows read. Where a step
/// has one row, each block of these rounds it itself, and computes the norm in
/// front if there is one.
struct RoundedProductsToTile : ToKernel<QuantizeEntriesOp> {
  using ToKernel::ToKernel;

  LogicalResult matchAndRewrite(QuantizeEntriesOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics()) {
      return rewriter.notifyMatchFailure(op, "it is on buffers");
    }
    auto type = cast<RankedTensorType>(op.getX().getType());
    if (type.isDynamicDim(1) || !type.isDynamicDim(0) ||
        type.getDimSize(1) > kMostRounded) {
      return rewriter.notifyMatchFailure(op, "no block has its rows");
    }
    std::optional<SmallVector<ProductGroup>> groups =
        groupsBehind(op, ProductForm::CodedFewRows);
    if (!groups) {
      return rewriter.notifyMatchFailure(op, "others read its codes");
    }
    RmsNormOp norm = canBeAt(*groups, op) ? normBefore(op) : RmsNormOp();
    replaceRoundedProducts(rewriter, norm, op, *groups, kernels);
    return success();
  }

private:
  /// The norm that is rounded, if it can be where the rounding is and nothing
  /// else goes with it. Null without one.
  static RmsNormOp normBefore(QuantizeEntriesOp op) {
    auto norm = op.getX().getDefiningOp<RmsNormOp>();
    if (!norm || !norm.hasPureTensorSemantics() ||
        norm->getBlock() != op->getBlock() ||
        !getElementTypeOrSelf(norm.getX()).isF32()) {
      return {};
    }
    NormChain chain = NormChain::of(norm);
    bool isAlone =
        !chain.after &&
        (!chain.before || !chainBefore(chain.before).products.empty());
    bool comesFirst = llvm::all_of(norm->getUsers(), [&](Operation *user) {
      Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
      return here && (here == op || op->isBeforeInBlock(here));
    });
    return isAlone && comesFirst ? norm : RmsNormOp();
  }
};
} // namespace

void cheems::tile::populateNormedProductsToTile(RewritePatternSet &patterns,
                                                KernelTable &kernels) {
  patterns.add<NormedProductsToTile, RoundedProductsToTile>(
      patterns.getContext(), kernels);
}

void cheems::tile::populateProductToTile(RewritePatternSet &patterns,
                                         KernelTable &kernels) {
  patterns.add<FusedProductToTile>(patterns.getContext(), kernels,
                                   /*benefit=*/3);
  patterns.add<ProductToTile<linalg::MatmulOp>, ProductToTile<CodedProductOp>>(
      patterns.getContext(), kernels, /*benefit=*/2);
}
