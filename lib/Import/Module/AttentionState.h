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
  /// with a window priorities [1, C].
  llvm::SmallVector<mlir::Value> entries;
  /// How many entries are stored, where that is counted.
  mlir::Value count;

  bool counted() const { return static_cast<bool>(count); }

  /// The row of a segment that has one, at `start` and with `position` rows
  /// before it. y [1, H', P] is its output.
  mlir::Value one(mlir::Value start, mlir::Value position, mlir::Value y);
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

  mlir::Value append(mlir::Value into, mlir::Value from, const Block &rows,
                     mlir::OpFoldResult first);
  mlir::Value appendMask(const Block &rows, mlir::OpFoldResult first);
  mlir::Value appendPriority(const Block &rows, mlir::OpFoldResult first);
  mlir::Value visibility(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::OpFoldResult firstHead);
  mlir::OpFoldResult headTimes(int64_t factor);
  mlir::OpFoldResult lastOf(const Block &rows);
  /// Scratch of the worker, [rows(, 1)].
  mlir::Value scratch(const Block &rows, mlir::Type type, bool column);
  mlir::Value attend(mlir::Value q, mlir::Value first, mlir::Value seen,
                     mlir::ValueRange kept, mlir::Value y);
};

} // namespace cheems

#endif
