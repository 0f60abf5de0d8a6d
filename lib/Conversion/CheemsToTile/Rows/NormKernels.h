// Norms of rows, with what stands before and after them, and the rounding of
// rows to integers.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_ROWS_NORMKERNELS_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_ROWS_NORMKERNELS_H

#include "Builder/Elementwise.h"
#include "Patterns.h"

namespace cheems::tile {

/// What one kernel computes: y = after(norm(before(...))).
struct NormChain {
  RmsNormOp norm;
  linalg::GenericOp before, after; ///< may be null

  /// Makes a chain of one norm of [T, N].
  static NormChain of(RmsNormOp norm);

  /// Whether others read what the op before makes.
  bool keepsInput() const {
    linalg::GenericOp op = before;
    return op && !op.getResult(0).hasOneUse();
  }
  /// Whether others than the op after it read the norm.
  bool keepsNorm() const {
    RmsNormOp op = norm;
    return after && !op.getResult(0).hasOneUse();
  }
  Operation *last() const {
    linalg::GenericOp later = after;
    RmsNormOp op = norm;
    return later ? later.getOperation() : op.getOperation();
  }
};

/// y = x * weight / sqrt(mean(x^2) + epsilon), of whole rows. Columns past
/// those of the row are zero.
Value normalize(TileBuilder &t, Value x, Value weight, int64_t columns,
                double epsilon);

/// Replaces the chain by a launch.
/// \param when the launch's condition; null: always.
void replaceNorm(PatternRewriter &rewriter, const NormChain &chain,
                 KernelTable &kernels, Value when = {});

/// Replaces the quantization of rows by a launch.
/// \param when the launch's condition; null: always.
void replaceRounding(PatternRewriter &rewriter, QuantizeEntriesOp op,
                     KernelTable &kernels, Value when = {});

} // namespace cheems::tile

#endif
