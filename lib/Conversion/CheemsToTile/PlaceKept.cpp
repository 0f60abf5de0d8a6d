// The entry of a window that a decoded row becomes.
#include "KeptEntries.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

void cheems::tile::buildPlaceKept(TileBuilder &t, const RowStrategy &s,
                                  const AttentionShape &shape,
                                  const AttentionMemory &memory,
                                  const MaskSource &mask, Value values) {
  Value head = t.block(GridDimension::X), past = t.add(head, 1);
  SegmentRow segment =
      loadSegment(t, memory.segments, t.block(GridDimension::Y),
                  /*oneRow=*/true);
  Value row = segment.start, nextRow = t.add(row, 1);
  if (mask.isProduct()) {
    t.store(buildMaskProduct(t, mask, row, head, past, /*most=*/1, s.warps()),
            values, {{row, head}, {1}, {past}});
    BarrierOp::create(t.b);
  }
  KeptEntries entries(t, s, shape);
  RankedTensorType one = entries.one(), tile = entries.type();
  auto storeOne = [&](Value number, Value target) {
    t.store(number, target, {{row, head}, {0}, {nextRow}});
  };
  Value keep = t.index(shape.keep);
  storeOne(t.splatIndex(one, t.minimum(t.add(segment.position, 1), keep)),
           memory.seen);
  // While there is room, entry e is row e.
  Value hasRoom = t.isLess(segment.position, keep);
  t.when(hasRoom,
         [&] { storeOne(t.splatIndex(one, segment.position), memory.places); });
  t.when(t.isLess(t.index(shape.keep - 1), segment.position), [&] {
    Value own = t.load(t.withElement(one, t.b.getF32Type()),
                       mask.isProduct() ? values : mask.values,
                       {{row, head}, {0}, {nextRow}});
    KeptEntries::Taken taken =
        entries.take(entries.load(memory, segment, head), own,
                     t.splatIndex(one, segment.position));
    Value place = t.reduce(
        Combine::Maximum,
        t.select(taken.isReplaced, entries.column(), t.fillInteger(tile, -1)),
        1);
    storeOne(place, memory.places);
  });
}
