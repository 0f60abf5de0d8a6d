// The attention kernel's parts: scores of a tile of rows or heads, their
// softmax, the weighted sum of values.
#ifndef CHEEMS_LIB_CONVERSION_CPUTOVECTOR_ATTENTION_ATTENTION_H
#define CHEEMS_LIB_CONVERSION_CPUTOVECTOR_ATTENTION_ATTENTION_H

#include "KernelBuilder.h"
#include "cheems/Dialect/CheemsCPU/Utils/Strategy.h"
#include "cheems/Support/MLIR.h"

namespace cheems {

/// One op. Entries are taken `kEntries` at a time, counted from the op's first:
/// of those, a tile's scores and then weights stand in `weights`.
struct AttentionKernel : KernelBuilder {
  static constexpr int64_t kEntries = cpu::kScoredEntries;
  static constexpr int64_t kGroup = 16; ///< entries whose exponentials are one

  cpu::OnlineAttentionOp op;
  int64_t lanes;     ///< f32 of a register
  int64_t registers; ///< of the target
  int64_t tile;      ///< members that share each loaded key and value
  bool ofRows;       ///< tiles of rows come before tiles of heads
  int64_t heads, size, headsPerKey, headsPerMask;
  Value zero, one, lowest, zeros;
  Value lastEntry;      ///< of the op
  Value weights;        ///< [tile, kEntries]
  Value highest;        ///< [tile]: the greatest score of these entries
  Value before;         ///< [tile]: of all entries before
  Value origins;        ///< [tile]: what is subtracted from scores
  Value shrinks;        ///< [tile]: the factor of a member's sums so far
  Value transposedKeys; ///< [P, kEntries], of one key head
  Value widenedValues;  ///< [kEntries, P], of one key head; null for f32

  /// Receives the weights, [tile, kEntries] bf16, if they are to be rounded.
  /// Members then have `units`, and their weights are multiplied by those. It
  /// is null if they are not rounded.
  Value rounded;
  Value units; ///< [tile]

  AttentionKernel(OpBuilder &b, cpu::OnlineAttentionOp op,
                  const VectorUnit &unit);

  void lower();

protected:
  /// For tiles of `tile` members; weights, maxima and their like alone.
  AttentionKernel(OpBuilder &b, cpu::OnlineAttentionOp op,
                  const VectorUnit &unit, int64_t tile);

  Value scratch(ArrayRef<int64_t> extents, Type element);

  /// Members: rows [row, row + count) of query head `head`, or heads [head,
  /// head + count) of one row; and the `entries` of the op from `base` on, of
  /// which the last row, seeing most, sees `most`.
  struct Tile {
    int64_t count;
    bool ofRows;
    Value row, head, keyHead, base, entries, most;
    Value present = {}; ///< members that there are, where they may be fewer
  };
  /// The shrink of a row that sees nothing; no exponential is negative.
  static constexpr double kBlind = -1;

  void whenAny(Value count, llvm::function_ref<void()> body);
  /// Brings `count` elements of keys or values near: those `at` and more after
  /// the beginning of entry `first`.
  void prefetch(Value entries, Value keyHead, Value first, Value at,
                int64_t count);
  /// `count` elements of a row of keys or values, widened.
  Value load(Value entries, Value keyHead, Value j, Value p, int64_t count);

  // AttentionScores.cpp
  SmallVector<Value> widenWords(Value words);
  void turnKeys(Value keyHead, Value base, Value count);
  void widenValues(Value keyHead, Value base, Value count);
  void score(const Tile &of);

  // AttentionSoftmax.cpp
  Value masked(Value buffer, Value head, Value from, Value inside,
               TypedAttr fill);
  Value visible(Value row, Value maskHead, Value mask, Value from,
                Value inside);
  Value greatest(Value a, Value b);
  template <typename Combine> Value reduce(Value group, Combine combine);
  void findHighest(const Tile &of, Value i);
  Value unitsOf(Value origin);
  Value findShrinks(const Tile &of);
  Value weigh(const Tile &of, Value i);
  Value softmax(const Tile &of);

  // Attention.cpp
  Value seenBy(Value row, Value base, Value count);
  Value passedBy(Value row, Value base, Value count);
  void sumValues(const Tile &of);
  void sumValues(const Tile &of, Value p, int64_t width);
  void attend(const Tile &of);
  void attendRows(Value all, Value tiled, Value entries);
  void headsOfRow(Value row, Value firstHead, Value keyHead, Value base,
                  Value entries);
};

/// Rows of a square become its columns.
SmallVector<Value> transpose(OpBuilder &b, Location loc,
                             SmallVector<Value> rows);
/// `vector` with zeros after it.
Value padded(OpBuilder &b, Location loc, Value vector, int64_t lanes);

/// Whether AMX tiles can take the op's keys and values: those of bf16, and
/// quantized values where it allows to round what they are multiplied by.
bool suitsAttentionTiles(cpu::OnlineAttentionOp op);
/// The op with matmuls of bf16 on AMX tiles: queries and weights are rounded.
void lowerAttentionTiles(cpu::OnlineAttentionOp op, const VectorUnit &unit,
                         OpBuilder &b);

} // namespace cheems

#endif
