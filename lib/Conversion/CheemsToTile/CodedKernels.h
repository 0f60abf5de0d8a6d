// Kernels of products of codes, in integers. How cheems.coded_product sums
// leaves no choice but which integers come first, so bits depend on nothing
// else.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_CODEDKERNELS_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_CODEDKERNELS_H

#include "ProductKernels.h"

namespace cheems::tile {

/// What a kernel reads: memrefs in row-major order.
struct CodedInputs {
  Value x, xScales;                 ///< [T, K] and [T]
  SmallVector<Value> codes, scales; ///< [N, bytes] and [N, G] each
  int64_t depth, bits, group;       ///< K
  Value rowBlock, columnBlock;      ///< which tile of the result

  bool isPacked() const { return bits == 4; }
};

/// Buffers for a product of many rows.
ProductBuffers allocCoded(TileBuilder &t, const ProductStrategy &s,
                          int64_t bits, size_t weights);
/// Many rows: k through a ring of shared buffers.
void buildCoded(TileBuilder &t, const ProductStrategy &s,
                const ProductBuffers &buffers, const CodedInputs &in,
                Finish finish);
/// Few rows: codes go straight from memory to registers. Warps share k if a row
/// has one group; else they have columns of their own. The tiles of sums are
/// across: [N, T].
void buildCodedOfFewRows(TileBuilder &t, const FewRowsStrategy &s,
                         const CodedInputs &in, Finish finish);

} // namespace cheems::tile

#endif
