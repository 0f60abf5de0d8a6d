// Merging what splits of one row's entries give: by a kernel, or by the blocks
// of the matmul after attention. Both give the same bits.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_ATTENTION_PIECEMERGING_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_ATTENTION_PIECEMERGING_H

#include "AttentionKernels.h"

namespace cheems::tile {

/// What splits of one row's entries give, before they are merged: with a window
/// of rows from the split on in which it begins.
struct PartialAttention {
  Value best, sums; ///< [S, splits, H] f32: those of RunningSoftmax
  Value outputs;    ///< [S, splits, H, P] f32, not divided yet
};

/// Merges the splits of each row. Grid: query heads, segments.
void buildMergeSplits(TileBuilder &t, RowTileAttr s,
                      const AttentionShape &shape, int64_t entriesPerSplit,
                      const AttentionMemory &memory,
                      const PartialAttention &partial, Value y);

/// The splits of a step's only row, which a matmul merges.
struct SplitsOfRow {
  Value segments;   ///< [S, 8] i32
  Value best, sums; ///< as those of PartialAttention
  Value outputs;    ///< [S, splits, H * P] f32
  int64_t entries;  ///< of a split
  int64_t heads, size;
  Value isMerged; ///< whether the matmul merges them, i1

  /// What a kernel reads of them.
  SmallVector<Value> operands() const {
    return {segments, best, sums, outputs};
  }
};

/// Merges the splits in a block of a matmul.
class RowMerger {
public:
  /// Allocates shared memory.
  /// \param row how the block has the row.
  RowMerger(TileBuilder &t, MergeTileAttr s, RowTileAttr row,
            const SplitsOfRow &pieces);
  /// Returns the merged row, with zeros after its numbers.
  /// \param memory the kernel's memory of `operands`.
  Value merge(TileBuilder &t, ValueRange memory) const;

private:
  enum Stage { kShares, kSums, kDivisors, kStages };

  MergeTileAttr s;
  const SplitsOfRow &pieces;
  RankedTensorType rowType;
  int64_t columns; ///< of the buffer: a head each
  Value buffer;

  RankedTensorType numbersType(TileBuilder &t, int64_t rows) const;
  void weigh(TileBuilder &t, ValueRange memory, Value count) const;
  Value pick(TileBuilder &t, Stage stage, Value piece, Value heads) const;
};

} // namespace cheems::tile

#endif
