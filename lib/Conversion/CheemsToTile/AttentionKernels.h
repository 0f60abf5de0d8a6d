// Kernels of attention under a dynamic mask.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_ATTENTIONKERNELS_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_ATTENTIONKERNELS_H

#include "HeadRows.h"
#include "MaskProduct.h"
#include "SegmentRow.h"
#include "Strategy.h"
#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"

namespace cheems::tile {

/// What of a `segmented_attention` is known at compile time.
struct AttentionShape {
  int64_t queryHeads, keyHeads, stateHeads, maskHeads, size;
  double scale;
  MaskKind kind;
  Type stored; ///< element type of the pools
  bool oneRow;

  explicit AttentionShape(SegmentedAttentionOp op);
  int64_t half() const { return size / 2; }
  int64_t queriesPerState() const { return queryHeads / stateHeads; }
  int64_t queriesPerMask() const { return queryHeads / maskHeads; }
  int64_t masksPerState() const { return maskHeads / stateHeads; }
  /// Bytes of accesses to rows of queries, and of stored entries.
  int64_t alignedQuery(TileBuilder &t) const {
    return alignmentOf(size, t.b.getF32Type());
  }
  int64_t alignedEntry() const { return alignmentOf(size, stored); }
};

/// The memory of the step's rows, and where a layer's entries are: keys and
/// values [slots, layers, G', C, P], masks [slots, layers, M, C].
struct AttentionMemory {
  Value segments, layer, keys, values, masks;
};

/// The entries of one sequence and head, as a block sees them.
struct Entries {
  AttentionMemory memory;
  Value slot, stateHead;
  Value count; ///< of entries that the block may read

  Place keys(TileBuilder &t, Value first, Value column, int64_t size) const {
    return {{slot, memory.layer, stateHead, first, column},
            {3, 4},
            {count, t.index(size)}};
  }
  /// The mask values of one head of A, as a row.
  Place mask(Value maskHead, Value first) const {
    return {{slot, memory.layer, maskHead, first}, {3}, {count}};
  }
};

/// The rows of queries and outputs that a block has: rows of one head, or with
/// segments of one row, heads that share entries.
struct QueryRows {
  SegmentRow segment;
  HeadPlace place;
  Value exist; ///< whether the block has rows
  Value stateHead;
  Value firstOfState; ///< the first row among those of the state head, if heads
  Value lastOfFirst;  ///< the last entry that the first row sees
  Value count;        ///< of entries that the block may read

  /// Grid: blocks of rows, query heads, segments.
  static QueryRows ofHead(TileBuilder &t, const AttentionShape &shape,
                          Value segments, int64_t rows);
  /// Grid: any, state heads times blocks of query heads, segments.
  static QueryRows ofOneRow(TileBuilder &t, const AttentionShape &shape,
                            Value segments, int64_t rows);

  Entries entries(const AttentionMemory &memory) const {
    return {memory, segment.slot, stateHead, count};
  }
};

/// Mask values as `maskedScores` takes them: in base 2 where they are added to
/// scores.
Value maskNumbers(TileBuilder &t, const AttentionShape &shape, Value masks);

/// The mask values of the rows' heads of A, from an entry on, as a tile of the
/// scores' layout, by `maskNumbers`.
Value masksOf(TileBuilder &t, const AttentionShape &shape,
              const QueryRows &rows, const Entries &entries, Value first,
              RankedTensorType scores);

/// Softmax in base 2 of rows whose columns come one block after the other.
/// `best` is an upper bound of the scores that is a whole number: so a change
/// of it multiplies by a power of two, which is exact, and weights are rounded
/// as their exponentials would be.
struct RunningSoftmax {
  Value best, sum; ///< slices, a number per row

  /// No column yet.
  static RunningSoftmax none(TileBuilder &t, RankedTensorType scores);
  struct Step {
    Value weights; ///< of this block's columns
    Value shrink;  ///< what sums over the columns before are multiplied by
  };
  /// Takes a block of scores.
  Step take(TileBuilder &t, Value scores);
};

/// A number below each score that is computed, and far above -infinity: its
/// difference to itself is zero.
constexpr double kNoScore = -1e30;

/// A block of scores and its masks, both tiles of the scores' layout.
struct MaskedScores {
  Value scores; ///< in base 2, with what the mask adds to them
  Value factor; ///< what weights are multiplied by; null: nothing

  /// \param masks by `maskNumbers`.
  MaskedScores(TileBuilder &t, const AttentionShape &shape, Value products,
               Value masks);
  /// Hides columns that are past the row's last one.
  /// \param lastOfFirst the last column that row 0 sees; each further row sees
  ///   one more, or with `samePerRow` the same.
  void hideLater(TileBuilder &t, Value firstColumn, Value lastOfFirst,
                 bool samePerRow);
  /// What values are multiplied by; sums of weights are without the factor.
  Value weighed(TileBuilder &t, Value weights) const;
};

/// What the step's rows add to the entries.
struct NewEntries {
  HeadRows key, value; ///< [T, G, P]
  MaskSource mask;
};

/// Stores keys, values and masks of the step's rows. Grid: blocks of rows,
/// state heads, segments.
void buildStoreEntries(TileBuilder &t, const RowStrategy &s,
                       const AttentionShape &shape,
                       const AttentionMemory &memory, const NewEntries &added);
/// The same of one row, in a kernel with other work: `last` is the row's own
/// entry. All threads see it afterwards.
void storeOneEntry(TileBuilder &t, const RowStrategy &s,
                   const AttentionShape &shape, const QueryRows &rows,
                   const AttentionMemory &memory, const NewEntries &added);

/// Attention of blocks of rows on tensor cores. Grid: blocks of rows, query
/// heads, segments.
/// \param query, y [T, H, P].
void buildAttention(TileBuilder &t, const AttentionStrategy &s,
                    const AttentionShape &shape, const AttentionMemory &memory,
                    Value query, Value y);

/// What attention of segments of one row does first, in the block that has the
/// row's own entry.
struct FirstStores {
  const NewEntries *added; ///< null: another kernel has stored it
  RowStrategy strategy;
};

/// Attention in f32, by fused multiply-adds. Grid: as that of
/// `QueryRows::ofOneRow` for segments of one row, else of `ofHead`.
void buildAttentionF32(TileBuilder &t, const AttentionStrategy &s,
                       const AttentionShape &shape,
                       const AttentionMemory &memory, const HeadRows &query,
                       const FirstStores &stores, Value y);

/// What pieces of one row's entries give, before they are merged.
struct PartialAttention {
  Value best, sums; ///< [S, H, pieces] f32: those of RunningSoftmax
  Value outputs;    ///< [S, H, pieces, P] f32, not divided yet
};
/// Attention of segments of one row over a piece of their entries each, on
/// tensor cores. Grid: pieces, state heads times blocks of query heads,
/// segments.
void buildAttentionOfOneRow(TileBuilder &t, const AttentionStrategy &s,
                            const AttentionShape &shape,
                            const AttentionMemory &memory,
                            const HeadRows &query, const FirstStores &stores,
                            const PartialAttention &partial);
/// Merges the pieces of each row. Grid: query heads, segments.
void buildMergePieces(TileBuilder &t, const RowStrategy &s,
                      const AttentionShape &shape, int64_t entriesPerPiece,
                      Value segments, const PartialAttention &partial, Value y);

/// Outputs, rounded if the memory of `y` has them so.
/// \param aligned of memory in f32.
void storeOutput(TileBuilder &t, Value tile, Value y, const Place &place,
                 int64_t aligned);

} // namespace cheems::tile

#endif
