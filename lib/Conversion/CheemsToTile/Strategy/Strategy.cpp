// How work is cut on a GPU, from the target and the shapes.
#include "Strategy.h"
#include "Attention/AttentionKernels.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems::tile;

namespace {
/// From so many outputs on, a block of 128 columns leaves few of them idle.
constexpr int64_t kManyColumns = 1024;
/// From so many on, one of 256 does.
constexpr int64_t kMostColumns = 4096;
/// Steps of more rows are too seldom for kernels of their own.
constexpr int64_t kMostWideRows = 8192;
/// Wide tiles per multiprocessor. With fewer of them, more multiprocessors have
/// none at the end.
constexpr int64_t kWideTiles = 2;
constexpr int64_t kLargeTile = 128, kSmallTile = 64;
/// Up to so many outputs, a block has no more columns, and more blocks share
/// the rows, which are most of what is read.
constexpr int64_t kFewColumns = 16;
/// A row of k in a buffer: 128 bytes, which is what swizzling spreads over all
/// banks.
constexpr int64_t kDepth = 64;
constexpr int64_t kStages = 3;
/// Threads of a block that works on rows. More would idle on short rows.
constexpr int64_t kRowThreads = 128;
/// Rows of a warp in a matmul on tensor cores.
constexpr int64_t kWarpRows = 16;
} // namespace

TargetAttr cheems::tile::usualGPU(MLIRContext *context,
                                  Architecture architecture, Newest newest,
                                  int64_t multiprocessors) {
  constexpr int64_t kibibyte = 1024, mebibyte = 1024 * kibibyte;
  auto count = [&](int64_t usual) {
    return multiprocessors ? multiprocessors : usual;
  };
  switch (architecture) {
  case Architecture::SM80:
    return TargetAttr::get(context, architecture, count(108), 163 * kibibyte,
                           40 * mebibyte, 1555, Unit::Mma,
                           OperandCopy::Threads);
  case Architecture::SM90a:
    return TargetAttr::get(context, architecture, count(132), 227 * kibibyte,
                           50 * mebibyte, 3350, newest.unit,
                           newest.unit == Unit::Wgmma ? newest.copy
                                                      : OperandCopy::Threads);
  }
  llvm_unreachable("an architecture");
}

/// The sums of a thread stay at 128 registers, whatever the weights are.
/// \param depth of quantized values, which are half as many bytes.
/// \param mostColumns of all weights.
MatmulTileAttr Strategy::product(int64_t n, size_t weights, int64_t depth,
                                 int64_t mostColumns) const {
  if (n <= kFewColumns) {
    return MatmulTileAttr::get(context, 32, kFewColumns, depth, kStages, 2, 1,
                               Unit::Mma, OperandCopy::Threads);
  }
  auto count = int64_t(weights);
  int64_t rows = n >= kManyColumns ? kLargeTile : kSmallTile;
  int64_t columns = std::max(rows / count, kSmallTile / 2);
  int64_t bytes = (rows + count * columns) * kDepth * 2;
  int64_t stages = std::min(kStages, target.getShared() / bytes);
  if (columns * count > mostColumns) {
    columns = std::max(columns / 2, kSmallTile / 2);
  }
  return MatmulTileAttr::get(context, rows, columns, depth,
                             std::max<int64_t>(stages, 2), 2, 2, Unit::Mma,
                             OperandCopy::Threads);
}

/// How many outputs a block of warpgroups has, if rows may be few.
static int64_t widthFor(int64_t n) {
  return n >= kMostColumns   ? 256
         : n >= kManyColumns ? 128
         : n > kFewColumns   ? 64
                             : kFewColumns;
}

MatmulTileAttr Strategy::manyRows(int64_t n, size_t weights,
                                  int64_t aligned) const {
  if (target.getUnit() != Unit::Wgmma) {
    return product(n, weights, kDepth, INT64_MAX);
  }
  return matmulOfWarpgroups(widthFor(n), weights, aligned);
}

