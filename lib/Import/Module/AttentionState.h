// One sequence and state head of attention: its stored keys, updated in place,
// and the rows that attend to them.
#ifndef CHEEMS_LIB_IMPORT_MODULE_ATTENTIONSTATE_H
#define CHEEMS_LIB_IMPORT_MODULE_ATTENTIONSTATE_H

#include "ModelTypes.h"

namespace cheems {

class AttentionState {
public:
  Emitter &e;
  const ModelTypes &types;
  mlir::Value query, key, value; ///< of all rows, [T, H or G, P]
  mlir::Value mask;              ///< of all rows, [T, M]; null: visibleHeads
  llvm::ArrayRef<bool> visibleHeads; ///< of A, known when compiling
  mlir::Value head;                  ///< the state head
  mlir::OpFoldResult keyValueHead;   ///< whose keys it stores
  int64_t queriesPerHead, masksPerHead;

  /// The slot's slices of the pools: keys, values [1, C, P], masks [M', C],
  /// with a window positions [1, C], of int8 scales of both [1, C].
  llvm::SmallVector<mlir::Value> entries;
  /// How many entries are stored, where that is counted.
  mlir::Value count;

  bool counted() const { return static_cast<bool>(count); }

  /// Where entries are counted, takes the count off the pools' slices. Returns
  /// its slice.
  mlir::Value takeCount(mlir::Value position);
  /// That slice with the count.
  mlir::Value putCount(mlir::Value counts);

  /// What the row of a segment that has one sees: with a window a threshold and
  /// last [1, 1], and the place that it takes later [1, 1] if that is to be
  /// found; where entries are counted `seen` [1].
  struct Sight {
    mlir::Value threshold, last, seen, place;
  };
  /// Stores that row, at `start` and with `position` rows before it. `sight`'s
  /// tensors are destinations and become results.
  void storeOne(mlir::Value start, mlir::Value position, Sight &sight);
  /// Entries of the sequence once that row is stored, `seen` being its number.
  mlir::Value entriesAfter(mlir::Value position, mlir::Value seen);
  /// That row's running softmax, of which `state` has the entries before, with
  /// entries [from, from + count): maximum, sum [1, H'] and y [1, H', P].
  llvm::SmallVector<mlir::Value>
  attendToBlock(mlir::Value start, mlir::Value from, mlir::Value count,
                mlir::Value entriesAfter, const Sight &sight,
                mlir::ValueRange state);
  /// With a window, once a block has attended: `threshold` and `last` [1] are
  /// its last row's, `first` the entries before its `count` rows.
  /// `place` [1] is that of a row alone, or null.
  void evict(mlir::Value threshold, mlir::Value last, mlir::Value place,
             mlir::Value first, mlir::Value count);
  /// With a window, entries before the row at `position`.
  mlir::Value kept(mlir::Value position);

  /// Appends all rows of a segment, where none of them or of those before has
  /// to go again.
  void appendAll(mlir::Value start, mlir::Value length, mlir::Value position);
  /// Rows that were appended by that: y is their output. `position` is that of
  /// the first.
  mlir::Value attendTo(mlir::OpFoldResult row, mlir::OpFoldResult count,
                       mlir::Value position, mlir::Value y);
  /// All rows of a segment in blocks, each seeing what the one before left:
  /// with a window or a count. y [T', H', P] is their output.
  mlir::Value inBlocks(mlir::Value start, mlir::Value length,
                       mlir::Value position, mlir::Value y);

private:
  /// Rows [row, row + count) of the step.
  struct Block {
    mlir::OpFoldResult row, count;
    int64_t staticCount;  ///< or dynamic
    mlir::Value position; ///< of the first row in its sequence
    int64_t most;         ///< at most so many rows; 0: no bound
  };
  mlir::Value queries(const Block &rows);
  void append(const Block &rows, mlir::OpFoldResult first);
  mlir::Value block(const Block &rows, mlir::Value y);
  mlir::Value windowBlock(const Block &rows, mlir::Value q, mlir::Value y);
  mlir::Value countedBlock(const Block &rows, mlir::Value q, mlir::Value y);
  void appendKept(const Block &rows, Sight &sight);
  void appendVisible(const Block &rows, Sight &sight);

  mlir::Value append(mlir::Value into, mlir::Value from, const Block &rows,
                     mlir::OpFoldResult first);
  void appendCodes(size_t pool, mlir::Value from, const Block &rows,
                   mlir::OpFoldResult first);
  mlir::Value appendMask(const Block &rows, mlir::OpFoldResult first);
  mlir::Value appendPosition(const Block &rows, mlir::OpFoldResult first);
  mlir::Value visibility(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::OpFoldResult firstHead);
  mlir::OpFoldResult headTimes(int64_t factor);
  mlir::OpFoldResult lastOf(const Block &rows);
  /// Scratch of the worker, [rows(, 1)].
  mlir::Value scratch(const Block &rows, mlir::Type type, bool column);
  mlir::cheems::MaskKindAttr kind();
  mlir::FloatAttr scale();
  mlir::FloatAttr hideBelow();
  mlir::UnitAttr roundsToBF16();
  /// Of int8 the scales of keys and values, else null.
  std::pair<mlir::Value, mlir::Value> scales() const;
  mlir::Value attend(mlir::Value q, mlir::Value first, const Sight &sight,
                     mlir::Value y);
};

} // namespace cheems

#endif
