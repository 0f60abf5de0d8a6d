// The kernels of each family of ops, as patterns.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_PATTERNS_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_PATTERNS_H

#include "Builder/KernelTable.h"
#include "Strategy/Strategy.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace cheems::tile {

/// An op that kernels replace, as its strategy says.
template <typename OpTy> struct ToKernel : OpRewritePattern<OpTy> {
  ToKernel(MLIRContext *context, KernelTable &kernels,
           PatternBenefit benefit = 1)
      : OpRewritePattern<OpTy>(context, benefit), kernels(kernels) {}

protected:
  KernelTable &kernels;
};

/// A group of one kind, which kernels replace as the strategies in it say.
template <GroupKind kind> struct GroupToKernels : ToKernel<GroupOp> {
  using ToKernel::ToKernel;

  LogicalResult matchAndRewrite(GroupOp group,
                                PatternRewriter &rewriter) const final {
    return group.getKind() == kind ? make(group, rewriter) : failure();
  }

protected:
  virtual LogicalResult make(GroupOp group,
                             PatternRewriter &rewriter) const = 0;
  /// What the group is about, if that is one op.
  template <typename OpTy> static OpTy rootOf(GroupOp group) {
    SmallVector<Operation *> roots = group.getRoots();
    return roots.size() == 1 ? dyn_cast<OpTy>(roots[0]) : OpTy();
  }
};

/// The body comes to stand in place of its group. What kernels take of it is
/// looked for before: then nothing outside is in sight. The insertion point is
/// after the body then.
void inlineGroup(RewriterBase &rewriter, GroupOp group);

/// A launch before the insertion point.
/// \param blocks how many blocks each dimension of the grid has.
/// \param when the condition, i1; null: always.
LaunchOp launch(ImplicitLocOpBuilder &b, FlatSymbolRefAttr kernel,
                ArrayRef<Value> blocks, ValueRange inputs, ValueRange outputs,
                Value when = {});

/// How many tiles of `extent` cover a dimension of a tensor.
Value tilesOf(ImplicitLocOpBuilder &b, Value tensor, int64_t dimension,
              int64_t extent);

// The kernels of groups, by what these are about.
void populateNormToTile(RewritePatternSet &patterns, KernelTable &kernels);
void populateMatmulToTile(RewritePatternSet &patterns, KernelTable &kernels);
void populateElementwiseToTile(RewritePatternSet &patterns,
                               KernelTable &kernels);
void populateRoundEntriesToTile(RewritePatternSet &patterns,
                                KernelTable &kernels);
void populateRowsToTile(RewritePatternSet &patterns, KernelTable &kernels);
void populateRotaryToTile(RewritePatternSet &patterns, KernelTable &kernels);
void populateAttentionToTile(RewritePatternSet &patterns, KernelTable &kernels);
void populateSSDToTile(RewritePatternSet &patterns, KernelTable &kernels);
void populateTopLogitsToTile(RewritePatternSet &patterns, KernelTable &kernels);
void populateScoresToTile(RewritePatternSet &patterns, KernelTable &kernels);
void populateExpertsToTile(RewritePatternSet &patterns, KernelTable &kernels);
// What is elementwise maths becomes such an op.
void populateExpandMask(RewritePatternSet &patterns);
/// What goes through several elementwise ops goes through one.
void populateFuseElementwise(RewritePatternSet &patterns);

/// Applies patterns to all functions, from the first op to the last one: so
/// kernels of one name are numbered in the order of the ops.
LogicalResult
rewriteFunctions(ModuleOp module,
                 function_ref<void(RewritePatternSet &)> populate);

/// A tile has elements: an error at the first op on a tensor that has none.
LogicalResult verifyElements(func::FuncOp function);

/// An error at the first op that has no strategy, though kernels are made by
/// it, or one that they cannot follow.
LogicalResult verifyStrategiesOfGroups(ModuleOp module);

/// What of an op no kernel has, as the end of a sentence; none if it has one.
std::optional<std::string> whyNoKernel(SegmentedAttentionOp op);
/// \param strategy what it has, or would have.
std::optional<std::string> whyNoKernel(TopLogitsOp op,
                                       TopLogitsStrategyAttr strategy);
std::optional<std::string> whyNoKernel(RetrieveExpertsOp op);
std::optional<std::string> whyNoKernel(MixExpertsOp op);

/// Whether tensor cores are to multiply inputs that have not been rounded
/// before the op. That is no op without a kernel: the rounding was left out, or
/// something hides it.
bool lacksRounding(SegmentedSSDOp op);

} // namespace cheems::tile

#endif
