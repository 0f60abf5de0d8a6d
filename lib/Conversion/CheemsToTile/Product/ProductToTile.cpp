// Products, with the elementwise op behind them and what makes their row.
#include "ProductLaunch.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// The group that makes a value; null if none does.
static GroupOp makerOf(Value value) { return value.getDefiningOp<GroupOp>(); }

std::optional<SmallVector<GroupOp>> cheems::tile::productsThatRead(Value rows) {
  llvm::SetVector<GroupOp> groups;
  for (Operation *user : rows.getUsers()) {
    auto group = user->getParentOfType<GroupOp>();
    if (!group || group.getKind() != GroupKind::Products ||
        group->getBlock() != rows.getParentBlock() || !hasFewRows(group)) {
      return std::nullopt;
    }
    groups.insert(group);
  }
  SmallVector<GroupOp> found = groups.takeVector();
  llvm::sort(found, [](GroupOp a, GroupOp c) { return a->isBeforeInBlock(c); });
  return found.empty() ? std::nullopt : std::make_optional(found);
}

/// Their products, and each group's ops in its place.
static SmallVector<ProductGroup> inlineProducts(PatternRewriter &rewriter,
                                                ArrayRef<GroupOp> groups) {
  SmallVector<ProductGroup> products;
  for (GroupOp group : groups) {
    products.push_back(ProductGroup::of(group));
    inlineGroup(rewriter, group);
  }
  return products;
}

/// Whether launches behind `maker` can have the products: all that they read
/// besides its results is there.
static bool canBeBehind(GroupOp maker, ArrayRef<GroupOp> groups) {
  return llvm::all_of(groups, [&](GroupOp group) {
    return llvm::all_of(ProductGroup::of(group).chains,
                        [&](const ProductChain &chain) {
                          return canBeAt(chain, maker->getNextNode());
                        });
  });
}

namespace {
/// Products of one input are one launch.
struct ProductsToTile : GroupToKernels<GroupKind::Products> {
  using GroupToKernels::GroupToKernels;

  LogicalResult make(GroupOp op, PatternRewriter &rewriter) const override {
    ProductGroup group = ProductGroup::of(op);
    if (group.chains.empty()) {
      return rewriter.notifyMatchFailure(op, "no kernel has its types or maps");
    }
    GroupOp maker = makerOf(group.chains.front().x());
    if (maker && maker.getInProducts()) {
      return rewriter.notifyMatchFailure(op, "what makes its row comes first");
    }
    inlineGroup(rewriter, op);
    replaceProducts(rewriter, group, kernels);
    return success();
  }
};

/// A norm, and the products of few rows that alone read its rounded rows.
struct NormedProductsToTile : GroupToKernels<GroupKind::Norm> {
  using GroupToKernels::GroupToKernels;

  LogicalResult make(GroupOp op, PatternRewriter &rewriter) const override {
    auto norm = rootOf<RmsNormOp>(op);
    if (!op.getInProducts() || !norm) {
      return rewriter.notifyMatchFailure(op, "it has a launch of its own");
    }
    NormChain chain = NormChain::of(norm);
    auto groups = productsThatRead(op->getResults().back());
    if (!chain.after || chain.before || !groups || !canBeBehind(op, *groups)) {
      return rewriter.notifyMatchFailure(op, "others read its rows");
    }
    inlineGroup(rewriter, op);
    replaceNormedProducts(rewriter, chain, inlineProducts(rewriter, *groups),
                          kernels);
    return success();
  }
};

/// The rounding of rows to codes, with the norm before it, and the products of
/// few rows that alone read them.
struct RoundedProductsToTile : GroupToKernels<GroupKind::Rounding> {
  using GroupToKernels::GroupToKernels;

  LogicalResult make(GroupOp op, PatternRewriter &rewriter) const override {
    auto rounding = rootOf<QuantizeEntriesOp>(op);
    if (!op.getInProducts() || !rounding) {
      return rewriter.notifyMatchFailure(op, "it has a launch of its own");
    }
    Value x = rounding.getX();
    if (auto collapse = x.getDefiningOp<tensor::CollapseShapeOp>()) {
      GroupOp attention = makerOf(collapse.getSrc());
      if (attention && attention.getInProducts()) {
        return rewriter.notifyMatchFailure(op, "attention comes first");
      }
    }
    GroupOp maker = makerOf(x);
    bool isNormed = maker && maker.getInProducts();
    auto norm = isNormed ? rootOf<RmsNormOp>(maker) : RmsNormOp();
    auto groups = productsThatRead(op.getResult(0));
    // All launches of one row stand at the norm.
    bool isWrong =
        isNormed && (!norm || maker->getNextNode() != op.getOperation() ||
                     NormChain::of(norm).after || NormChain::of(norm).before ||
                     !groups || !canBeBehind(op, *groups));
    if (!groups || isWrong) {
      return rewriter.notifyMatchFailure(op, "others read its codes");
    }
    if (isNormed) {
      inlineGroup(rewriter, maker);
    }
    inlineGroup(rewriter, op);
    replaceRoundedProducts(rewriter, norm, rounding,
                           inlineProducts(rewriter, *groups), kernels);
    return success();
  }
};
} // namespace

void cheems::tile::populateProductToTile(RewritePatternSet &patterns,
                                         KernelTable &kernels) {
  patterns.add<ProductsToTile, NormedProductsToTile, RoundedProductsToTile>(
      patterns.getContext(), kernels);
}
