// How work is cut on a CPU: every number that depends on caches, prefetching or
// threads stands here and in Strategy.cpp.
//
// What depends on registers stands with its kernel: the shape of an instruction
// (lanes, rows of a tile), and how many rows, panels, lists or addresses the
// registers hold beside what else the kernel has in them. Only a kernel knows
// what that is. So its shapes change with its code, and it takes the number of
// registers from the target.
// docs/rationale.md says why, docs/experiments what was measured.
#ifndef CHEEMS_DIALECT_CHEEMSCPU_UTILS_STRATEGY_H
#define CHEEMS_DIALECT_CHEEMSCPU_UTILS_STRATEGY_H

#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "cheems/Support/MLIR.h"

namespace cheems::cpu {

/// What `op` says, or null; taken off it.
template <typename AttrTy> AttrTy takeStrategy(Operation *op) {
  return dyn_cast_or_null<AttrTy>(op->removeDiscardableAttr(kStrategy));
}

/// What alone uses `linear` and finishes it in place: both are cut together.
ColumnEpilogueOp columnEpilogueOf(LinearOp linear);

/// Whether the function of `op` says that it works on few rows
/// (`cheems.most_rows`), as a decode step does.
bool hasFewRows(Operation *op);

/// Sizes of caches and of what goes through them.
constexpr int64_t kLineBytes = 64;
constexpr int64_t kLineF32 = kLineBytes / 4; ///< no two threads write to one
/// From so many bytes of a row on the inputs of a few hundred rows outgrow the
/// second-level cache.
constexpr int64_t kLongRowBytes = 2048;
/// Widened weights of so many bytes stay in the second-level cache, beside the
/// inputs and sums that pass through it.
constexpr int64_t kWidenedBytes = int64_t(512) << 10;

/// Matmuls.
constexpr int64_t kFewRows = 64; ///< more are many: widening weights once pays
constexpr int64_t kFewQuantizedRows =
    8; ///< from more on, tiles multiply quantized values
/// So many streams of weights keep the processor's own prefetching busy.
constexpr int64_t kStreams = 4;
/// An epilogue of so many vectors is repeated; of more it is a loop.
constexpr int64_t kMostUnrolled = 32;
/// Blocks of k that the tiles' weights are prefetched.
constexpr int64_t kTileBlocksAhead = 4;
/// Rows per iteration of a matmul with a stack of matrices: a prefill has
/// enough of them for all threads, and their sums stay in the second-level
/// cache.
constexpr int64_t kStackRows = 64;
/// A head of more panels keeps its rotary op: an iteration would be too much of
/// the matmul.
constexpr int64_t kMostPanels = 16;

/// Attention.
/// Entries that one step of the running softmax takes. Bits depend on it.
constexpr int64_t kAttentionKeys = 384;
/// Entries that a kernel scores together: their keys, transposed or in pairs,
/// and their weights stay in the first-level cache.
constexpr int64_t kScoredEntries = 64;
/// Shares of a head's entries in a decode step, at most: even for 2, 3, 4, 6
/// and 8 threads.
constexpr int64_t kKeyShares = 24;

/// SSD.
/// A chunk has at most so many rows of scratch, which grows with its square.
constexpr int64_t kMostChunkRows = 512;
/// Rows at a time of a chunk that may have more.
constexpr int64_t kChunkRows = 64;
/// Elements of the state that are fetched before the one in work: hardware
/// stops fetching at the end of each page.
constexpr int64_t kStateAhead = 1024;
/// Heads per iteration of chunks: those of a group share what depends on B and
/// C alone, but a few threads need something to do each.
int64_t headsPerIteration(int64_t heads, int64_t groups);

/// Experts.
/// Pairs of a row and an expert that are prefetched before those in work.
constexpr int64_t kPairsAhead = 16;
/// Vectors of 16 columns per strip of a row: a few lines are asked for at once.
constexpr int64_t kStripVectors = 8;
/// Chooses for a function with few rows or many, token by token.
ExpertsStrategyAttr expertsStrategy(MixExpertsOp op, bool fewRows);

/// What depends on the target, too.
class CPUStrategy {
public:
  /// `groupExperts`: rows per group whose experts are read in the order of
  /// their ids, where that can pay; 0 for none.
  CPUStrategy(TargetAttr target, int64_t groupExperts)
      : target(target), groupExperts(groupExperts) {}

  /// What `op` gets, or null where it stays whole.
  StrategyAttrInterface strategyOf(Operation *op) const;
  /// Whether nothing but groups, to which order only is that of adding, takes
  /// what `op` finds.
  bool isOnlyGrouped(RetrieveExpertsOp op) const;
  int64_t chunkOf(SSDOp op) const;
  /// Returns the strategy of a module's step, with the rows of its SSD's chunks
  /// or 0.
  StepStrategyAttr stepStrategy(int64_t chunk) const;

private:
  TargetAttr target;
  int64_t groupExperts;

  int64_t panelsOf(LinearOp op) const;
  bool isGrouped(MixExpertsOp op) const;
  MatmulStrategyAttr product(LinearOp op) const;
  MatmulStrategyAttr columnEpilogue(ColumnEpilogueOp op) const;
  ExpertsStrategyAttr mixing(MixExpertsOp op) const;
};

} // namespace cheems::cpu

#endif
