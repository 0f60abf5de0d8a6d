// The verifiers of matmuls, reductions and changes of layout, and the shared
// memory that they need.
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"

using namespace mlir;
using namespace cheems::tile;

LogicalResult MmaOp::verify() {
  RankedTensorType a = getA().getType(), b = getB().getType(),
                   c = getC().getType();
  if (a.getRank() != 2 || b.getRank() != 2 || c.getRank() != 2 ||
      a.getDimSize(1) != b.getDimSize(1) ||
      c.getDimSize(0) != a.getDimSize(0) ||
      c.getDimSize(1) != b.getDimSize(0)) {
    return emitOpError("C1: a is [M, K], b is [N, K] and c is [M, N], not ")
           << a << ", " << b << " and " << c;
  }
  if (a.getElementType() != b.getElementType()) {
    return emitOpError("C2: a has elements of ")
           << a.getElementType() << ", and b of " << b.getElementType();
  }
  bool bytes = a.getElementType().isInteger(8);
  if (c.getElementType().isInteger(32) != bytes) {
    return emitOpError("C2: sums of products of ")
           << a.getElementType() << " are no " << c.getElementType();
  }
  auto first = dyn_cast<FragmentAttr>(a.getEncoding());
  auto second = dyn_cast<FragmentAttr>(b.getEncoding());
  auto sums = dyn_cast<FragmentAttr>(c.getEncoding());
  auto warps = [](FragmentAttr fragment) {
    return std::array{fragment.getWarpsM(), fragment.getWarpsN(),
                      fragment.getWarpsK()};
  };
  if (!first || !second || !sums || first.getRole() != FragmentRole::A ||
      second.getRole() != FragmentRole::B ||
      sums.getRole() != FragmentRole::C || warps(first) != warps(sums) ||
      warps(second) != warps(sums)) {
    return emitOpError("C3: the layouts are fragments of the roles a, b and c "
                       "with the same warps");
  }
  if (first.getKWidth() != second.getKWidth()) {
    return emitOpError("C4: a has k_width ")
           << first.getKWidth() << ", and b " << second.getKWidth();
  }
  if (first.isOfBytes() != bytes) {
    return emitOpError("C4: elements of ")
           << a.getElementType() << " have no k_width " << first.getKWidth();
  }
  return success();
}

LogicalResult NibblesOp::verify() {
  RankedTensorType packed = getPacked().getType(),
                   result = getResult().getType();
  if (packed.getRank() != 2 || result.getRank() != 2 ||
      packed.getDimSize(0) != result.getDimSize(0) ||
      packed.getDimSize(1) != 2 * result.getDimSize(1)) {
    return emitOpError("C1: packed is [M, 64 C] and the result [M, 32 C], not ")
           << packed << " and " << result;
  }
  auto from = dyn_cast<FragmentAttr>(packed.getEncoding());
  auto to = dyn_cast<FragmentAttr>(result.getEncoding());
  if (!from || !to || from.getRole() == FragmentRole::C ||
      from.getKWidth() != 16 || to.getKWidth() != 4 ||
      to != FragmentAttr::get(getContext(), from.getRole(), from.getWarpsM(),
                              from.getWarpsN(), from.getWarpsK(), 4)) {
    return emitOpError("C2: the layouts are fragments of one role, a or b, "
                       "with the same warps, and of k_width 16 and 4");
  }
  if (getPart() > 3) {
    return emitOpError("C3: part is 0 to 3, not ") << getPart();
  }
  return success();
}

LogicalResult FmaOp::verify() {
  BufferType a = getA().getType(), b = getB().getType();
  RankedTensorType c = getC().getType();
  if (!a.getElementType().isF32() || !b.getElementType().isF32() ||
      c.getRank() != 2 || a.getColumns() != b.getColumns() ||
      c.getDimSize(0) != a.getRows() || c.getDimSize(1) != b.getRows()) {
    return emitOpError("C1: stages are [M, K] and [N, K] of f32 and c is [M, "
                       "N], not ")
           << a << ", " << b << " and " << c;
  }
  if (!isa<BlockedAttr>(c.getEncoding())) {
    return emitOpError("C2: c has a blocked layout, not ") << layoutOf(c);
  }
  return success();
}

LogicalResult ReduceOp::verify() {
  RankedTensorType tile = getTile().getType(), result = getResult().getType();
  auto axis = int64_t(getAxis());
  if (tile.getRank() != 2 || axis < 0 || axis > 1) {
    return emitOpError("C1: a tile of two dimensions is reduced along axis 0 "
                       "or 1");
  }
  auto slice = dyn_cast<SliceAttr>(result.getEncoding());
  if (!slice || slice.getAxis() != axis || slice.getOf() != layoutOf(tile) ||
      result.getElementType() != tile.getElementType() ||
      result.getDimSize(0) != tile.getDimSize(unsigned(1 - axis))) {
    return emitOpError("C2: the result has ")
           << tile.getDimSize(unsigned(1 - axis)) << " elements of "
           << tile.getElementType()
           << " and the slice of the tile's layout along axis " << axis;
  }
  if (holdsPartialSums(tile)) {
    return emitOpError("C3: the tile holds sums over a part of k: add them by "
                       "sum_partials before");
  }
  return success();
}

