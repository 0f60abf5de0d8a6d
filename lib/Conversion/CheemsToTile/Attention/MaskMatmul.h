// Says where a step's mask values come from: memory, or a matmul that a kernel
// computes with them.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_ATTENTION_MASKMATMUL_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_ATTENTION_MASKMATMUL_H

#include "Builder/Elementwise.h"

namespace cheems::tile {

/// An elementwise op on the sums of a matmul, as a kernel has it.
struct SumsOp {
  linalg::GenericOp op;
  SmallVector<Value> vectors; ///< memory per input; null for the sums
};

/// Mask values of rows, [T, M]; all null if they are known of heads alone.
struct MaskSource {
  Value values; ///< memory; null if they are a matmul

  // after(sum over n of before(x[t, n]) * weights[m, n]).
  Value x, weights;         ///< [T, N], [M, N]
  linalg::GenericOp before; ///< on x alone; may be null
  SmallVector<SumsOp> after;

  bool isMatmul() const { return bool(x); }
};

/// Mask values [first, past) of one row, as a vector of at least as many.
/// \param most past - first at most.
/// \param warps of the kernel.
Value buildMaskMatmul(TileBuilder &t, const MaskSource &mask, Value row,
                      Value first, Value past, int64_t most, int64_t warps);

} // namespace cheems::tile

#endif
