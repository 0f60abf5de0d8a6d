// How work is cut on a card: all numbers that depend on hardware.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_STRATEGY_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_STRATEGY_H

#include "cheems/Conversion/CheemsToTile/FewRows.h"
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"

namespace cheems::tile {

/// What a card may use. One that lacks it has an older one.
struct Newest {
  Unit unit;
  OperandCopy copy;
};

/// The card that most people have of an architecture: an A100 or an H100.
/// \param multiprocessors of another card; 0: those of this one.
TargetAttr usualCard(MLIRContext *context, Architecture architecture,
                     Newest newest, int64_t multiprocessors = 0);

/// A block computes `rows` x `columns` of a product, `depth` of k at a time.
struct ProductStrategy {
  int64_t rows, columns, depth;
  int64_t stages; ///< of the ring of buffers
  int64_t warpsM, warpsN;
  Unit unit = Unit::Mma;
  /// What fills the ring: bulk copies of a warp of its own.
  OperandCopy copy = OperandCopy::Threads;
  bool hasSameTiles(const ProductStrategy &other) const {
    return rows == other.rows && columns == other.columns;
  }
};

/// Tiles of a product where a step has `from` rows or more.
struct WiderProduct {
  ProductStrategy tiles;
  int64_t from;
};

/// A block computes `columns` outputs of `rows` tokens; its warps share k.
/// Which warp takes which k depends on neither.
struct FewRowsStrategy {
  int64_t rows, columns;
  int64_t depth; ///< k that all warps take together at a time
  int64_t ahead; ///< how many times that is loaded before it is multiplied
  int64_t warps;
};

/// A block computes `rows` rows of each of `heads` query heads, which read one
/// head of keys, `entries` at a time. For segments of one row, `rows` query
/// heads and `entries` of the row's.
struct AttentionStrategy {
  int64_t rows, entries;
  int64_t stages;         ///< of the ring of buffers
  int64_t warpsM, warpsN; ///< over rows, and over entries and columns of values
  bool queryInRegisters;
  Unit unit = Unit::Mma;
  int64_t panel = 0; ///< columns of a buffer, of warpgroups
  int64_t heads = 1; ///< whose rows are parts of the block's tiles
  /// What fetches entries: of warpgroups bulk copies of a warp of its own.
  OperandCopy copy = OperandCopy::Threads;
  int64_t warps() const { return warpsM * warpsN; }
  int64_t tileRows() const { return heads * rows; }
};

/// A row is held by `threads` threads, `width` neighbours each; a block has
/// `rows` rows at a time.
struct RowStrategy {
  int64_t rows, threads, width;
  int64_t columns;   ///< of the tile, at least those of the row
  int64_t times = 1; ///< how many such rows a block has, where tiles have more
  int64_t warps() const { return rows * threads / kWarpThreads; }
  int64_t tileRows() const { return times * rows; }
};

/// A block merges at most so many pieces of a row, and loads `ahead` of them
/// before it adds the first one.
struct MergeStrategy {
  int64_t most, ahead, warps;
};

/// A block takes `rows` rows of a segment at a time.
struct VisibleStrategy {
  int64_t rows, warps;
};

/// How the kernels take their work that choose what a window keeps of a prompt.
struct WindowStrategy {
  int64_t threads;
  int64_t columns;      ///< of what stands before a block, at a time
  int64_t ranked;       ///< entries whose order a block finds
  int64_t leaving;      ///< candidates are compared with so many at a time
  int64_t chained;      ///< rows whose places are found at a time,
  int64_t chainThreads; ///< by a block of its own size
  int64_t warps() const { return threads / kWarpThreads; }
  int64_t chainWarps() const { return chainThreads / kWarpThreads; }
};

/// Rows of a prompt are chunks of `rows`. A block has `states` rows and
/// `columns` of a head's state, or `columns` of the outputs of a chunk, for
/// which it takes `depth` rows of the state at a time.
struct SSDStrategy {
  int64_t rows, states, columns, depth;
  int64_t warps;
};

/// The same on tensor cores. Chunks that follow each other are a span, whose
/// outputs a block computes one after the other.
struct SSDTilesStrategy {
  int64_t rows;    ///< of a chunk
  int64_t columns; ///< of a head's outputs that a block has
  int64_t stages;  ///< of its ring of buffers
  /// Of a head's state that a block takes through all chunks.
  int64_t pieceStates, pieceColumns, pieceStages;
  int64_t spans; ///< of a step, if these are not longer than
  int64_t most;  ///< so many chunks
  bool pairs;    ///< factors are sums of two numbers in bf16, made of f32
  /// Warps of an output's block have rows of the state of their own, and those
  /// of a piece halves of both.
  static constexpr int64_t warps = 4, half = 2;
};

/// A block has scores of `rows` with `columns` keys, on tensor cores.
struct KeyStrategy {
  int64_t rows, columns, warps;
};

/// A block has a row's experts of a head. Rows of a tile are copies of one row
/// but for `tables`: then warps need not wait for each other.
struct ExpertsStrategy {
  int64_t warps;
  RowStrategy scores; ///< that the block computes, a half per row
  RowStrategy keys;   ///< of which the best are found, copies of both halves
  RowStrategy pairs;  ///< of keys, of which the best are found
  RowStrategy tables; ///< rows of the experts, each of another one
  RowStrategy sums;   ///< of these rows
  int64_t heads;      ///< that a block has one after the other
  /// Steps over rows of `tables` whose copies are under way while those of one
  /// are added; 0: no copies, a step loads its rows.
  int64_t ahead;
  /// Of the copies: a step's own stage is free once it has been read.
  int64_t stages() const { return ahead + 1; }
};

class Strategy {
public:
  explicit Strategy(TargetAttr target) : target(target) {}