/// Twice the outputs per tile, once there are enough tiles for that. With 256
/// outputs a thread has 128 sums: ptxas spills where two tiles are added.
std::optional<WiderMatmul> Strategy::wider(ArrayRef<int64_t> outputs,
                                           size_t weights, int64_t aligned,
                                           bool readsTile) const {
  int64_t width = widthFor(outputs[0]);
  int64_t widest = readsTile ? kLargeTile : 2 * kLargeTile;
  if (target.getUnit() != Unit::Wgmma || width == kFewColumns ||
      2 * width > widest) {
    return std::nullopt;
  }
  WiderMatmul wider{matmulOfWarpgroups(2 * width, weights, aligned), 0};
  int64_t columnTiles = 0;
  for (int64_t n : outputs) {
    columnTiles += int64_t(
        llvm::divideCeil(uint64_t(n), uint64_t(wider.tiles.getColumns())));
  }
  auto wanted = uint64_t(kWideTiles * target.getMultiprocessors());
  wider.from = wider.tiles.getRows() *
               int64_t(llvm::divideCeil(wanted, uint64_t(columnTiles)));
  return wider.from <= kMostWideRows ? std::make_optional(wider) : std::nullopt;
}

/// Tensor cores read both operands from shared memory for each instruction: of
/// 64 rows and 256 outputs that is 40 bytes for 1024 multiply-adds, of 128
/// outputs 48, and of 64 outputs 64, which is all that shared memory gives. So
/// tiles are as wide as leaves enough blocks. A second block of a
/// multiprocessor multiplies while the first one waits, and where there is no
/// room for it, a longer ring hides the copies.
/// \param width outputs of a block, those of all weights together.
MatmulTileAttr Strategy::matmulOfWarpgroups(int64_t width, size_t weights,
                                            int64_t aligned) const {
  constexpr int64_t most = 4, least = 3;
  auto count = int64_t(weights);
  int64_t rows = kSmallTile, columns = kFewColumns;
  if (width > kFewColumns) {
    rows = width > kSmallTile ? kLargeTile : kSmallTile;
    columns = std::max(width / count, kSmallTile / 2);
  }
  int64_t bytes = (rows + count * columns) * kDepth * 2;
  int64_t halves = target.getShared() / 2 / bytes;
  int64_t stages = halves >= least ? halves : target.getShared() / bytes;
  return MatmulTileAttr::get(
      context, rows, columns, kDepth, std::clamp(stages, least, most),
      rows / kWarpRows, 1, Unit::Wgmma,
      aligned == kAccessBytes ? target.getCopy() : OperandCopy::Threads);
}

/// 256 threads hold 4 x 4 sums each. A row of k has 64 bytes in a buffer.
MatmulTileAttr Strategy::matmulF32() const {
  return MatmulTileAttr::get(context, 64, 64, 16, 3, 4, 2, Unit::Mma,
                             OperandCopy::Threads);
}

/// Four warps take 32 k each. What they load ahead stays in as many registers
/// for any number of tokens: an access of 16 bytes per output and token. Short
/// sums take fewer.
FewRowsTileAttr Strategy::fewRows(int64_t rows, int64_t k) const {
  constexpr int64_t warps = 4, warpDepth = 32, columns = 16, most = 8,
                    loaded = 96;
  int64_t depth = warps * warpDepth;
  auto tokens = int64_t(llvm::alignTo(uint64_t(rows), 8));
  int64_t ahead = std::clamp<int64_t>(loaded / (columns + tokens), 1, most);
  ahead = std::min(ahead, std::max<int64_t>(1, k / depth));
  return FewRowsTileAttr::get(context, tokens, columns, depth, ahead, warps);
}

/// A row of k in a buffer has the bytes that it has in 16 bits, but for
/// quantized values of 4 bits. Those have two sums in registers, of integers
/// and of groups, so there are half as many.
MatmulTileAttr Strategy::coded(int64_t n, size_t weights, int64_t bits) const {
  return product(n, weights, 2 * kDepth, bits == 4 ? kSmallTile : INT64_MAX);
}

