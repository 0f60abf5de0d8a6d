// The law of products that tensor cores read from shared memory.
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"

using namespace mlir;
using namespace cheems::tile;

/// Whether tensor cores can read a stage of the buffer.
static bool isOperand(BufferType buffer) {
  int64_t bytes = buffer.getRowBytes();
  return buffer.getSwizzled() && (bytes == 32 || bytes == 64 || bytes == 128);
}

static bool isAccumulator(RankedTensorType tile) {
  auto fragment = dyn_cast<FragmentAttr>(tile.getEncoding());
  return fragment && fragment.getRole() == FragmentRole::C &&
         fragment.getWarpsK() == 1 &&
         fragment.getWarpsM() % kWarpgroupWarps == 0 &&
         tile.getDimSize(0) == 16 * fragment.getWarpsM() &&
         tile.getDimSize(1) / fragment.getWarpsN() <= kMostWarpgroupColumns;
}

LogicalResult WarpgroupMmaOp::verify() {
  BufferType a = getA().getType(), b = getB().getType();
  RankedTensorType c = getC().getType();
  if (c.getRank() != 2 || a.getColumns() != b.getColumns() ||
      c.getDimSize(0) != a.getRows() || c.getDimSize(1) != b.getRows()) {
    return emitOpError("C1: stages are [M, K] and [N, K] and c is [M, N], not ")
           << a << ", " << b << " and " << c;
  }
  Type element = a.getElementType();
  if (element != b.getElementType() || !(element.isF16() || element.isBF16())) {
    return emitOpError("C2: both buffers have f16 or both have bf16, not ")
           << element << " and " << b.getElementType();
  }
  if (!isOperand(a) || !isOperand(b)) {
    return emitOpError("C3: buffers are swizzled with rows of 32, 64 or 128 "
                       "bytes, not ")
           << a << " and " << b;
  }
  if (!isAccumulator(c)) {
    return emitOpError("C4: c is a fragment of role c with warps_k 1, 4, 8, "
                       "... warps_m, 16 rows a warp and at most ")
           << kMostWarpgroupColumns << " columns, not " << c;
  }
  for (OpOperand &use : getResult().getUses()) {
    auto next = dyn_cast<WarpgroupMmaOp>(use.getOwner());
    bool takes = isa<WarpgroupWaitOp>(use.getOwner()) ||
                 use.getOwner()->hasTrait<OpTrait::IsTerminator>() ||
                 (next && next.getC() == getResult());
    if (!takes) {
      return emitOpError("C5: warpgroup_wait, warpgroup_mma and the end of a "
                         "body take the result, and ")
             << use.getOwner()->getName() << " does not";
    }
  }
  return success();
}

LogicalResult WarpgroupWaitOp::verify() {
  if (int64_t(getPending()) < 0) {
    return emitOpError("C1: pending is not negative");
  }
  return success();
}
