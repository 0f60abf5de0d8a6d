// Kernels of attention, under a dynamic mask if it has one.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_ATTENTION_ATTENTIONKERNELS_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_ATTENTION_ATTENTIONKERNELS_H

#include "Builder/HeadRows.h"
#include "Builder/SegmentRow.h"
#include "MaskMatmul.h"
#include "Strategy/Strategy.h"
#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"

namespace cheems::tile {

/// What of a `segmented_attention` is known at compile time.
struct AttentionShape {
  int64_t queryHeads, keyHeads, stateHeads, maskHeads, size;
  double scale;
  MaskKind kind;
  double hideBelow; ///< of kind threshold
  int64_t keep;     ///< entries of a window; 0: all
  int64_t window;   ///< rows that a row sees at most; 0: all
  int64_t block;    ///< rows that a window takes at a time
  bool counts;      ///< rows that no head sees are not stored
  /// Heads of A that see rows; empty: masks say, or all see them.
  SmallVector<bool> visible;
  Type stored; ///< element type of the pools
  bool oneRow;

  explicit AttentionShape(SegmentedAttentionOp op);
  int64_t half() const { return size / 2; }
  int64_t queriesPerState() const { return queryHeads / stateHeads; }
  int64_t queriesPerMask() const { return queryHeads / maskHeads; }
  int64_t masksPerState() const { return maskHeads / stateHeads; }
  /// How many neighbouring query heads may share what a block fetches: they see
  /// the same entries.
  /// \param ofKept entries that lists choose.
  int64_t headsThatShare(bool ofKept = false) const;
  /// State heads that store entries: some head of A sees them.
  SmallVector<int64_t> liveStateHeads() const;
  /// Whether pools have masks.
  bool storesMasks() const { return kind != MaskKind::None; }
  /// Whether each row has mask values of its own.
  bool computesMasks() const { return storesMasks() && visible.empty(); }
  /// Whether masks say what is seen of the entries of a state head.
  bool readsMasks() const;
  bool isQuantized() const { return stored.isInteger(8); }
  /// Whether matmuls with entries are those of f32.
  bool isExact() const { return stored.isF32() || isQuantized(); }
  bool maySeeNothing() const { return kind == MaskKind::Threshold; }
  /// Bytes of accesses to rows of queries, and of stored entries.
  int64_t alignedQuery(TileBuilder &t) const {
    return alignmentOf(size, t.b.getF32Type());
  }
  int64_t alignedEntry() const { return alignmentOf(size, stored); }
};

/// What the rows of a step may see where a window drops entries, and the rows
/// themselves. Lists have a number per block of rows (numbered as `SSDChunk`
/// says), state head and candidate: [B, G', W + block]. Candidates are the
/// entries that are kept before the block, then its rows. Entries that all rows
/// of any such block see come first, then the `block` worst ones. Each of the
/// three parts is in the order of positions.
struct Candidates {
  Value numbers; ///< i32: of an entry, or W and that of a row of the step
  Value untils;  ///< i32: the row of the block that does not see it any more
  Value masks;   ///< f32
  Value keyScales, valueScales; ///< f32, if entries are quantized
  /// The step's rows have the form of stored entries: [1, 1, G', T, P] and [1,
  /// 1, G', T].
  Value rowKeys, rowValues, rowKeyScales, rowValueScales;

  static ArrayRef<Value Candidates::*> members();
};

/// What the kernels hand to each other that choose the kept entries of a
/// prompt. Goodness is the order of masks as FloatOrder.h has it.
struct KeptChoice {
  // These rank entries from before the step, in the order of positions.
  Value entryGoodness, entryNumbers; ///< [S, G', W] i32
  Value rowGoodness;                 ///< [G', T] i32
  /// [G', T] i32: what leaves when a row comes, numbered as in lists; a row
  /// that finds room has the number of its entry.
  Value replaced;
  Value indices; ///< [G', T] i32: the entry that a row becomes, or -1

