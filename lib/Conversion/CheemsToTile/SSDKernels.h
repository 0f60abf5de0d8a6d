// Kernels of state-space duality.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_SSDKERNELS_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_SSDKERNELS_H

#include "HeadRows.h"
#include "SegmentRow.h"
#include "Strategy.h"
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
  Value segments;   ///< [S, 8]
  Value layer;      ///< a number
  Value x, step, a; ///< [T, H, P], [T, H], [H]
  HeadRows b, c;    ///< [T, G, N]
  Value skip;       ///< [H]; null without one
  Value pool;       ///< [slots, layers, H, N, P]
  Value y;          ///< [T, H, P], f32 or rounded
};

/// exp(x) of a tile in f32, right to about one unit in the last place: the
/// state is multiplied by such decays once per row or chunk, maybe a million
/// times, and an error that is always the same would grow.
Value exactDecay(TileBuilder &t, Value x);

/// The row of a segment that has one: the state goes through registers once.
/// Grid: pieces of P, heads, segments.
void buildSSDOfOneRow(TileBuilder &t, const RowStrategy &s,
                      const SSDShape &shape, const SSDMemory &memory);

} // namespace cheems::tile

#endif
