// dynamic_mask tiles over rows and heads.
#include "OpUtils.h"

using namespace mlir;
using namespace cheems;

SmallVector<utils::IteratorType> DynamicMaskOp::getLoopIteratorTypes() {
  return {utils::IteratorType::parallel, utils::IteratorType::parallel};
}

SmallVector<Range> DynamicMaskOp::getIterationDomain(OpBuilder &b) {
  return fullDomain(b, getLoc(), getStep());
}

FailureOr<TilingResult>
DynamicMaskOp::getTiledImplementation(OpBuilder &b,
                                      ArrayRef<OpFoldResult> offsets,
                                      ArrayRef<OpFoldResult> sizes) {
  OperandTile tile{SmallVector<OpFoldResult>(offsets),
                   SmallVector<OpFoldResult>(sizes)};
  OperandTile heads{{offsets[1]}, {sizes[1]}};
  return tileOp(*this, b, {tile, heads, tile});
}

LogicalResult DynamicMaskOp::getResultTilePosition(
    OpBuilder &, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  resultOffsets.assign(offsets.begin(), offsets.end());
  resultSizes.assign(sizes.begin(), sizes.end());
  return success();
}
