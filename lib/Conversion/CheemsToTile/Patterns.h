// The kernels of each family of ops, as patterns.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_PATTERNS_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_PATTERNS_H

#include "KernelTable.h"
#include "Strategy.h"
#include "mlir/IR/PatternMatch.h"

namespace cheems::tile {

/// What every pattern needs.
struct KernelContext {
  KernelTable &kernels;
  const Strategy &strategy;
};

/// An op that a kernel replaces.
template <typename OpTy> struct ToKernel : OpRewritePattern<OpTy> {
  ToKernel(MLIRContext *context, KernelContext kit, PatternBenefit benefit = 1)
      : OpRewritePattern<OpTy>(context, benefit), kernels(kit.kernels),
        strategy(kit.strategy) {}

protected:
  KernelTable &kernels;
  const Strategy &strategy;
};

/// A launch in front of the insertion point.
/// \param blocks how many blocks each dimension of the grid has.
LaunchOp launch(ImplicitLocOpBuilder &b, FlatSymbolRefAttr kernel,
                ArrayRef<Value> blocks, ValueRange inputs, ValueRange outputs);

/// How many tiles of `extent` cover a dimension of a tensor.
Value tilesOf(ImplicitLocOpBuilder &b, Value tensor, int64_t dimension,
              int64_t extent);

// Patterns that take neighbours into their kernels have more benefit than those
// of the neighbours.
void populateNormToTile(RewritePatternSet &patterns, KernelContext kit);
/// Takes norms that NormToTile would take.
void populateNormedProductsToTile(RewritePatternSet &patterns,
                                  KernelContext kit);
void populateProductToTile(RewritePatternSet &patterns, KernelContext kit);
void populateElementwiseToTile(RewritePatternSet &patterns, KernelContext kit);
void populateRoundEntriesToTile(RewritePatternSet &patterns, KernelContext kit);
void populateRowsToTile(RewritePatternSet &patterns, KernelContext kit);
void populateRotaryToTile(RewritePatternSet &patterns, KernelContext kit);
void populateMaskToTile(RewritePatternSet &patterns, KernelContext kit);
void populateAttentionToTile(RewritePatternSet &patterns, KernelContext kit);
void populateSSDToTile(RewritePatternSet &patterns, KernelContext kit);
void populateTopLogitsToTile(RewritePatternSet &patterns, KernelContext kit);
void populateScoresToTile(RewritePatternSet &patterns, KernelContext kit);
void populateExpertsToTile(RewritePatternSet &patterns, KernelContext kit);
/// What goes through several elementwise ops goes through one.
void populateFuseElementwise(RewritePatternSet &patterns);

/// What of an op no kernel has, as the end of a sentence; none if it has one.
std::optional<std::string> whyNoKernel(SegmentedAttentionOp op);
std::optional<std::string> whyNoKernel(TopLogitsOp op,
                                       const Strategy &strategy);
std::optional<std::string> whyNoKernel(RetrieveExpertsOp op);
std::optional<std::string> whyNoKernel(MixExpertsOp op);

/// Whether tensor cores are to multiply inputs that have not been rounded in
/// front of the op. That is no op without a kernel: the rounding was left out,
/// or something hides it.
bool lacksRounding(SegmentedSSDOp op);

} // namespace cheems::tile

#endif
