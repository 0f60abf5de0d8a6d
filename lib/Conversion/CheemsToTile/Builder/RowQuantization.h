// Numbers of rows as 8-bit integers, a scale per row: what
// cheems.quantize_entries computes.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_BUILDER_ROWCODES_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_BUILDER_ROWCODES_H

#include "TileBuilder.h"

namespace cheems::tile {

struct RowQuantization {
  Value scale;  ///< a number per row
  Value factor; ///< that makes quantized values of numbers

  /// The greatest magnitude of each row of a tile.
  static Value greatest(TileBuilder &t, Value tile);
  /// \param most the greatest magnitude of each row.
  static RowQuantization of(TileBuilder &t, Value most);
  /// The quantized values of a tile whose rows these are, i8.
  Value codes(TileBuilder &t, Value tile) const;
};

} // namespace cheems::tile

#endif
