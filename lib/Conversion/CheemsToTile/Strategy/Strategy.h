// How work is shared out among blocks of a GPU: every number that depends on
// hardware, from the target and shapes. cheems-select-gpu-strategy asks; what
// makes kernels reads the attributes.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_STRATEGY_STRATEGY_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_STRATEGY_STRATEGY_H

#include "cheems/Conversion/CheemsToTile/FewRows.h"
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"

namespace cheems::tile {

// Limits of kernels, which registers and shared memory set.
/// The greatest head of attention.
constexpr int64_t kMostHeadSize = 256;
/// The longest row that a block of a matmul quantizes itself.
constexpr int64_t kMostRounded = 8192;
/// These bound the retrieval of experts: keys per half, those that are paired,
/// experts of a head, and numbers of a row.
constexpr int64_t kMostKeys = 8192, kMostKept = 128, kMostExperts = 16384,
                  kMostTableColumns = 16384;
/// The second launch of top logits ranks at most so many of the best numbers in
/// a row: 128 numbers per thread.
constexpr int64_t kMostCandidates = 16384;

/// The newest unit and the newest kind of copy that a GPU may use. A GPU that
/// lacks one uses an older one.
struct Newest {
  Unit unit;
  OperandCopy copy;
};

/// The GPU that most people have of an architecture: an A100 or an H100.
/// \param multiprocessors of another GPU; 0: those of this one.
TargetAttr usualGPU(MLIRContext *context, Architecture architecture,
                    Newest newest, int64_t multiprocessors = 0);

/// Tiles of a matmul where a step has `from` rows or more.
struct WiderMatmul {
  MatmulTileAttr tiles;
  int64_t from;
};

class Strategy {
public:
  explicit Strategy(TargetAttr target)
      : target(target), context(target.getContext()) {}

  /// Matmuls of many rows on tensor cores, with as many weights of n rows, by
  /// the target's unit.
  /// \param aligned bytes that divide a row of k: bulk copies need all those
  ///   that an access may have.
  MatmulTileAttr manyRows(int64_t n, size_t weights, int64_t aligned) const;
  /// Wider tiles for steps of very many rows. Each sum is the same in both.
  /// \param outputs how many rows the weights of each chain have whose blocks
  ///   are in one launch; they have the same tiles.
  /// \param readsTile whether a tile is read that is added to the sums, beside
  ///   the one that is written to.
  std::optional<WiderMatmul> wider(ArrayRef<int64_t> outputs, size_t weights,
                                   int64_t aligned, bool readsTile) const;
  /// The same in f32, without tensor cores.
  MatmulTileAttr matmulF32() const;
  /// Matmuls of at most `rows` rows, which is at most kFewRows.
  FewRowsTileAttr fewRows(int64_t rows, int64_t k) const;
  /// The same of 8- or 4-bit integers. `depth` is k, and 4-bit integers are
  /// half as many bytes.
  MatmulTileAttr coded(int64_t n, size_t weights, int64_t bits) const;
  /// \param makesRow whether a block makes the only row itself.
  FewRowsTileAttr quantizedFewRows(int64_t rows, int64_t k, int64_t bits,
                                   bool makesRow = false) const;
  /// How a block holds a row that it makes, of which it multiplies as `making`
  /// says: as a launch of a norm does, so that its sum is the same one, with
  /// zeros as far as matmuls read.
  RowTileAttr madeRow(int64_t columns, FewRowsTileAttr making) const;
  /// Work on whole rows of `columns` numbers.
  RowTileAttr wholeRows(int64_t columns) const;
  /// The same, a piece after the other if rows are long.
  RowTileAttr piecesOfRows(int64_t columns) const;
  /// Copies of a row at a time: a block per row and piece of it.
  RowTileAttr oneRow(int64_t columns) const;
  /// Numbers of a segment's rows, of which a block takes `columns`.
  RowTileAttr numbers(bool oneRow) const;
  /// Splits of a row of `columns` outputs, by each block of a matmul of one
  /// row; null where that would take longer than a launch.
  MergeTileAttr mergedSplits(int64_t columns) const;
  /// Pieces of rows of `columns` logits, and the best of these.
  TopLogitsStrategyAttr topLogits(int64_t columns, int64_t count) const;
  /// Work on elements alone, of rows with `columns` numbers.
  RowTileAttr elements(int64_t columns) const;

  AttentionStrategyAttr attention(SegmentedAttentionOp op) const;
  SSDStrategyAttr ssd(SegmentedSSDOp op) const;
  /// Scores of rows, at most as many if they are few, with keys [2, H, d, K]:
  /// on tensor cores where these have the keys' shape and type.
  KeyScoresStrategyAttr keyScores(RankedTensorType keys,
                                  std::optional<int64_t> fewRows) const;
  /// Whether a block of few rows' experts has the scores, too, of product keys
  /// [2, H, d, K].
  static bool takesKeys(RankedTensorType keys);
  /// How many heads' experts a block adds: all, unless rows are few.
  static int64_t headsOfPart(int64_t heads, bool fewRows);
  /// Chooses for blocks with so many heads, experts per head, keys per half,
  /// and pairs of keys; rows of the tables have `columns` numbers of a type.
  ExpertsStrategyAttr experts(int64_t heads, int64_t keys, int64_t pairs,
                              int64_t experts, int64_t columns, Type element,
                              bool fewRows, bool withKeys) const;

  /// Whether kernels take x, b and c of SSD in bf16, as nothing else says.
  static bool takesRounded(SegmentedSSDOp op);

private:
  MatmulTileAttr product(int64_t n, size_t weights, int64_t depth,
                         int64_t mostColumns) const;
  MatmulTileAttr matmulOfWarpgroups(int64_t width, size_t weights,
                                    int64_t aligned) const;
  AttentionTileAttr attentionOfPrompt(int64_t size, int64_t sharing,
                                      bool ofKept) const;
  AttentionTileAttr attentionF32(int64_t size, bool oneRow) const;
  AttentionTileAttr attentionOfOneRow(int64_t size) const;
  RowTileAttr entries(int64_t columns, bool oneRow, bool codes) const;
  RowTileAttr placedRows(int64_t columns, bool oneRow) const;
  RowTileAttr window(int64_t keep) const;
  RowTileAttr ssdOfOneRow(int64_t rows, int64_t columns) const;
  int64_t rowsAhead(RowTileAttr tables, int64_t experts, int64_t columns,
                    Type element, bool isAlone) const;
  RowTileAttr tile(int64_t rows, int64_t threads, int64_t width,
                   int64_t columns, int64_t times = 1) const {
    return RowTileAttr::get(context, rows, threads, width, columns, times);
  }

  TargetAttr target;
  MLIRContext *context;
};

/// The most rows that the op's function works on, if these are few.
std::optional<int64_t> fewRowsOf(Operation *op);

/// Whether the op's function works on few rows: then weights are what is read.
inline bool hasFewRows(Operation *op) { return fewRowsOf(op).has_value(); }

/// Bytes that an access of `element`s may have, for rows of `columns`: 16 or
/// the greatest power of two that divides a row.
int64_t alignmentOf(int64_t columns, Type element);

/// What cheems-select-gpu-strategy chose for an op; null if it did not.
template <typename StrategyT> StrategyT strategyOf(Operation *op) {
  return op->getAttrOfType<StrategyT>(kStrategy);
}

} // namespace cheems::tile

#endif
