// Chunks of a segment, which a block on tensor cores takes one after the other.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_SSD_SSDCHUNKS_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_SSD_SSDCHUNKS_H

#include "Builder/Factor.h"
#include "SSDKernels.h"

namespace cheems::tile {

/// Rows come through a ring of shared buffers. A copy of them, and numbers of
/// a chunk, are under way before the chunk's turn.
class SSDChunks {
public:
  SSDChunks(TileBuilder &t, SSDSpansAttr s, int64_t stages,
            const SSDMemory &memory, const SSDPassed &passed);
  /// A block of this head and segment, which is so far the grid's z.
  void enter(Value head);

  SegmentRow segment;
  Value number; ///< of the segment
  Value count;  ///< chunks of the segment
  Value stepRows;

  SSDChunk at(Value index);
  Value stageOf(Value index) { return t.remainder(index, stages); }

  /// A buffer for rows of factors. Rows of 128 bytes are best: the addresses of
  /// what is after them in a swizzled row have no common part.
  FactorBuffer ring(int64_t columns);
  /// Starts the copy of the chunk's rows of memory [T, heads, N], a head's
  /// from a column on. Pairs are made of rows in f32: these are loaded, and
  /// `finish` puts them into the buffer.
  void fetch(const SSDChunk &chunk, Value source, Value head, Value column,
             const FactorBuffer &buffer, Value stage);
  /// The same of x for pairs. Before they are split, rows are also multiplied
  /// with what they have in the state after the chunk, for a buffer of these.
  /// \param plain, weighted may be null.
  void fetchInputs(const SSDChunk &chunk, Value column,
                   const FactorBuffer &plain, const FactorBuffer &weighted,
                   Value stage);
  /// Waits for the rows of pairs that have been fetched. Others are waited for
  /// by their group of copies.
  void finish();
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
  SSDSpansAttr s;
  int64_t stages;
  const SSDMemory &memory;
  const SSDPassed &passed;
  Value decayRing, head;
  /// Rows of pairs between `fetch` and `finish`.
  struct Loaded {
    Value rows;
    FactorBuffer buffer;
    Value stage;
    std::optional<SSDChunk> weighs = {}; ///< rows of this chunk, before all
  };
  SmallVector<Loaded> loaded;

  Place placeOf(const SSDChunk &chunk, Value source, Value of, Value column);
  /// A chunk's rows by accesses of `width` numbers.
  RankedTensorType rowType(int64_t columns, Type element, int64_t width);
  Value loadRows(const SSDChunk &chunk, Value source, Value of, Value column,
                 const FactorBuffer &buffer);
};

/// The state before a span, as a place of `carried` from a row and column
/// on: nothing where it is zero.
Place placeBeforeSpan(TileBuilder &t, const SSDShape &shape,
                      const SegmentRow &segment, const SSDChunk &span,
                      Value index, Value head, Value state, Value column);

} // namespace cheems::tile

#endif