/// 8-bit integers are as those of 16 bits with half the k. Of 4-bit integers
/// a warp has 16 columns and all k, so a block has one: then most
/// multiprocessors have blocks. Where it makes the row, it has the four warps
/// that do so in other kernels, too.
FewRowsTileAttr Strategy::quantizedFewRows(int64_t rows, int64_t k,
                                           int64_t bits, bool makesRow) const {
  if (bits == 8) {
    FewRowsTileAttr s = fewRows(rows, llvm::divideCeil(k, 2));
    return FewRowsTileAttr::get(context, s.getRows(), s.getColumns(),
                                2 * s.getDepth(), s.getAhead(), s.getWarps());
  }
  constexpr int64_t columns = 16, together = 128, most = 4, loaded = 96;
  auto tokens = int64_t(llvm::alignTo(uint64_t(rows), 8));
  int64_t ahead = std::clamp<int64_t>(loaded / (columns + 2 * tokens), 1, most);
  ahead = std::min(ahead, int64_t(llvm::divideCeil(k, together)));
  int64_t warps = makesRow ? kRowThreads / kWarpThreads : 1;
  return FewRowsTileAttr::get(context, tokens, warps * columns, together, ahead,
                              warps);
}

RowTileAttr Strategy::madeRow(int64_t columns, FewRowsTileAttr making) const {
  RowTileAttr s = wholeRows(columns);
  auto read = llvm::alignTo(uint64_t(columns),
                            uint64_t(making.getDepth() * making.getAhead()));
  auto all = llvm::alignTo(std::max(uint64_t(s.getColumns()), read),
                           uint64_t(s.getThreads() * s.getWidth()));
  return tile(s.getRows(), s.getThreads(), s.getWidth(), int64_t(all));
}

/// A row has only as many threads as get an access each, and the block's other
/// threads have more rows.
RowTileAttr Strategy::wholeRows(int64_t columns) const {
  int64_t width = std::min<int64_t>(
      kAccessBytes / int64_t(sizeof(float)),
      int64_t(llvm::bit_ceil(uint64_t(std::max<int64_t>(columns, 1)))));
  int64_t threads =
      std::min(kRowThreads, int64_t(llvm::bit_floor(uint64_t(
                                std::max<int64_t>(columns / width, 1)))));
  int64_t step = threads * width;
  return tile(kRowThreads / threads, threads, width,
              int64_t(llvm::alignTo(uint64_t(columns), uint64_t(step))));
}

/// The same, with so many accesses of a thread at most.
static RowTileAttr atMost(int64_t accesses, RowTileAttr s) {
  return RowTileAttr::get(
      s.getContext(), s.getRows(), s.getThreads(), s.getWidth(),
      std::min(s.getColumns(), accesses * s.getThreads() * s.getWidth()),
      s.getTimes());
}

RowTileAttr Strategy::piecesOfRows(int64_t columns) const {
  // A thread has 32 numbers at a time.
  constexpr int64_t most = 8;
  return atMost(most, wholeRows(columns));
}

/// A warp is enough for short rows.
RowTileAttr Strategy::oneRow(int64_t columns) const {
  constexpr int64_t width = 4;
  int64_t threads = std::clamp(
      int64_t(llvm::bit_ceil(uint64_t(llvm::divideCeil(columns, width)))),
      kWarpThreads, kRowThreads);
  return tile(1, threads, width, threads * width);
}

RowTileAttr Strategy::numbers(bool oneRow) const {
  int64_t threads = oneRow ? kWarpThreads : kRowThreads;
  return tile(1, threads, 1, threads);
}

/// Four accesses are under way per thread: 16 numbers of each operand.
RowTileAttr Strategy::entries(int64_t columns, bool oneRow, bool codes) const {
  if (oneRow) {
    return this->oneRow(columns);
  }
  int64_t numbers = codes ? 8 : 16;
  RowTileAttr s = wholeRows(columns);
  return s.withTimes(
      std::max<int64_t>(1, numbers / (s.getColumns() / s.getThreads())));
}

/// A block has enough rows that not every one of them begins a block.
RowTileAttr Strategy::placedRows(int64_t columns, bool oneRow) const {
  constexpr int64_t rows = 16;
  return this->oneRow(columns).withTimes(oneRow ? 1 : rows);
}

