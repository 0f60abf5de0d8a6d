// Rows of heads as a matmul gives them, and what is done with them before
// attention takes them: a norm of each head, then the rotation by positions.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_BUILDER_HEADROWS_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_BUILDER_HEADROWS_H

#include "TileBuilder.h"

namespace cheems::tile {

/// Memory of a kernel.
struct HeadRows {
  Value memory;       ///< [T, H, P] f32
  Value gain;         ///< [P]: of the norm; null without one
  double epsilon = 0; ///< of the norm
  Value cosine, sine; ///< [T, R/2]: of the rotation; null without one

  bool isPlain() const { return !gain && !cosine; }
};

/// Which rows of heads the rows of a tile are: rows of one head, or the heads
/// of one row.
struct HeadPlace {
  Value row, head;
  Value past; ///< the end of the rows, or of the heads
  bool hasHeads = false;

  /// From a column on, up to another one.
  Place at(TileBuilder &t, int64_t column, int64_t limit) const;
};

/// Loads both halves of heads, as tiles of one type each. What the tiles have
/// past the end of a half is zero. If a part of each head turns, the halves are
/// those of this part.
class HalvesOfHeads {
public:
  /// \param size of a head, or of the part that turns.
  /// \param type of tiles, f32.
  HalvesOfHeads(TileBuilder &t, const HeadRows &rows, const HeadPlace &place,
                int64_t size, RankedTensorType type);

  struct Halves {
    Value low, high;
  };
  /// From a column of each half on.
  Halves load(int64_t column);

private:
  Halves loadRows(int64_t column);
  Halves normalized(Halves x, int64_t column);
  Halves rotated(Halves x, int64_t column);
  /// Takes a table with a row for each row.
  Value angles(Value table, int64_t column);

  TileBuilder &t;
  const HeadRows &rows;
  const HeadPlace &place;
  int64_t half;
  int64_t aligned; ///< what offsets of halves and rows have in common
  RankedTensorType type;
  Value scale; ///< of the norm, a number per row
};

} // namespace cheems::tile

#endif