  static ArrayRef<Value KeptChoice::*> members();
};

/// The memory of the step's rows, and where a layer's entries are: keys and
/// values [slots, layers, G', C, P], masks [slots, layers, M, C] or null.
struct AttentionMemory {
  Value segments, layer, keys, values, masks;
  Value keyScales,
      valueScales; ///< [slots, layers, G', C], if entries are quantized
  /// [T, G'] i32, null where entry e is row e: the entry that a row becomes, or
  /// -1, and how many entries it sees.
  Value indices, seen;
  Value positions;       ///< [slots, layers, G', C] i32, if there is a window
  Candidates candidates; ///< null where entries stay
  /// Tensor maps of the pools for bulk copies, or null: rows of entries, and
  /// all masks as one row.
  Value keyMap, valueMap, maskMap;

  /// Whether candidates are numbered through lists.
  bool hasLists() const { return bool(candidates.numbers); }
};

/// The entries of one sequence and head, as a block sees them.
struct Entries {
  AttentionMemory memory;
  Value slot, stateHead;
  Value count;         ///< of entries that the block may read
  bool isRing = false; ///< row r is entry r mod C

  /// Says where the entries from `first` on are, which are in one piece, and
  /// where those end that may be read.
  struct Piece {
    Value first, past;
  };
  Piece piece(TileBuilder &t, Value first) const {
    if (!isRing) {
      return {first, count};
    }
    Value place = inRing(t, first);
    // After all of them there is nothing to read, wherever that is.
    Value left = t.sub(t.maximum(count, first), first);
    return {place, t.add(place, left)};
  }
  Value inRing(TileBuilder &t, Value row) const {
    return isRing ? arith::RemUIOp::create(t.b, row, t.extent(memory.keys, 3))
                        .getResult()
                  : row;
  }

  Place keys(TileBuilder &t, Value first, Value column, int64_t size) const {
    Piece at = piece(t, first);
    return {{slot, memory.layer, stateHead, at.first, column},
            {3, 4},
            {at.past, t.index(size)}};
  }
  /// Values of them across, from the first column on.
  Place valuesAcross(TileBuilder &t, Value first, int64_t size) const {
    Piece at = piece(t, first);
    return {{slot, memory.layer, stateHead, at.first, t.index(0)},
            {4, 3},
            {t.index(size), at.past}};
  }
  /// A number per entry, as a row: of scales.
  Place numbers(TileBuilder &t, Value first) const {
    Piece at = piece(t, first);
    return {{slot, memory.layer, stateHead, at.first}, {3}, {at.past}};
  }
  /// Rows of keys or values that numbers of candidates choose, from a column
  /// on.
  TileBuilder::RowSources chosen(TileBuilder &t, const AttentionShape &shape,
                                 Value pool, Value rowsOfStep, Value column,
                                 int64_t limit) const {
    Value zero = t.index(0);
    return {pool,
            keys(t, zero, column, limit),
            rowsOfStep,
            {zero, zero, stateHead, zero, column},
            shape.keep};
  }
  /// The first entry of a head among all of a pool of [slots, layers, heads,
  /// capacity].
  Value firstIn(TileBuilder &t, Value pool, Value head) const {
    Value found = t.add(t.mul(slot, t.extent(pool, 1)), memory.layer);
    found = t.add(t.mul(found, t.extent(pool, 2)), head);
    return t.mul(found, t.extent(pool, 3));
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
  HeadPlace place; ///< of the first head, if there are several
  std::optional<int64_t> rowsOfPart; ///< those of a head; none: there is one
  Value exist;                       ///< whether the block has rows
  Value stateHead;
  Value firstOfState; ///< the first row among those of the state head, if heads
  Value lastOfFirst;  ///< the last entry that the first row sees
  Value count;        ///< of entries that the block may read
  Value seen;         ///< memory, if rows do not see one entry more each
  Value ownPlace;     ///< of one row: the entry that it becomes, or -1
  bool seesWindow = false; ///< of rows, so that entries are a ring
  // These hold candidates; null where entries stay.
  Value list;         ///< the number of the block in lists
  Value firstOfBlock; ///< the first row among those of the block
  Value staying;      ///< candidates that all rows of the block see come first

  /// Grid: blocks of rows, query heads, segments.
  /// \param heads that a block has.
  static QueryRows ofHead(TileBuilder &t, const AttentionShape &shape,
                          const AttentionMemory &memory, int64_t rows,
                          int64_t heads = 1);
  /// Grid: any, state heads times blocks of query heads, segments.
  static QueryRows ofOneRow(TileBuilder &t, const AttentionShape &shape,
                            const AttentionMemory &memory, int64_t rows);

  /// Columns of all rows, whose heads are parts, up to a limit.
  Place at(TileBuilder &t, int64_t column, int64_t limit) const {
    Place found = place.at(t, column, limit);
    if (rowsOfPart) {
      found.parts = rowsOfPart;
      found.along = 1;
    }
    return found;
  }
  /// Numbers from one on that rows count upwards from, those of each part.
  Value numbersFrom(TileBuilder &t, Value first, RankedTensorType perRow) const;
  /// Numbers of candidates in a list, as a row.
  Place listed(TileBuilder &t, Value first) const {
    return {{list, stateHead, first}, {1, 2}, {t.add(stateHead, 1), count}};
  }
  /// The first entry that the first row sees; null without a window of rows.
  Value firstSeen(TileBuilder &t, const AttentionShape &shape) const;
  /// The first of blocks of so many entries that a row sees; null if that is
  /// the first of all.
  Value firstBlock(TileBuilder &t, const AttentionShape &shape,
                   int64_t entries) const;
  /// Candidates from one on, which may be past all of them.
  Value countFrom(TileBuilder &t, Value first) const {
    return t.select(t.isLess(first, count), t.sub(count, first), t.index(0));
  }
  /// Reads what `seen` says of up to so many rows, which exist.
  void loadSeen(TileBuilder &t, int64_t rows);
  /// The last entry that each row sees, as a slice of i32.
  Value lastSeen(TileBuilder &t, RankedTensorType perRow) const;
  Entries entries(const AttentionMemory &memory) const {
    return {memory, segment.slot, stateHead, count, seesWindow};
  }
};

/// The block of `shape.block` rows that a row of a segment is in.
struct WindowBlock {
  Value first;            ///< row of the segment
  Value count;            ///< of its rows
  Value base;             ///< the position of the first one
  Value kept;             ///< entries before it,
  Value staying, leaving; ///< those that its rows cannot drive out, and others
  Value list;             ///< its number in lists

