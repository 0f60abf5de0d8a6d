// One sequence and state head of attention: its stored keys, updated in place,
// and the rows that attend to them.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOCPU_ATTENTIONSTATE_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOCPU_ATTENTIONSTATE_H

#include "SegmentTable.h"
#include "cheems/Support/MLIR.h"

namespace cheems {

class AttentionState {
public:
  TensorBuilder &e;
  SegmentedAttentionOp op;
  Value head;                ///< the state head
  OpFoldResult keyValueHead; ///< whose keys it stores
  int64_t queriesPerHead, masksPerHead;

  /// The slot's slices of the pools: keys, values [1, C, P], masks [M', C]
  /// where there are some, with a window positions [1, C], of int8 scales of
  /// both [1, C].
  SmallVector<Value> entries;
  /// How many entries are stored, where that is counted.
  Value count;

  bool counted() const { return static_cast<bool>(count); }

  /// Where entries are counted, takes the count off the pools' slices. Returns
  /// its slice.
  Value takeCount(Value position);
  /// Returns that slice with the count.
  Value putCount(Value counts);

  /// What the row of a segment that has one sees: with a window a threshold and
  /// last [1, 1], and the index that it takes later [1, 1] if that is to be
  /// found; where entries are counted `seen` [1].
  struct Sight {
    Value threshold, last, seen, place;
  };
  /// Stores that row, at `start` and with `position` rows before it. `sight`'s
  /// tensors are destinations and become results.
  void storeOne(Value start, Value position, Sight &sight);
  /// Entries of the sequence once that row is stored, `seen` being its number.
  Value entriesAfter(Value position, Value seen);
  /// Returns that row's running softmax over entries [from, from + count),
  /// where `state` has the entries before: maximum, sum [1, H'] and y [1, H',
  /// P].
  SmallVector<Value> attendToBlock(Value start, Value from, Value count,
                                   Value entriesAfter, const Sight &sight,
                                   ValueRange state);
  /// With a window, once a block has attended: `threshold` and `last` [1] are
  /// its last row's, `first` the entries before its `count` rows.
  /// `place` [1] is that of a row alone, or null.
  void evict(Value threshold, Value last, Value place, Value first,
             Value count);
  /// With a window, entries before the row at `position`.
  Value kept(Value position);

  /// Appends all rows of a segment, where none of them or of those that they
  /// see has to go again.
  void appendAll(Value start, Value length, Value position);
  /// Rows that were appended by that: y is their output. `position` is that of
  /// the first.
  Value attendTo(OpFoldResult row, OpFoldResult count, Value position, Value y);
  /// All rows of a segment in blocks, each seeing what the one before left:
  /// with a window or a count. y [T', H', P] is their output.
  Value inBlocks(Value start, Value length, Value position, Value y);

private:
  /// Rows [row, row + count) of the step.
  struct Block {
    OpFoldResult row, count;
    int64_t staticCount; ///< or dynamic
    Value position;      ///< of the first row in its sequence
    int64_t most;        ///< at most so many rows; 0: no bound
  };
  Value queries(const Block &rows);
  void append(const Block &rows, OpFoldResult first);
  /// The entry that a row of the sequence is, where they are in a ring.
  Value placeInRing(Value row);
  Value block(const Block &rows, Value y);
  Value windowBlock(const Block &rows, Value q, Value y);
  Value countedBlock(const Block &rows, Value q, Value y);
  void appendKept(const Block &rows, Sight &sight);
  void appendVisible(const Block &rows, Sight &sight);

  Value append(Value into, Value from, const Block &rows, OpFoldResult first);
  void appendCodes(size_t pool, Value from, const Block &rows,
                   OpFoldResult first);
  Value appendMask(const Block &rows, OpFoldResult first);
  Value appendPosition(const Block &rows, OpFoldResult first);
  Value visibility(OpBuilder &b, Location loc, OpFoldResult firstHead);
  OpFoldResult headTimes(int64_t factor);
  OpFoldResult lastOf(const Block &rows);
  /// Scratch of the worker, [rows(, 1)].
  Value scratch(const Block &rows, Type type, bool column);
  size_t scalePools() { return op.getKeep() ? 4 : op.getMasks() ? 3 : 2; }
  /// Returns the masks of entries, or null.
  Value masks() { return op.getMasks() ? entries[2] : Value(); }
  /// Returns the scales of int8 keys and values, else null.
  std::pair<Value, Value> scales();
  Value attend(Value q, Value first, const Sight &sight, Value y);
};

} // namespace cheems

#endif
