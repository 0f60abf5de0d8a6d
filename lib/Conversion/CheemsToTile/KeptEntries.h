// The window of one state head in the registers of a block.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_KEPTENTRIES_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_KEPTENTRIES_H

#include "AttentionKernels.h"

namespace cheems::tile {

/// A row of a tile has a column per entry, and some more, which are none.
class KeptEntries {
public:
  KeptEntries(TileBuilder &t, const RowStrategy &s,
              const AttentionShape &shape);

  /// The worst entry has the greatest badness, and of equal ones the greatest
  /// position. Places that are still free are worse than all entries, the first
  /// one the worst.
  struct State {
    Value badness, position; ///< i32
  };
  /// What a sequence has before the step.
  State load(const AttentionMemory &memory, const SegmentRow &segment,
             Value head);

  struct Taken {
    State state;
    Value isReplaced; ///< a condition per column: the row takes this place
    Value gone;       ///< the position that is not seen from here on, a slice
  };
  /// Takes a row: its mask and position, slices of the tile.
  Taken take(const State &state, Value mask, Value position);

  RankedTensorType type() const { return tile; }
  /// A number per row of the tile: the same for all threads.
  RankedTensorType one() const { return TileBuilder::sliceType(tile, 1); }
  Value column() { return IndicesOp::create(t.b, tile, uint64_t(1)); }
  Value badnessOf(Value masks);
  Value masksOf(const State &state);

private:
  TileBuilder &t;
  const AttentionShape &shape;
  RankedTensorType tile;
};

} // namespace cheems::tile

#endif