void ReduceOp::getAsmResultNames(OpAsmSetValueNameFn name) {
  name(getResult(), getCombine() == Combine::Add ? "sum" : "maximum");
}

/// One number per row (or column) and warp, if several warps hold a row.
int64_t ReduceOp::getScratchBytes() {
  RankedTensorType tile = getTile().getType();
  int64_t warps =
      layoutOf(tile).getThreadBits(int64_t(getAxis())) / kWarpThreads;
  return warps == 0
             ? 0
             : getResult().getType().getNumElements() *
                   layoutOf(tile).getWarpCount() * int64_t(sizeof(float));
}

LogicalResult PrefixSumOp::verify() {
  RankedTensorType tile = getTile().getType();
  if (tile.getRank() != 2 || !isa<BlockedAttr>(tile.getEncoding())) {
    return emitOpError("C1: the tile has two dimensions and a blocked layout, "
                       "not ")
           << layoutOf(tile);
  }
  return success();
}

/// One number per row, warp of it, and part that these have together.
int64_t PrefixSumOp::getScratchBytes() {
  RankedTensorType tile = getTile().getType();
  auto layout = cast<BlockedAttr>(tile.getEncoding());
  int64_t warps = layout.getColumns() / kWarpThreads;
  int64_t parts =
      tile.getDimSize(1) / (layout.getColumns() * layout.getWidth());
  return warps <= 1
             ? 0
             : tile.getDimSize(0) * parts * warps * int64_t(sizeof(int32_t));
}

LogicalResult SumPartialsOp::verify() {
  RankedTensorType partials = getPartials().getType(),
                   result = getResult().getType();
  auto fragment = dyn_cast<FragmentAttr>(partials.getEncoding());
  if (!fragment || fragment.getRole() != FragmentRole::C) {
    return emitOpError("C1: partial sums are a fragment of role c, not ")
           << layoutOf(partials);
  }
  if (result.getShape() != partials.getShape() ||
      result.getElementType() != partials.getElementType() ||
      holdsPartialSums(result)) {
    return emitOpError("C2: the result is a tile of the same shape and element "
                       "type whose elements are whole");
  }
  return success();
}

/// All partial sums.
int64_t SumPartialsOp::getScratchBytes() {
  RankedTensorType partials = getPartials().getType();
  auto fragment = cast<FragmentAttr>(partials.getEncoding());
  return partials.getNumElements() * fragment.getWarpsK() *
         int64_t(sizeof(float));
}

LogicalResult ConvertLayoutOp::verify() {
  RankedTensorType tile = getTile().getType(), result = getResult().getType();
  if (tile.getShape() != result.getShape() ||
      tile.getElementType() != result.getElementType()) {
    return emitOpError("C1: shape and element type stay the same, from ")
           << tile << " to " << result;
  }
  if (holdsPartialSums(tile) || holdsPartialSums(result)) {
    return emitOpError("C2: layouts of sums over a part of k are not "
                       "converted: add them by sum_partials before");
  }
  return success();
}

/// Whether each thread holds the same elements in both, in some order.
static bool staysInThreads(RankedTensorType from, RankedTensorType to) {
  TileLayoutAttrInterface source = layoutOf(from), target = layoutOf(to);
  if (source.getWarpCount() != target.getWarpCount()) {
    return false;
  }
  auto held = [](RankedTensorType tile, int64_t thread) {
    SmallVector<SmallVector<int64_t>> indices = coordinatesOf(tile, thread);
    llvm::sort(indices);
    return indices;
  };
  for (int64_t thread = 0; thread < source.getWarpCount() * kWarpThreads;
       ++thread) {
    if (held(from, thread) != held(to, thread)) {
      return false;
    }
  }
  return true;
}

int64_t ConvertLayoutOp::getScratchBytes() {
  RankedTensorType tile = getTile().getType();
  if (staysInThreads(tile, getResult().getType())) {
    return 0;
  }
  int64_t bytes = std::max<int64_t>(1, tile.getElementTypeBitWidth() / 8);
  return tile.getNumElements() * bytes;
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType vector = getVector().getType(),
                   result = getResult().getType();
  auto slice = dyn_cast<SliceAttr>(vector.getEncoding());
  if (!slice || slice.getOf() != layoutOf(result)) {
    return emitOpError("C1: ")
           << vector << " has no slice of " << layoutOf(result);
  }
  if (vector.getElementType() != result.getElementType() ||
      vector.getDimSize(0) !=
          result.getDimSize(unsigned(1 - slice.getAxis()))) {
    return emitOpError("C2: ") << vector << " can't be repeated to " << result;
  }
  return success();
}

void IndicesOp::getAsmResultNames(OpAsmSetValueNameFn name) {
  name(getResult(), "index");
}

LogicalResult IndicesOp::verify() {
  if (int64_t(getAxis()) < 0 ||
      int64_t(getAxis()) >= getResult().getType().getRank()) {
    return emitOpError("C1: axis ")
           << int64_t(getAxis()) << " is no dimension of "
           << getResult().getType();
  }
  return success();
}
