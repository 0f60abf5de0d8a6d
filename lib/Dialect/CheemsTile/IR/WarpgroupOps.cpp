// The verifiers of matmuls that tensor cores read from shared memory.
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

/// Sums under way have no other readers than these.
static LogicalResult verifyReaders(WarpgroupMmaOp op) {
  for (OpOperand &use : op->getUses()) {
    Operation *user = use.getOwner();
    auto sharing = dyn_cast<WarpgroupMmaOp>(user);
    auto weighing = dyn_cast<WarpgroupMmaRegistersOp>(user);
    bool takes = isa<WarpgroupWaitOp>(user) ||
                 user->hasTrait<OpTrait::IsTerminator>() ||
                 (sharing && sharing.getC() == use.get()) ||
                 (weighing && weighing.getC() == use.get());
    if (!takes) {
      return op->emitOpError("C5: warpgroup_wait, warpgroup_mma and the end of "
                             "a body take the result, and ")
             << user->getName() << " does not";
    }
  }
  return success();
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
  return verifyReaders(*this);
}

LogicalResult WarpgroupMmaRegistersOp::verify() {
  RankedTensorType a = getA().getType(), c = getC().getType();
  BufferType b = getB().getType();
  if (a.getRank() != 2 || c.getRank() != 2 || a.getDimSize(1) != b.getRows() ||
      c.getDimSize(0) != a.getDimSize(0) ||
      c.getDimSize(1) % b.getColumns() != 0 ||
      c.getDimSize(1) / b.getColumns() > b.getStages()) {
    return emitOpError("C1: a is [M, K], stages are [K, N'] and c is [M, N] "
                       "with N' times up to all stages, not ")
           << a << ", " << b << " and " << c;
  }
  Type element = b.getElementType();
  if (element != a.getElementType() || !(element.isF16() || element.isBF16())) {
    return emitOpError("C2: both operands have f16 or both have bf16, not ")
           << a.getElementType() << " and " << element;
  }
  if (!isOperand(b)) {
    return emitOpError("C3: b is swizzled with rows of 32, 64 or 128 bytes, "
                       "not ")
           << b;
  }
  auto rows = dyn_cast<FragmentAttr>(a.getEncoding());
  auto sums = dyn_cast<FragmentAttr>(c.getEncoding());
  if (!isAccumulator(c) || sums.getWarpsN() != 1 || !rows ||
      rows.getRole() != FragmentRole::A || rows.getKWidth() != 2 ||
      rows.getWarpsM() != sums.getWarpsM() || rows.getWarpsN() != 1 ||
      rows.getWarpsK() != 1) {
    return emitOpError("C4: a and c are fragments of these roles with one "
                       "warps_m of 4, 8, ..., 16 rows a warp, warps_n and "
                       "warps_k 1, at most ")
           << kMostWarpgroupColumns << " columns and k_width 2, not " << a
           << " and " << c;
  }
  // Nothing else keeps the registers of a: a wait in a branch might not come,
  // and one after another matmul would hold what that one reads.
  auto wait = getResult().hasOneUse()
                  ? dyn_cast<WarpgroupWaitOp>(*getResult().user_begin())
                  : WarpgroupWaitOp();
  if (!wait || wait->getBlock() != (*this)->getBlock()) {
    return emitOpError("C5: one warpgroup_wait in the same body takes the "
                       "result, and nothing else does");
  }
  // Its own verifier comes later.
  IntegerAttr pending = wait.getPendingAttr();
  if (!pending || !pending.getValue().isZero() || wait->getNumOperands() != 2 ||
      wait->getOperand(1) != getA()) {
    return emitOpError("C6: the warpgroup_wait for the result has pending 0 "
                       "and holds a");
  }
  return success();
}

LogicalResult WarpgroupWaitOp::verify() {
  if (int64_t(getPending()) < 0) {
    return emitOpError("C1: pending is not negative");
  }
  return success();
}
