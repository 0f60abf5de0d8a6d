// Copies masks into shared memory, and reads them as tiles of scores.
#include "MaskRing.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

void MaskRing::alloc(TileBuilder &t) {
  if (shape.visible.empty()) {
    ring = t.alloc({s.stages, isShared() ? 1 : s.heads, s.entries},
                   t.b.getF32Type(), /*swizzled=*/false);
  }
}

void MaskRing::fetch(TileBuilder &t, const QueryRows &rows,
                     const Entries &entries, Value entry, Value stage) const {
  if (!ring) {
    return;
  }
  const AttentionMemory &memory = entries.memory;
  Value head = t.divide(rows.place.head, shape.queriesPerMask());
  Value past = t.add(head, cast<BufferType>(ring.getType()).getRows());
  Place mask{{rows.segment.slot, memory.layer, head, entry},
             {2, 3},
             {past, entries.count}};
  t.copy(memory.masks, mask, ring, stage, sizeof(float));
}

Value MaskRing::read(TileBuilder &t, Value stage,
                     RankedTensorType scores) const {
  if (!ring) {
    return {};
  }
  if (!isShared()) {
    return maskNumbers(t, shape, t.readRepeated(scores, ring, stage, s.rows));
  }
  Value one =
      t.read(t.sliceType(scores, 0), ring, stage, t.index(0), t.index(0));
  return t.broadcast(maskNumbers(t, shape, one), scores);
}
