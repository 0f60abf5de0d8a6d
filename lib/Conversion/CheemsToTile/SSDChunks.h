// Chunks of a segment, which a block on tensor cores takes one after the other.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_SSDCHUNKS_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_SSDCHUNKS_H

#include "SSDKernels.h"

namespace cheems::tile {

/// Rows come through a ring of shared buffers. A copy of them, and numbers of
/// a chunk, are under way before the chunk's turn.
class SSDChunks {
public:
  SSDChunks(TileBuilder &t, const SSDTilesStrategy &s, int64_t stages,
            const SSDMemory &memory, const SSDPassed &passed);
  /// A block of this head and segment, which is so far the grid's z.
  void enter(Value head);

  SegmentRow segment;
  Value number; ///< of the segment
  Value count;  ///< chunks of the segment
  Value stepRows;

  SSDChunk at(Value index);
  Value stageOf(Value index) { return t.remainder(index, stages); }

  /// A buffer for rows of numbers in bf16. Rows of 128 bytes are best: the
  /// addresses of what is behind them in a swizzled row have no common part.
  Value ring(int64_t columns);
  /// Starts the copy of the chunk's rows of memory [T, heads, N], a head's
  /// from a column on.
  void fetch(const SSDChunk &chunk, Value source, Value head, Value column,
             Value buffer, Value stage);
  void fetchDecays(const SSDChunk &chunk, Value stage);

  /// What a chunk multiplies the state by, and the logarithm of its last row:
  /// numbers that a loop carries to the chunk's turn. Of the last chunk, those
  /// of the next one are its own.
  static constexpr size_t kFacts = 3;
  SmallVector<Value> factsOf(Value index);
  static Value wholeOf(ValueRange facts) { return facts[0]; }
  ChunkDecays decaysOf(const SSDChunk &chunk, Value stage, ValueRange facts);

private:
  TileBuilder &t;
  const SSDTilesStrategy &s;
  int64_t stages;
  const SSDMemory &memory;
  const SSDPassed &passed;
  Value decayRing, head;
};

/// The state in front of a span, as a place of `carried` from a row and column
/// on: nothing where it is zero.
Place placeBeforeSpan(TileBuilder &t, const SSDShape &shape,
                      const SegmentRow &segment, const SSDChunk &span,
                      Value index, Value head, Value state, Value column);

/// A tile of f32 as an operand of products.
Value roundToBF16(TileBuilder &t, Value tile);

} // namespace cheems::tile

#endif
