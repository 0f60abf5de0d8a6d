// A row of the segment table, in a kernel.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_BUILDER_SEGMENTROW_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_BUILDER_SEGMENTROW_H

#include "TileBuilder.h"
#include "cheems/Dialect/Cheems/IR/Segments.h"

namespace cheems::tile {

/// Indices of a block's segment. The same for all of its threads.
struct SegmentRow {
  Value slot, start, length, position, ropeLength;
};

/// A number of a memref of i32 as an index.
inline Value loadIndex(TileBuilder &t, Value memory, ValueRange at) {
  return arith::IndexCastOp::create(t.b, t.b.getIndexType(),
                                    memref::LoadOp::create(t.b, memory, at));
}

/// \param segments memref [S, 8] i32.
/// \param oneRow the segment has one row, whatever the table says.
inline SegmentRow loadSegment(TileBuilder &t, Value segments, Value number,
                              bool oneRow) {
  auto field = [&](SegmentField column) -> Value {
    return loadIndex(t, segments, {number, t.index(column)});
  };
  return {field(kSlot), field(kStart), oneRow ? t.index(1) : field(kLength),
          field(kPosition), field(kRopeLength)};
}

} // namespace cheems::tile

#endif