/// Sums of a warp's 16 rows take P/2 registers of a thread, and their queries
/// would take P/4: of greater heads these stay in shared memory. Of the
/// greatest two warps share the columns of values, and exchange weights.
/// A warpgroup reads heads from shared memory in panels as wide as a swizzle:
/// of 96 numbers these are three, and of others they have 64. Two blocks fit a
/// multiprocessor, so one multiplies while the other one finds its weights.
/// Two heads that read the same keys have a block of twice the warps, which
/// fetches the keys once. A warp does what it does in a block of one head. Then
/// one block fits a multiprocessor. Where warps share the columns of values
/// there are no registers for more.
AttentionTileAttr Strategy::attentionOfPrompt(int64_t size, int64_t sharing,
                                              bool ofKept) const {
  constexpr int64_t together = 2, stages = 2, warps = 4;
  int64_t rows = kSmallTile, entries = kSmallTile, across = 1, panel = 0;
  Unit unit = Unit::Mma;
  if (target.getUnit() == Unit::Wgmma &&
      llvm::is_contained({64, 96, 128}, size)) {
    unit = Unit::Wgmma;
    panel = size == 96 ? 32 : 64;
  } else if (size > 128) {
    entries = 32;
    across = 2;
  } else if (ofKept && size > 64) {
    // Lists of what is kept need registers of their own: 64 entries of such
    // heads would spill some.
    entries = 32;
  }
  int64_t heads = sharing % together == 0 && across == 1 ? together : 1;
  return AttentionTileAttr::get(
      context, rows, entries, stages, heads * warps, across,
      unit == Unit::Mma && size <= 64, unit, panel, heads,
      unit == Unit::Wgmma ? target.getCopy() : OperandCopy::Threads);
}

AttentionTileAttr Strategy::attentionF32(int64_t size, bool oneRow) const {
  // Buffers of 64 rows of a great head would not fit.
  int64_t rows = oneRow ? 16 : size > 128 ? 32 : 64;
  return AttentionTileAttr::get(context, rows, 32, 1, 4, 1, false, Unit::Mma, 0,
                                1, OperandCopy::Threads);
}

/// A thread has 8 entries, so that the few steps of a reduction are most of a
/// row's work. Twice as many do not fit its registers where they have scales.
RowTileAttr Strategy::window(int64_t keep) const {
  constexpr int64_t numbers = 8, mostThreads = 512;
  int64_t threads = std::clamp(
      int64_t(llvm::bit_ceil(uint64_t(llvm::divideCeil(keep, numbers)))),
      kWarpThreads, mostThreads);
  int64_t columns = int64_t(llvm::alignTo(uint64_t(keep), uint64_t(threads)));
  return tile(1, threads, 1, std::min(columns, mostThreads * numbers));
}

/// Values of a split take 32 KiB of shared memory, so that several blocks fit:
/// a GPU needs them all to read at its bandwidth. The split depends on the
/// head's size alone, so the order of sums depends on the row's length alone.
AttentionTileAttr Strategy::attentionOfOneRow(int64_t size) const {
  constexpr int64_t values = 16384, least = 64, most = 256;
  int64_t entries =
      std::clamp(values / int64_t(llvm::bit_ceil(uint64_t(size))), least, most);
  return AttentionTileAttr::get(context, 16, entries, 1, 1, 4, true, Unit::Mma,
                                0, 1, OperandCopy::Threads);
}

/// A tile of rows that find what they see has a number for each pair of rows:
/// 32 per thread. A block looks through 16 entries for new ones.
AttentionStrategyAttr Strategy::attention(SegmentedAttentionOp op) const {
  AttentionShape shape(op);
  bool isExact = shape.stored.isF32() || shape.isQuantized();
  AttentionTileAttr attend =
      isExact ? attentionF32(shape.size, shape.oneRow)
      : shape.oneRow
          ? attentionOfOneRow(shape.size)
          : attentionOfPrompt(shape.size, shape.headsThatShare(), false);
  AttentionTileAttr ofKept;
  RowTileAttr entriesOfWindow;
  WindowTileAttr choice;
  if (op.getPositions()) {
    entriesOfWindow = window(shape.keep);
    choice = WindowTileAttr::get(context, 128, 1024, 16, 16, 1024, 256);
    if (!isExact && !shape.oneRow) {
      ofKept = attentionOfPrompt(
          shape.size, shape.headsThatShare(/*ofKept=*/true), /*ofKept=*/true);
    }
  }
  return AttentionStrategyAttr::get(
      context, attend, ofKept,
      entries(shape.half(), shape.oneRow, shape.isQuantized()),
      placedRows(shape.half(), shape.oneRow), wholeRows(shape.half()),
      VisibleTileAttr::get(context, shape.oneRow ? 16 : 64, 4), entriesOfWindow,
      choice, choice ? 16 : 0, oneRow(shape.size),
      mergedSplits(shape.queryHeads * shape.size));
}

