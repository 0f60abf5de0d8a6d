// Factors of matmuls on tensor cores.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_BUILDER_FACTOR_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_BUILDER_FACTOR_H

#include "TileBuilder.h"

namespace cheems::tile {

/// A tile in bf16, or the sum of two such tiles: a pair, which has the range of
/// f32 and 16 bits of precision.
struct Factor {
  Value high, low; ///< no low part: `high` is all of it

  /// What is nearest to a tile of f32. Infinities are the low part of a pair,
  /// because the high one is then finite: there is no difference of two.
  static Factor of(TileBuilder &t, Value tile, bool isPair);
  /// Widens to f32, exactly.
  Value widened(TileBuilder &t) const;
  Factor converted(TileBuilder &t, RankedTensorType type) const;
};

/// Adds a matmul to `sums`. One of pairs is three matmuls: that of their low
/// parts is less than what rounding has left out of either.
Value multiply(TileBuilder &t, const Factor &a, const Factor &b, Value sums);

/// A shared buffer of factors.
struct FactorBuffer {
  Value high, low; ///< no low part: tiles in bf16

  static FactorBuffer alloc(TileBuilder &t, ArrayRef<int64_t> shape,
                            bool isPair);
  int64_t columns() const;
  Factor read(TileBuilder &t, RankedTensorType type, Value stage, Value row,
              Value column) const;
  Factor readTransposed(TileBuilder &t, RankedTensorType type, Value stage,
                        Value row, Value column) const;
  void write(TileBuilder &t, const Factor &factor, Value stage, Value row,
             Value column) const;
};

} // namespace cheems::tile

#endif
