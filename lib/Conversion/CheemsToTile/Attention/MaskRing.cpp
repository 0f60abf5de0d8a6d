// Copies masks into shared memory, and reads them as tiles of scores.
#include "MaskRing.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

void MaskRing::alloc(TileBuilder &t) {
  if (shape.computesMasks()) {
    ring = t.alloc({s.getStages(), heads(), s.getEntries()}, t.b.getF32Type(),
                   /*swizzled=*/false);
  }
}

void MaskRing::fetch(TileBuilder &t, const QueryRows &rows,
                     const Entries &entries, Value entry, Value stage) const {
  if (!ring) {
    return;
  }
  const AttentionMemory &memory = entries.memory;
  Value first = head(t, rows);
  Place mask{{rows.segment.slot, memory.layer, first, entry},
             {2, 3},
             {t.add(first, heads()), entries.count}};
  t.copy(memory.masks, mask, ring, stage, sizeof(float));
}

TensorMapType MaskRing::boxes(MLIRContext *context, const AttentionShape &shape,
                              AttentionTileAttr s) {
  return shape.computesMasks() ? TensorMapType::get(context, 1, s.getEntries(),
                                                    Float32Type::get(context))
                               : TensorMapType();
}

SmallVector<Value> MaskRing::begins(TileBuilder &t, const QueryRows &rows,
                                    const Entries &entries) const {
  SmallVector<Value> all;
  Value masks = entries.memory.masks;
  for (int64_t i = 0; ring && i < heads(); ++i) {
    all.push_back(i == 0 ? entries.firstIn(t, masks, head(t, rows))
                         : t.add(all.back(), t.extent(masks, 3)));
  }
  return all;
}

void MaskRing::fill(TileBuilder &t, Value map, ArrayRef<Value> begins,
                    Value entry, Value stage) const {
  Value box = t.mul(stage, heads());
  for (auto [number, begin] : llvm::enumerate(begins)) {
    t.copyBox(map, t.index(0), t.add(begin, entry), ring,
              t.add(box, int64_t(number)));
  }
}

Value MaskRing::read(TileBuilder &t, Value stage,
                     RankedTensorType scores) const {
  if (!ring) {
    return {};
  }
  if (!isShared()) {
    return maskNumbers(t, shape,
                       t.readRepeated(scores, ring, stage, s.getRows()));
  }
  Value one =
      t.read(t.sliceType(scores, 0), ring, stage, t.index(0), t.index(0));
  return t.broadcast(maskNumbers(t, shape, one), scores);
}