/// All blocks read all splits. From the second-level cache a multiprocessor
/// gets 64 bytes a cycle: 96 KiB take it about a microsecond, which is the
/// least that a launch costs.
MergeTileAttr Strategy::mergedSplits(int64_t columns) const {
  constexpr int64_t bytes = 98304, most = 32, ahead = 4;
  int64_t pieces = std::min(most, bytes / (columns * int64_t(sizeof(float)))) /
                   ahead * ahead;
  return pieces == 0 ? MergeTileAttr()
                     : MergeTileAttr::get(context, pieces, ahead, 4);
}

/// 64 bytes of each row, as few blocks have all rows of a column: so a head is
/// several blocks. A thread has several accesses under way.
RowTileAttr Strategy::ssdOfOneRow(int64_t rows, int64_t columns) const {
  constexpr int64_t width = 4, leastRows = 8, mostRows = 32;
  int64_t down = std::clamp(int64_t(llvm::bit_ceil(uint64_t(rows / 2))),
                            leastRows, mostRows);
  int64_t across = std::clamp(
      int64_t(llvm::bit_ceil(uint64_t(llvm::divideCeil(columns, width)))),
      kWarpThreads / leastRows, kRowThreads / mostRows);
  return tile(down, across, width, across * width);
}

/// Chunks of all kernels have as many rows as a block of attention: so both
/// parts of a model give the same bits if a prompt is cut there.
constexpr int64_t kChunkRows = 64;

/// Rows of a head's state that registers have room for.
constexpr int64_t kMostStates = 128;

/// Prompts, if the op allows either form of its factors. A row alone is never
/// rounded.
static bool isOnTensorCores(cheems::SegmentedSSDOp op) {
  return (op.getAllowBf16() || op.getAllowPairs()) && !op.getOneRow() &&
         op.getPool().getType().getDimSize(3) <= kMostStates;
}

/// A thread has 32 numbers of the state at most: with 64, and those of the two
/// sums of 64 rows, registers would not be enough. A step of 8,192 rows is
/// eight spans: their states are a tenth of what x and y are. Shorter steps
/// have as many, so that all multiprocessors have work. Pairs are twice as many
/// bytes: with two stages of them a block would have more than sm_80 has. Those
/// of a piece wait in registers for their turn, which is one stage.
static SSDSpansAttr ssdSpans(cheems::SegmentedSSDOp op) {
  if (!isOnTensorCores(op)) {
    return {};
  }
  int64_t states = op.getPool().getType().getDimSize(3),
          size = op.getPool().getType().getDimSize(4);
  constexpr int64_t least = 16, most = 64, numbers = 4096, piece = 32;
  bool pairs = op.getAllowPairs();
  auto tile = [](int64_t extent, int64_t least, int64_t most) {
    return std::clamp(int64_t(llvm::bit_ceil(uint64_t(extent))), least, most);
  };
  int64_t columns = std::min(most, numbers / tile(states, most, kMostStates));
  return SSDSpansAttr::get(op.getContext(), kChunkRows,
                           tile(size, least, columns), pairs ? 1 : 2, piece,
                           piece, pairs ? 2 : 3, 8, 16, pairs);
}

bool Strategy::takesRounded(SegmentedSSDOp op) {
  return isOnTensorCores(op) && !op.getAllowPairs();
}

