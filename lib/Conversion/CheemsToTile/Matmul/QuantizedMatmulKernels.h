// Kernels of quantized matmuls, in integers. How cheems_tile.quantized_matmul
// sums leaves no choice but which integers come first, so bits depend on
// nothing else.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_MATMUL_CODEDKERNELS_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_MATMUL_CODEDKERNELS_H

#include "MatmulKernels.h"

namespace cheems::tile {

/// The only row that is multiplied, as a block of 128 threads has it in shared
/// memory.
struct QuantizedRow {
  Value codes; ///< i8, with zeros after its K quantized values as far as a
               ///< block reads
  Value scale; ///< f32: numbers that are its scale, each one

  /// Allocates both.
  /// \param s how the block has the row in registers.
  static QuantizedRow alloc(TileBuilder &t, RowTileAttr s);
  /// Rounds the row of a tile as cheems.quantize_entries does, for all threads.
  void write(TileBuilder &t, Value row) const;
};

/// What a kernel reads: memrefs in row-major order.
struct QuantizedInputs {
  Value x, xScales;                 ///< [T, K] and [T]
  SmallVector<Value> codes, scales; ///< [N, bytes] and [N, G] each
  int64_t depth, bits, group;       ///< K
  Value rowBlock, columnBlock;      ///< which tile of the result
  /// Makes the only row. Then there is neither x nor its scales. If this is
  /// null, the row is that of x.
  std::function<QuantizedRow()> makeRow = {};

  bool isPacked() const { return bits == 4; }
};

/// Buffers for a matmul of many rows.
MatmulBuffers allocQuantized(TileBuilder &t, MatmulTileAttr s, int64_t bits,
                             size_t weights);
/// Many rows: k through a ring of shared buffers.
void buildQuantizedMatmul(TileBuilder &t, MatmulTileAttr s,
                          const MatmulBuffers &buffers,
                          const QuantizedInputs &in, Finish finish);
/// Few rows: quantized values go straight from memory to registers. Warps share
/// k if a row has one group; else they have columns of their own. The tiles of
/// sums are across: [N, T].
void buildQuantizedMatmulOfFewRows(TileBuilder &t, FewRowsTileAttr s,
                                   const QuantizedInputs &in, Finish finish);

} // namespace cheems::tile

#endif
