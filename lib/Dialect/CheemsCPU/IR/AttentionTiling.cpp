// dynamic_mask_attention tiles over its query rows.
#include "AttentionUtils.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

SmallVector<utils::IteratorType>
DynamicMaskAttentionOp::getLoopIteratorTypes() {
  return {utils::IteratorType::parallel};
}

SmallVector<Range> DynamicMaskAttentionOp::getIterationDomain(OpBuilder &b) {
  return {fullDomain(b, getLoc(), getQuery()).front()};
}

FailureOr<TilingResult>
DynamicMaskAttentionOp::getTiledImplementation(OpBuilder &b,
                                               ArrayRef<OpFoldResult> offsets,
                                               ArrayRef<OpFoldResult> sizes) {
  OperandTile y = rowsOf(b, offsets[0], sizes[0], shapeOf(getY()).drop_front());
  return tileAttention(*this, b, offsets[0], sizes[0], /*whole=*/4, y);
}

LogicalResult DynamicMaskAttentionOp::getResultTilePosition(
    OpBuilder &b, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  OperandTile y = rowsOf(b, offsets[0], sizes[0], shapeOf(getY()).drop_front());
  resultOffsets = y.offsets;
  resultSizes = y.sizes;
  return success();
}