/// In f32, small states are not padded to what larger ones need, but for a row
/// of a buffer: with fewer numbers than banks, threads would wait for each
/// other. Of a state that goes from chunk to chunk a thread has four numbers,
/// and those of several chunks under way.
SSDStrategyAttr Strategy::ssd(SegmentedSSDOp op) const {
  int64_t states = op.getPool().getType().getDimSize(3),
          size = op.getPool().getType().getDimSize(4);
  if (op.getOneRow()) {
    return SSDStrategyAttr::get(context, ssdOfOneRow(states, size), {}, {}, {});
  }
  if (SSDSpansAttr spans = ssdSpans(op)) {
    return SSDStrategyAttr::get(context, {}, spans, {}, {});
  }
  constexpr int64_t least = 16, most = 64, depth = 32;
  auto piece = [&](int64_t extent) {
    return std::clamp(int64_t(llvm::bit_ceil(uint64_t(extent))), least, most);
  };
  return SSDStrategyAttr::get(context, {}, {},
                              SSDTileAttr::get(context, kChunkRows,
                                               piece(states), piece(size),
                                               depth, 4),
                              ssdOfOneRow(2 * states, size));
}

/// 32 numbers per thread, which stay in registers while the best are found one
/// after the other. Fewer would make more pieces, whose best are merged.
TopLogitsStrategyAttr Strategy::topLogits(int64_t columns,
                                          int64_t count) const {
  constexpr int64_t accesses = 8;
  RowTileAttr piece = atMost(accesses, wholeRows(columns));
  auto pieces = int64_t(llvm::divideCeil(columns, piece.getColumns()));
  return TopLogitsStrategyAttr::get(context, piece, wholeRows(pieces * count));
}

/// A head's keys are read anew for each row. A launch of its own would take as
/// long as this many bytes.
bool Strategy::takesKeys(RankedTensorType keys) {
  constexpr int64_t most = 65536;
  return keys.getNumElements() / keys.getDimSize(1) *
             keys.getElementTypeBitWidth() / 8 <=
         most;
}

/// A row of `columns` numbers of a block with `warps` warps: a thread has
/// `numbers` of them, or more in a row of all threads. The block has as many
/// rows as there are threads for, `times` that.
static RowTileAttr rowOfBlock(MLIRContext *context, int64_t columns,
                              int64_t width, int64_t numbers, int64_t least,
                              int64_t warps, int64_t times = 1) {
  int64_t all = warps * kWarpThreads;
  int64_t threads = std::clamp(
      int64_t(llvm::bit_ceil(uint64_t(llvm::divideCeil(columns, numbers)))),
      least, all);
  int64_t step = threads * width;
  return RowTileAttr::get(
      context, times * (all / threads), threads, width,
      int64_t(llvm::alignTo(uint64_t(columns), uint64_t(step))), 1);
}

/// On tensor cores a warp has 16 rows. Their queries stay in registers: half as
/// many numbers of a thread as they have, and both parts of them, of 16 bits.
static KeyTileAttr keyTiles(RankedTensorType keys) {
  constexpr int64_t rows = 64, columns = 64, mostDepth = 128, step = 16;
  int64_t depth = keys.getDimSize(2);
  Type element = keys.getElementType();
  if (element.getIntOrFloatBitWidth() != 16 || depth > mostDepth ||
      depth % step != 0 ||
      alignmentOf(keys.getDimSize(3), element) != kAccessBytes) {
    return {};
  }
  return KeyTileAttr::get(keys.getContext(), rows, columns, rows / kWarpRows);
}

/// Else 128 threads hold 4 neighbours of as many as 8 rows each.
KeyScoresStrategyAttr
Strategy::keyScores(RankedTensorType keys,
                    std::optional<int64_t> fewRows) const {
  if (KeyTileAttr tiles = keyTiles(keys)) {
    return KeyScoresStrategyAttr::get(context, tiles, {});
  }
  constexpr int64_t width = 4, mostThreads = 16, mostTimes = 8;
  int64_t threads =
      std::min(mostThreads, int64_t(llvm::bit_ceil(uint64_t(
                                llvm::divideCeil(keys.getDimSize(3), width)))));
  int64_t rows = kRowThreads / threads;
  int64_t times =
      fewRows ? int64_t(llvm::divideCeil(*fewRows, rows)) : mostTimes;
  return KeyScoresStrategyAttr::get(
      context, {}, tile(rows, threads, width, threads * width, times));
}

