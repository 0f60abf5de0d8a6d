// What a sequence has before a block of rows, and the best of it.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_KEPTKEYS_KEPTPREFIX_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_KEPTKEYS_KEPTPREFIX_H

#include "Attention/AttentionKernels.h"

namespace cheems::tile {

/// Says which of a prefix are among its best, by numbers of i32 that all
/// threads hold: all that are at least as good as `least`, but of those that
/// are just as good as `tie` only the first `ties`.
struct KeptBound {
  Value least, tie, ties;
};

/// The prefix is in the order of positions: entries of before the step, then
/// rows of it.
class KeptPrefix {
public:
  /// \param bins what `alloc` has made.
  KeptPrefix(TileBuilder &t, WindowTileAttr s, const AttentionShape &shape,
             const KeptChoice &choice, Value bins, Value head,
             Value segmentNumber, const SegmentRow &segment, Value rows);
  static Value alloc(TileBuilder &t);

  /// Neighbours, as many as the strategy says.
  struct Piece {
    bool ofRows;
    Value first; ///< among the entries, or of the step's rows
    Value past;  ///< all of the kind
  };
  /// Goes through all pieces. 0 is the goodness of what does not exist.
  /// \param body takes a piece, its goodness, and what is carried.
  using Body = function_ref<SmallVector<Value>(const Piece &, Value goodness,
                                               ValueRange now)>;
  SmallVector<Value> through(RankedTensorType goodness, ValueRange state,
                             Body body);
  /// What lists call the elements of a piece.
  Value numbersOf(const Piece &piece, RankedTensorType type);

  /// The bounds of the best `kept` and of the best `staying` of the prefix,
  /// which are values of type index. `staying` may be zero. `kept` may be all
  /// of the prefix: then only one bound is looked for.
  struct Bounds {
    KeptBound kept, staying;
  };
  Bounds best(Value kept, Value staying);

private:
  KeptBound find(Value wanted, Value digits);
  void count(Value shift, Value found);
  Value counts();

  TileBuilder &t;
  WindowTileAttr s;
  const AttentionShape &shape;
  const KeptChoice &choice;
  Value bins, head, segmentNumber;
  const SegmentRow &segment;
  Value entries, rows;
  RankedTensorType piece;       ///< a row of the prefix
  RankedTensorType copies, all; ///< of bins: the copies, and their sums
};

} // namespace cheems::tile

#endif
