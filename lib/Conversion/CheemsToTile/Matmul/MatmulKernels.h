// Kernels of matmuls: many rows on tensor cores, many rows in f32, few rows.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_MATMUL_MATMULKERNELS_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_MATMUL_MATMULKERNELS_H

#include "Builder/Elementwise.h"
#include "MatmulRing.h"
#include <functional>

namespace cheems::tile {

/// What a kernel of matmuls reads: memrefs in row-major order.
struct MatmulInputs {
  Value x;                     ///< [T, K]
  SmallVector<Value> weights;  ///< [N, K] each
  int64_t depth;               ///< K
  Value rowBlock, columnBlock; ///< which tile of the result
  /// Makes the only row in a buffer, with zeros after its K numbers as far as a
  /// block reads. If this is null, the row is that of x.
  std::function<Value()> makeRow = {};
  /// Tensor maps of x and of the weights, for bulk copies.
  Value xMap = {};
  SmallVector<Value> weightMaps = {};
};

/// What is done with a block's sums, a tile per weight.
using Finish = function_ref<void(ArrayRef<Value> sums, const RowsAndColumns &)>;

/// f16 or bf16, sums on tensor cores, k through a ring of shared buffers.
void buildMatmul(TileBuilder &t, MatmulTileAttr s, const MatmulBuffers &buffers,
                 const MatmulInputs &in, Finish finish);
/// The same by warpgroups, whose tensor cores read shared memory themselves.
void buildMatmulOfWarpgroups(TileBuilder &t, MatmulTileAttr s,
                             const MatmulBuffers &buffers,
                             const MatmulInputs &in, Finish finish);
/// The same of f32, by fused multiply-adds.
void buildMatmulF32(TileBuilder &t, MatmulTileAttr s,
                    const MatmulBuffers &buffers, const MatmulInputs &in,
                    Finish finish);
/// f16 or bf16 with few rows: weights go straight from memory to registers, and
/// warps share k. The tiles of sums are across: [N, T].
void buildMatmulOfFewRows(TileBuilder &t, FewRowsTileAttr s,
                          const MatmulInputs &in, Finish finish);

} // namespace cheems::tile

#endif