/// For few rows a multiprocessor may have one block alone. Then blocks share
/// out heads.
int64_t Strategy::headsOfPart(int64_t heads, bool fewRows) {
  constexpr int64_t mostParts = 8;
  return fewRows ? int64_t(llvm::divideCeil(heads, mostParts)) : heads;
}

/// All warps find the same experts, so more of them would take longer; what a
/// block reads at a time is up to copies.
ExpertsStrategyAttr Strategy::experts(int64_t heads, int64_t keys,
                                      int64_t pairs, int64_t experts,
                                      int64_t columns, Type element,
                                      bool fewRows, bool withKeys) const {
  constexpr int64_t numbers = 32, least = 8, manyKeys = 4096, manyKept = 64,
                    access = 4;
  // All pairs of what is kept are in registers, too, where a tie decides.
  bool areMany = keys > manyKeys || std::min(keys, experts) > manyKept;
  int64_t warps = areMany ? 8 : 4;
  // All threads have an expert's part, if there are enough of them.
  int64_t width = 8 * kAccessBytes / element.getIntOrFloatBitWidth();
  int64_t all = warps * kWarpThreads;
  auto groups = int64_t(llvm::bit_ceil(uint64_t(std::min(experts, all))));
  int64_t accesses = std::max<int64_t>(columns / width, 1);
  int64_t threads = std::clamp(
      std::min(all / groups, int64_t(llvm::bit_floor(uint64_t(accesses)))),
      least, kWarpThreads);
  RowTileAttr tables =
      rowOfBlock(context, columns, width, numbers, threads, warps);
  // The count is the most columns that divide those of a row.
  int64_t own = tables.getColumns() / 4, across = std::min(all, own & -own);
  int64_t down = all / across;
  return ExpertsStrategyAttr::get(
      context, warps,
      // Both halves have a row. Of keys that are read, each thread has few, so
      // that many of them ask for some.
      rowOfBlock(context, keys, access, access, least, warps / 2, 2),
      rowOfBlock(context, keys, 1, numbers, kWarpThreads, warps / 2, 2),
      rowOfBlock(context, pairs, 1, numbers, kWarpThreads, warps), tables,
      tile(down, across, 4, tables.getColumns(), tables.getRows() / down),
      heads, rowsAhead(tables, experts, columns, element, fewRows), withKeys);
}

/// A block that is alone on its multiprocessor may fill half of the shared
/// memory with rows that are under way. One of several has two stages, or none
/// if they take too much of it. Copies are of 4 bytes at least. Where there is
/// one step, its loads are under way together anyway.
int64_t Strategy::rowsAhead(RowTileAttr tables, int64_t experts,
                            int64_t columns, Type element, bool isAlone) const {
  constexpr int64_t leastCopy = 4, blocks = 6, least = 2;
  int64_t steps = llvm::divideCeil(experts, tables.getRows());
  int64_t bytes = 2 * tables.getRows() * tables.getColumns() *
                  element.getIntOrFloatBitWidth() / 8;
  int64_t stages = target.getShared() / (isAlone ? 2 : blocks) / bytes;
  if (steps == 1 || stages < least ||
      alignmentOf(columns, element) < leastCopy) {
    return 0;
  }
  return (isAlone ? std::min(steps, stages) : least) - 1;
}

RowTileAttr Strategy::elements(int64_t columns) const {
  // A block takes a piece of a long row.
  constexpr int64_t most = 4;
  return atMost(most, wholeRows(columns));
}

std::optional<int64_t> cheems::tile::fewRowsOf(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  auto most = function ? function->getAttrOfType<IntegerAttr>(kMostRows)
                       : IntegerAttr();
  return most && most.getInt() <= kFewRows
             ? std::optional<int64_t>(most.getInt())
             : std::nullopt;
}

int64_t cheems::tile::alignmentOf(int64_t columns, Type element) {
  auto bytes = uint64_t(columns) * element.getIntOrFloatBitWidth() / 8;
  uint64_t divisor = bytes & (~bytes + 1); // the greatest power of two
  return std::min<int64_t>(kAccessBytes, int64_t(divisor));
}
