// The masks of what blocks of rows see, which come with keys.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_ATTENTION_MASKRING_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_ATTENTION_MASKRING_H

#include "AttentionKernels.h"

namespace cheems::tile {

/// A ring of shared memory with the masks of a block's heads, where masks say
/// what these see: a head of A sees all its entries otherwise, or has none.
class MaskRing {
public:
  MaskRing(const AttentionShape &shape, AttentionTileAttr s)
      : shape(shape), s(s) {}

  void alloc(TileBuilder &t);
  /// Begins to copy masks from an entry on.
  void fetch(TileBuilder &t, const QueryRows &rows, const Entries &entries,
             Value entry, Value stage) const;
  /// Returns where the masks of each of its heads begin in the pool as one row.
  SmallVector<Value> begins(TileBuilder &t, const QueryRows &rows,
                            const Entries &entries) const;
  /// `fetch` by bulk copies, in the `fill` of a ring.
  void fill(TileBuilder &t, Value map, ArrayRef<Value> begins, Value entry,
            Value stage) const;
  /// Boxes of the pool that `fill` copies; null without masks.
  static TensorMapType boxes(MLIRContext *context, const AttentionShape &shape,
                             AttentionTileAttr s);
  /// Reads by `maskNumbers`, as a tile of the scores' layout; null without
  /// masks.
  Value read(TileBuilder &t, Value stage, RankedTensorType scores) const;
  Value buffer() const { return ring; }

private:
  /// The block's first head of A.
  Value head(TileBuilder &t, const QueryRows &rows) const {
    return t.divide(rows.place.head, shape.queriesPerMask());
  }
  int64_t heads() const { return isShared() ? 1 : s.getHeads(); }
  /// The heads of a block have one of A, or one each.
  bool isShared() const { return shape.queriesPerMask() % s.getHeads() == 0; }

  const AttentionShape &shape;
  AttentionTileAttr s;
  Value ring;
};

} // namespace cheems::tile

#endif