  /// Products of many rows on tensor cores, with as many weights of n rows, by
  /// the target's unit.
  /// \param aligned bytes that divide a row of k: bulk copies need all those
  ///   that an access may have.
  ProductStrategy manyRows(int64_t n, size_t weights, int64_t aligned) const;
  ProductStrategy product(int64_t n, size_t weights) const;
  /// Wider tiles for steps of very many rows. Each sum is the same in both.
  /// \param outputs how many rows the weights of each chain have whose blocks
  ///   are in one launch; they have the same tiles.
  /// \param readsTile whether a tile is read that is added to the sums, beside
  ///   the one that is written to.
  std::optional<WiderProduct> wider(ArrayRef<int64_t> outputs, size_t weights,
                                    int64_t aligned, bool readsTile) const;
  /// The same in f32, without tensor cores.
  ProductStrategy productF32() const;
  /// Products of at most `rows` rows, which is at most kFewRows.
  FewRowsStrategy fewRows(int64_t rows, int64_t k) const;
  /// The same of codes of 8 or 4 bits. `depth` is k, and codes of 4 bits are
  /// half as many bytes.
  ProductStrategy coded(int64_t n, size_t weights, int64_t bits) const;
  /// \param makesRow whether a block makes the only row itself.
  FewRowsStrategy codedFewRows(int64_t rows, int64_t k, int64_t bits,
                               bool makesRow = false) const;
  /// Work on whole rows of `columns` numbers.
  RowStrategy wholeRows(int64_t columns) const;
  /// The same, a piece after the other if rows are long.
  RowStrategy piecesOfRows(int64_t columns) const;
  /// Copies of a row at a time: a block per row and piece of it.
  RowStrategy oneRow(int64_t columns) const;
  /// Numbers of a segment's rows, of which a block takes `columns`.
  RowStrategy numbers(bool oneRow) const;
  /// Rows that become entries, `columns` numbers of each at a time.
  /// \param codes each row has a scale, for which all of it is there at once.
  RowStrategy entries(int64_t columns, bool oneRow, bool codes) const;
  /// The same of rows that have places of their own, one after the other.
  RowStrategy placedRows(int64_t columns, bool oneRow) const;
  /// Which rows are seen.
  VisibleStrategy visible(bool oneRow) const;
  /// A window of entries, of whose masks a block has a piece in registers.
  RowStrategy window(int64_t keep) const;
  /// The same of prompts, whose blocks of rows find what they see apart.
  WindowStrategy windowOfPrompt() const {
    return {128, 1024, 16, 16, 1024, 256};
  }
  /// Entries that a block looks through for new ones.
  int64_t movedEntries() const { return 16; }
  /// Attention with heads of `size` numbers, on tensor cores, by the target's
  /// unit if it has a form for such heads.
  /// \param sharing query heads that may have a block together.
  AttentionStrategy attention(int64_t size, int64_t sharing,
                              bool ofKept = false) const;
  /// The same in f32, without tensor cores.
  AttentionStrategy attentionF32(int64_t size, bool oneRow) const;
  /// On tensor cores with segments of one row.
  AttentionStrategy attentionOfOneRow(int64_t size) const;
  /// Pieces of a row of `columns` outputs, by each block of a product of one
  /// row; none where that would take longer than a launch.
  std::optional<MergeStrategy> mergedPieces(int64_t columns) const;
  /// The state of a head with one row to come: `rows` of it in halves, and
  /// `columns`.
  RowStrategy ssdOfOneRow(int64_t rows, int64_t columns) const;
  /// Prompts, on tensor cores; none in f32, where the op allows neither bf16
  /// nor pairs, or a head's state has no room in the registers of a block. A
  /// row alone is never rounded.
  static std::optional<SSDTilesStrategy> ssdTiles(SegmentedSSDOp op);
  /// Whether their kernels take x, b and c in bf16, as nothing else says.
  static bool takesRounded(SegmentedSSDOp op);
  /// The same in f32, without tensor cores.
  SSDStrategy ssdF32(int64_t states, int64_t size) const;
  /// A state that goes from chunk to chunk.
  RowStrategy ssdCarried(int64_t states, int64_t size) const;
  /// Pieces of rows of `columns` logits.
  RowStrategy logits(int64_t columns) const;
  /// Scores of rows, at most as many if they are few, with so many keys.
  RowStrategy keyScores(int64_t keys, std::optional<int64_t> fewRows) const;
  /// The same on tensor cores; none where they do not have the keys' shape or
  /// type.
  static std::optional<KeyStrategy> keyTiles(RankedTensorType keys);
  /// Whether a block of few rows' experts has the scores, too, of product keys
  /// [2, H, d, K].
  bool takesKeys(RankedTensorType keys) const;
  /// As many experts per head, with keys per half, and pairs of keys; rows of
  /// the tables have `columns` numbers of a type.
  ExpertsStrategy experts(int64_t heads, int64_t keys, int64_t pairs,
                          int64_t experts, int64_t columns, Type element,
                          bool fewRows) const;
  /// Work on elements alone, of rows with `columns` numbers.
  RowStrategy elements(int64_t columns) const;

private:
  ProductStrategy productOfWarpgroups(int64_t width, size_t weights,
                                      int64_t aligned) const;
  AttentionStrategy attentionOfHead(int64_t size, bool ofKept) const;
  /// ExpertsStrategy::ahead
  int64_t rowsAhead(const RowStrategy &tables, int64_t experts, int64_t columns,
                    Type element, bool isAlone) const;

  TargetAttr target;
};

/// The most rows that the op's function works on, if these are few.
std::optional<int64_t> fewRowsOf(Operation *op);

/// Whether the op's function works on few rows: then weights are what is read.
inline bool hasFewRows(Operation *op) { return fewRowsOf(op).has_value(); }

/// Bytes that an access of `element`s may have, for rows of `columns`: 16 or
/// the greatest power of two that divides a row.
int64_t alignmentOf(int64_t columns, Type element);

} // namespace cheems::tile

#endif
