// The masks of what blocks of rows see, which come with keys.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_MASKRING_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_MASKRING_H

#include "AttentionKernels.h"

namespace cheems::tile {

/// A ring of shared memory with the masks of a block's heads, where masks say
/// what these see: a head of A sees all its entries otherwise, or has none.
class MaskRing {
public:
  MaskRing(const AttentionShape &shape, const AttentionStrategy &s)
      : shape(shape), s(s) {}

  void alloc(TileBuilder &t);
  /// Begins to copy masks from an entry on.
  void fetch(TileBuilder &t, const QueryRows &rows, const Entries &entries,
             Value entry, Value stage) const;
  /// By `maskNumbers`, as a tile of the scores' layout; null without masks.
  Value read(TileBuilder &t, Value stage, RankedTensorType scores) const;
  Value buffer() const { return ring; }

private:
  /// The heads of a block have one of A, or one each.
  bool isShared() const { return shape.queriesPerMask() % s.heads == 0; }

  const AttentionShape &shape;
  const AttentionStrategy &s;
  Value ring;
};

} // namespace cheems::tile

#endif
