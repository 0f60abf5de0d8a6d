// Kernels of state-space duality.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_SSD_SSDKERNELS_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_SSD_SSDKERNELS_H

#include "Builder/Elementwise.h"
#include "Builder/HeadRows.h"
#include "Builder/SegmentRow.h"
#include "Strategy/Strategy.h"
#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"

namespace cheems::tile {

/// What of a `segmented_ssd` is known at compile time.
struct SSDShape {
  int64_t heads, groups;
  int64_t states, size; ///< N and P

  explicit SSDShape(SegmentedSSDOp op);
  int64_t headsPerGroup() const { return heads / groups; }
  /// Bytes of accesses to rows of P numbers, and of N.
  int64_t alignedRow(TileBuilder &t) const {
    return alignmentOf(size, t.b.getF32Type());
  }
  int64_t alignedGate(TileBuilder &t) const {
    return alignmentOf(states, t.b.getF32Type());
  }
};

/// Memory of a kernel.
struct SSDMemory {
  Value segments;            ///< [S, 8]
  Value layer;               ///< a number
  Value x, step, a;          ///< [T, H, P], [T, H], [H]
  HeadRows b, c;             ///< [T, G, N]
  Value skip;                ///< [H]; null without one
  linalg::GenericOp beforeA; ///< on a alone; null without one
  Value pool;                ///< [slots, layers, H, N, P]
  Value y;                   ///< [T, H, P], f32 or rounded
};

/// a of what the memory has, as a tile.
Value decayRates(TileBuilder &t, const SSDMemory &memory, Value stored);

/// exp(x) of a tile in f32, right to about one unit in the last place: the
/// state is multiplied by such decays once per row or chunk, maybe a million
/// times, and an error that is always the same would grow.
Value exactDecay(TileBuilder &t, Value x);

/// The row of a segment that has one: the state goes through registers once.
/// Grid: pieces of P, heads, segments.
void buildSSDOfOneRow(TileBuilder &t, RowTileAttr s, const SSDShape &shape,
                      const SSDMemory &memory);

/// Memory that the kernels of a prompt pass on. Rows of a segment are cut into
/// chunks from its start on, and a chunk has a number of its own in the step.
/// So have spans on tensor cores.
struct SSDPassed {
  Value decays;  ///< [3, H, T]: see DecayPlane
  Value wholes;  ///< [chunks, H]: what a chunk multiplies the state by
  Value added;   ///< [chunks, H, N, P]: what a chunk adds; not on tensor cores
  Value carried; ///< [chunks or spans, H, N, P]: the state before each
};

/// The logarithm of the decay from before a chunk up to a row, itself included,
/// is a sum in f64. It is stored as two numbers of f32, so that differences are
/// right to f32's own rounding. With it the row's step.
enum DecayPlane : int64_t { kHighPlane, kLowPlane, kStepPlane, kDecayPlanes };

/// One chunk of a segment, or a span, as a block sees it.
struct SSDChunk {
  Value exists;    ///< whether the segment has it
  Value row, past; ///< its rows
  Value number;

  /// \param chunkRows rows of each.
  /// \param index of the chunk in its segment, `segment` of that.
  /// \param rows of a step, which is the extent of a memref.
  static SSDChunk of(TileBuilder &t, Value chunkRows, const SegmentRow &row,
                     Value segment, Value index, Value rows);
  static SSDChunk of(TileBuilder &t, int64_t chunkRows, const SegmentRow &row,
                     Value segment, Value index, Value rows) {
    return of(t, t.index(chunkRows), row, segment, index, rows);
  }
};

/// The decays of a chunk's rows and one head.
struct ChunkDecays {
  TileBuilder &t;
  Value decays, head;
  const SSDChunk &chunk;
  struct Logarithm {
    Value high, low; ///< numbers, or tiles of one type
  };
  /// A stage of a shared buffer that has the planes as rows; null: they are
  /// read from memory.
  Value buffer = {}, stage = {};
  /// This is the logarithm of the last row, as numbers; null: they are read
  /// from memory.
  Logarithm end = {};

  /// Returns those of rows from one on, as a slice; zeros past the chunk.
  Logarithm rows(RankedTensorType slice, int64_t from = 0);
  Value steps(RankedTensorType slice, int64_t from = 0);
  /// Returns that of the last row, as a slice that has it everywhere.
  Logarithm last(RankedTensorType slice);
  /// What each row's b and x are multiplied with in the state after the chunk.
  Value weights(RankedTensorType slice, int64_t from = 0);
  /// exp(to - from)
  static Value between(TileBuilder &t, const Logarithm &from,
                       const Logarithm &to);

private:
  Value plane(RankedTensorType slice, int64_t number, int64_t from);
};

/// Fills `decays` and `wholes`, of chunks of so many rows. Grid: chunks, blocks
/// of 32 heads, segments.
void buildSSDDecays(TileBuilder &t, int64_t chunkRows, const SSDShape &shape,
                    const SSDMemory &memory, const SSDPassed &passed);

// On tensor cores.

/// Rows of a span of a step with so many rows.
Value rowsOfSpan(TileBuilder &t, SSDSpansAttr s, Value rows);

/// Takes the state through all chunks and updates the pool. Stores it
/// before each span where it is not zero. Grid: pieces of N and P, heads,
/// segments.
void buildSSDStates(TileBuilder &t, SSDSpansAttr s, const SSDShape &shape,
                    const SSDMemory &memory, const SSDPassed &passed);
/// Outputs of a span's chunks. Grid: spans, heads times pieces of P, segments.
void buildSSDOutputs(TileBuilder &t, SSDSpansAttr s, const SSDShape &shape,
                     const SSDMemory &memory, const SSDPassed &passed);

// The sums are in f32.

/// Fills `added`. Grid: chunks, heads times pieces of N and P, segments.
void buildSSDAddedF32(TileBuilder &t, SSDTileAttr s, const SSDShape &shape,
                      const SSDMemory &memory, const SSDPassed &passed);
/// Fills `carried` and updates the pool, chunk by chunk. Grid: pieces of N and
/// P, heads, segments.
void buildSSDCarriedF32(TileBuilder &t, RowTileAttr s, int64_t chunkRows,
                        const SSDShape &shape, const SSDMemory &memory,
                        const SSDPassed &passed);
/// Outputs of a chunk. Grid: chunks, heads times pieces of P, segments.
void buildSSDOutputsF32(TileBuilder &t, SSDTileAttr s, const SSDShape &shape,
                        const SSDMemory &memory, const SSDPassed &passed);

/// What a row takes from each row of its chunk: the product of their gates,
/// times the decay between them and the step; 0 for later rows. A row's own
/// has the skip.
/// \param products with rows of the chunk from `from` on.
Value weightsOfChunk(TileBuilder &t, const SSDMemory &memory,
                     ChunkDecays &decays, Value products, int64_t from = 0);

} // namespace cheems::tile

#endif