  static WindowBlock of(TileBuilder &t, const AttentionShape &shape,
                        const SegmentRow &segment, Value segmentNumber,
                        Value blockNumber, Value rowsOfStep);
};

/// Mask values as `maskedScores` takes them: in base 2 where they are added to
/// scores.
Value maskNumbers(TileBuilder &t, const AttentionShape &shape, Value masks);

/// The mask values of the rows' heads of A, from an entry on, as a tile of the
/// scores' layout, by `maskNumbers`. Null where they say nothing.
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
  Value scores;   ///< in base 2, with what the mask adds to them
  Value factor;   ///< what weights are multiplied by; null: nothing
  int64_t window; ///< of rows; 0: none

  /// \param masks by `maskNumbers`; null where entries are all seen.
  MaskedScores(TileBuilder &t, const AttentionShape &shape, Value products,
               Value masks);
  /// Hides columns that are past the last one of their row, or before its
  /// window.
  void hideUnseen(TileBuilder &t, Value firstColumn, const QueryRows &rows);
  /// Hides columns from rows of the block that do not see them any more.
  /// \param untils a number per column.
  void hideGone(TileBuilder &t, Value untils, const QueryRows &rows);
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
void buildStoreEntries(TileBuilder &t, RowTileAttr s,
                       const AttentionShape &shape,
                       const AttentionMemory &memory, const NewEntries &added);
/// The same where rows have indices: a block has `s.getTimes()` rows, one after
/// the other.
void buildStorePlaced(TileBuilder &t, RowTileAttr s,
                      const AttentionShape &shape,
                      const AttentionMemory &memory, const NewEntries &added);
/// The same of one row that has an index, in a kernel with other work. All
/// threads see it afterwards.
void storeOneEntry(TileBuilder &t, RowTileAttr s, const AttentionShape &shape,
                   const QueryRows &rows, const AttentionMemory &memory,
                   const NewEntries &added);

/// Stores the step's rows as candidates. Grid: blocks of rows, state heads,
/// segments.
void buildStoreRows(TileBuilder &t, RowTileAttr s, const AttentionShape &shape,
                    const AttentionMemory &memory, const NewEntries &added);

/// Finds the entry that each segment's one row becomes, by masks and positions
/// of those that are kept: sets indices and seen. Grid: state heads, segments.
/// \param values as in `buildPlaceVisible`.
void buildPlaceKept(TileBuilder &t, RowTileAttr s, const AttentionShape &shape,
                    const AttentionMemory &memory, const MaskSource &mask,
                    Value values);
/// Ranks rows of a prompt by their masks, and sorts the entries of before by
/// positions. Grid: pieces of both, state heads, segments.
/// \param mask [T, M].
void buildOrderKept(TileBuilder &t, WindowTileAttr s,
                    const AttentionShape &shape, const AttentionMemory &memory,
                    const KeptChoice &choice, Value mask);
/// Finds what each row of a prompt sees: sets lists, and what each row
/// replaces. Grid: blocks of rows, state heads, segments.
void buildKeepEntries(TileBuilder &t, WindowTileAttr s,
                      const AttentionShape &shape,
                      const AttentionMemory &memory, const KeptChoice &choice,
                      Value mask);
/// Finds which rows are entries in the end, and stores all of them but keys and
/// values. Grid: state heads, segments.
void buildPlaceRows(TileBuilder &t, WindowTileAttr s,
                    const AttentionShape &shape, const AttentionMemory &memory,
                    const KeptChoice &choice, Value mask);
/// Stores keys and values of rows that became entries. Grid: pieces of so many
/// entries, state heads, segments.
void buildMoveKept(TileBuilder &t, int64_t entries, const AttentionShape &shape,
                   const AttentionMemory &memory);

/// Finds the rows that some head sees: sets indices, seen, and the pool
/// `counts` [slots, layers, G']. Grid: state heads, segments.
/// \param values [T, M], which the mask values are stored to if a matmul makes
///   them.
/// \param rows that are taken at a time.
void buildPlaceVisible(TileBuilder &t, const AttentionShape &shape,
                       const AttentionMemory &memory, const MaskSource &mask,
                       Value values, Value counts, int64_t rows, int64_t warps);

/// Attention of blocks of rows on tensor cores. Grid: blocks of rows, groups of
/// query heads, segments.
/// \param query, y [T, H, P].
void buildAttention(TileBuilder &t, AttentionTileAttr s,
                    const AttentionShape &shape, const AttentionMemory &memory,
                    Value query, Value y);

/// The same by warpgroups.
void buildAttentionOfWarpgroups(TileBuilder &t, AttentionTileAttr s,
                                const AttentionShape &shape,
                                const AttentionMemory &memory, Value query,
                                Value y);

/// The same where lists choose the entries.
void buildAttentionOfKeptByWarpgroups(TileBuilder &t, AttentionTileAttr s,
                                      const AttentionShape &shape,
                                      const AttentionMemory &memory,
                                      Value query, Value y);

/// What attention of segments of one row does first, in the block that has the
/// row's own entry.
struct FirstStores {
  const NewEntries *added; ///< null: another kernel has stored it
  RowTileAttr strategy;
};

/// Attention in f32, by fused multiply-adds, with entries in f32 or int8.
/// Grid: as that of `QueryRows::ofOneRow` for segments of one row, else of
/// `ofHead`.
void buildAttentionF32(TileBuilder &t, AttentionTileAttr s,
                       const AttentionShape &shape,
                       const AttentionMemory &memory, const HeadRows &query,
                       const FirstStores &stores, Value y);

struct PartialAttention;
/// Builds attention of segments of one row, on tensor cores. A block attends to
/// one split of the entries of its segment. Grid: splits, state heads times
/// blocks of query heads, segments.
void buildAttentionOfOneRow(TileBuilder &t, AttentionTileAttr s,
                            const AttentionShape &shape,
                            const AttentionMemory &memory,
                            const HeadRows &query, const FirstStores &stores,
                            const PartialAttention &partial);
/// What weighted sums are divided by; a row that sees nothing gives zero.
Value divisorOf(TileBuilder &t, const AttentionShape &shape, Value sums);

/// Whether a head of A sees rows; null if all do.
Value seesRows(TileBuilder &t, const AttentionShape &shape, Value maskHead);
/// Whether the entries of a state head are seen by any; null if all are.
Value isSeen(TileBuilder &t, const AttentionShape &shape, Value stateHead);

/// Outputs, rounded if the memory of `y` has them so.
/// \param aligned of memory in f32.
void storeOutput(TileBuilder &t, Value tile, Value y, const Place &place,
                 int64_t aligned);

} // namespace cheems::tile

#endif
