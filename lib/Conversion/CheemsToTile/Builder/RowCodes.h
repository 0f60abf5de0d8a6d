// Numbers of rows as codes of 8 bits, a scale per row: what
// cheems.quantize_entries computes.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_BUILDER_ROWCODES_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_BUILDER_ROWCODES_H

#include "TileBuilder.h"

namespace cheems::tile {

struct RowCodes {
  Value scale;  ///< a number per row
  Value factor; ///< that makes codes of numbers

  /// The greatest magnitude of each row of a tile.
  static Value greatest(TileBuilder &t, Value tile);
  /// \param most the greatest magnitude of each row.
  static RowCodes of(TileBuilder &t, Value most);
  /// The codes of a tile whose rows these are, i8.
  Value codes(TileBuilder &t, Value tile) const;
};

} // namespace cheems::tile

#endif
