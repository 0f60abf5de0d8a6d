// Matmuls, with the elementwise op after them and what makes their row.
#include "MatmulLaunch.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// The group that makes a value; null if none does.
static GroupOp makerOf(Value value) { return value.getDefiningOp<GroupOp>(); }

Value cheems::tile::resultOf(GroupOp group, Value value) {
  OperandRange yielded = group.getBody().front().getTerminator()->getOperands();
  if (llvm::count(yielded, value) != 1) {
    return {};
  }
  return group.getResult(
      unsigned(std::distance(yielded.begin(), llvm::find(yielded, value))));
}

/// Whether the matmuls of a group multiply `rows`, and read them nowhere else.
static bool multiplies(GroupOp group, ValueRange rows, MatmulForm form) {
  MatmulGroup products = MatmulGroup::of(group);
  return !products.chains.empty() &&
         llvm::all_of(products.chains, [&](const MatmulChain &chain) {
           return chain.form() == form && chain.inputs() == rows &&
                  llvm::none_of(chain.others(), [&](Value other) {
                    return llvm::is_contained(rows, other);
                  });
         });
}

std::optional<SmallVector<GroupOp>>
cheems::tile::matmulsThatRead(ValueRange rows, MatmulForm form) {
  llvm::SetVector<GroupOp> groups;
  for (Value each : rows) {
    if (!each) {
      return std::nullopt;
    }
    for (Operation *user : each.getUsers()) {
      auto group = user->getParentOfType<GroupOp>();
      if (!group || group.getKind() != GroupKind::Matmuls ||
          group->getBlock() != each.getParentBlock() ||
          !multiplies(group, rows, form)) {
        return std::nullopt;
      }
      groups.insert(group);
    }
  }
  SmallVector<GroupOp> found = groups.takeVector();
  llvm::sort(found, [](GroupOp a, GroupOp c) { return a->isBeforeInBlock(c); });
  return found.empty() ? std::nullopt : std::make_optional(found);
}

/// Their matmuls, and each group's ops in its place.
static SmallVector<MatmulGroup> inlineMatmuls(PatternRewriter &rewriter,
                                              ArrayRef<GroupOp> groups) {
  SmallVector<MatmulGroup> products;
  for (GroupOp group : groups) {
    products.push_back(MatmulGroup::of(group));
    inlineGroup(rewriter, group);
  }
  return products;
}

/// Whether launches after `maker` can have the matmuls: all that they read
/// besides its results is there.
static bool canBeAfter(GroupOp maker, ArrayRef<GroupOp> groups) {
  return llvm::all_of(groups, [&](GroupOp group) {
    return llvm::all_of(MatmulGroup::of(group).chains,
                        [&](const MatmulChain &chain) {
                          return canBeAt(chain, maker->getNextNode());
                        });
  });
}

namespace {
/// Matmuls of one input are one launch.
struct MatmulsToTile : GroupToKernels<GroupKind::Matmuls> {
  using GroupToKernels::GroupToKernels;

  LogicalResult make(GroupOp op, PatternRewriter &rewriter) const override {
    MatmulGroup group = MatmulGroup::of(op);
    if (group.chains.empty()) {
      return rewriter.notifyMatchFailure(op, "no kernel has its types or maps");
    }
    GroupOp maker = makerOf(group.chains.front().x());
    if (maker && maker.getInMatmuls()) {
      return rewriter.notifyMatchFailure(op, "what makes its row comes first");
    }
    inlineGroup(rewriter, op);
    replaceMatmuls(rewriter, group, kernels);
    return success();
  }
};

/// A norm, and the matmuls of few rows that alone read its rounded rows.
struct NormedMatmulsToTile : GroupToKernels<GroupKind::Norm> {
  using GroupToKernels::GroupToKernels;

  LogicalResult make(GroupOp op, PatternRewriter &rewriter) const override {
    auto norm = rootOf<RmsNormOp>(op);
    if (!op.getInMatmuls() || !norm) {
      return rewriter.notifyMatchFailure(op, "it has a launch of its own");
    }
    NormChain chain = NormChain::of(norm);
    if (!chain.after || chain.before) {
      return rewriter.notifyMatchFailure(op, "it is not rounded alone");
    }
    auto groups = matmulsThatRead(resultOf(op, chain.after.getResult(0)),
                                  MatmulForm::FewRows);
    if (!groups || !canBeAfter(op, *groups)) {
      return rewriter.notifyMatchFailure(op, "others read its rows");
    }
    inlineGroup(rewriter, op);
    replaceNormedMatmuls(rewriter, chain, inlineMatmuls(rewriter, *groups),
                         kernels);
    return success();
  }
};

/// The quantization of rows, with the norm before it, and the matmuls of
/// few rows that alone read them.
struct RoundedMatmulsToTile : GroupToKernels<GroupKind::Rounding> {
  using GroupToKernels::GroupToKernels;

  LogicalResult make(GroupOp op, PatternRewriter &rewriter) const override {
    auto rounding = rootOf<QuantizeEntriesOp>(op);
    if (!op.getInMatmuls() || !rounding) {
      return rewriter.notifyMatchFailure(op, "it has a launch of its own");
    }
    Value x = rounding.getX();
    if (auto collapse = x.getDefiningOp<tensor::CollapseShapeOp>()) {
      GroupOp attention = makerOf(collapse.getSrc());
      if (attention && attention.getInMatmuls()) {
        return rewriter.notifyMatchFailure(op, "attention comes first");
      }
    }
    GroupOp maker = makerOf(x);
    bool isNormed = maker && maker.getInMatmuls();
    auto norm = isNormed ? rootOf<RmsNormOp>(maker) : RmsNormOp();
    auto groups = matmulsThatRead({resultOf(op, rounding.getResult(0)),
                                   resultOf(op, rounding.getResult(1))},
                                  MatmulForm::QuantizedFewRows);
    bool isLong = cast<ShapedType>(x.getType()).getDimSize(1) > kMostRounded;
    // All launches of one row stand at the norm.
    bool isWrong =
        isNormed && (!norm || resultOf(maker, norm.getResult(0)) != x ||
                     maker->getNextNode() != op.getOperation() ||
                     NormChain::of(norm).after || NormChain::of(norm).before ||
                     !groups || !canBeAfter(op, *groups));
    if (!groups || isLong || isWrong) {
      return rewriter.notifyMatchFailure(op, "others read its codes");
    }
    if (isNormed) {
      inlineGroup(rewriter, maker);
    }
    inlineGroup(rewriter, op);
    replaceRoundedMatmuls(rewriter, norm, rounding,
                          inlineMatmuls(rewriter, *groups), kernels);
    return success();
  }
};
} // namespace

void cheems::tile::populateMatmulToTile(RewritePatternSet &patterns,
                                        KernelTable &kernels) {
  patterns.add<MatmulsToTile, NormedMatmulsToTile, RoundedMatmulsToTile>(
      patterns.getContext(), kernels);
}
