// The kernels of each family of ops, as patterns.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_PATTERNS_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_PATTERNS_H

#include "Builder/KernelTable.h"
#include "Strategy/Strategy.h"
#include "mlir/IR/PatternMatch.h"

namespace cheems::tile {

/// An op that a kernel replaces, as its strategy says. One that has none stays.
template <typename OpTy> struct ToKernel : OpRewritePattern<OpTy> {
  ToKernel(MLIRContext *context, KernelTable &kernels,
           PatternBenefit benefit = 1)
      : OpRewritePattern<OpTy>(context, benefit), kernels(kernels) {}

protected:
  KernelTable &kernels;
};

/// A launch in front of the insertion point.
/// \param blocks how many blocks each dimension of the grid has.
/// \param when the condition, i1; null: always.
LaunchOp launch(ImplicitLocOpBuilder &b, FlatSymbolRefAttr kernel,
                ArrayRef<Value> blocks, ValueRange inputs, ValueRange outputs,
                Value when = {});

/// How many tiles of `extent` cover a dimension of a tensor.
Value tilesOf(ImplicitLocOpBuilder &b, Value tensor, int64_t dimension,
              int64_t extent);

// Patterns that take neighbours into their kernels have more benefit than those
// of the neighbours.
void populateNormToTile(RewritePatternSet &patterns, KernelTable &kernels);
/// Takes norms that NormToTile would take.
void populateNormedProductsToTile(RewritePatternSet &patterns,
                                  KernelTable &kernels);
void populateProductToTile(RewritePatternSet &patterns, KernelTable &kernels);
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
// What is elementwise maths becomes such an op.
void populateExpandMask(RewritePatternSet &patterns);
/// What goes through several elementwise ops goes through one.
void populateFuseElementwise(RewritePatternSet &patterns);

/// Applies patterns to all functions, from the first op to the last one: so
/// kernels of one name are numbered in the order of the ops.
LogicalResult
rewriteFunctions(ModuleOp module,
                 function_ref<void(RewritePatternSet &)> populate);

/// An error at the first such op that has no strategy, though kernels begin
/// with it, or one that they cannot follow.
LogicalResult verifyStrategies(ModuleOp module,
                               function_ref<bool(Operation *)> isMeant);

/// What of an op no kernel has, as the end of a sentence; none if it has one.
std::optional<std::string> whyNoKernel(SegmentedAttentionOp op);
std::optional<std::string> whyNoKernel(TopLogitsOp op);
std::optional<std::string> whyNoKernel(RetrieveExpertsOp op);
std::optional<std::string> whyNoKernel(MixExpertsOp op);

/// Whether tensor cores are to multiply inputs that have not been rounded in
/// front of the op. That is no op without a kernel: the rounding was left out,
/// or something hides it.
bool lacksRounding(SegmentedSSDOp op);

} // namespace cheems::tile

#endif
