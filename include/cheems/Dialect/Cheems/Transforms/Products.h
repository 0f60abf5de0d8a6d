// How a target computes products with bf16 weights.
#ifndef CHEEMS_DIALECT_CHEEMS_TRANSFORMS_PRODUCTS_H
#define CHEEMS_DIALECT_CHEEMS_TRANSFORMS_PRODUCTS_H

namespace mlir::cheems {

enum class Products {
  FMA,     ///< weights widened to f32
  DotBF16, ///< vdpbf16ps: inputs rounded to bf16, pairs summed in f32
  AMX,     ///< tdpbf16ps on tiles: the same in blocks of 32
};

} // namespace mlir::cheems

#endif
