// rotary tiles over rows and heads; a head stays whole because its halves are
// paired.
#include "OpUtils.h"

using namespace mlir;
using namespace cheems;

SmallVector<utils::IteratorType> RotaryOp::getLoopIteratorTypes() {
  return {utils::IteratorType::parallel, utils::IteratorType::parallel};
}

SmallVector<Range> RotaryOp::getIterationDomain(OpBuilder &b) {
  return rowDomain(b, getLoc(), getX());
}

FailureOr<TilingResult>
RotaryOp::getTiledImplementation(OpBuilder &b, ArrayRef<OpFoldResult> offsets,
                                 ArrayRef<OpFoldResult> sizes) {
  OperandTile heads = rowTile(b, getLoc(), getX(), offsets, sizes);
  OperandTile table{{offsets[0], b.getIndexAttr(0)},
                    {sizes[0], b.getIndexAttr(getTurned() / 2)}};
  return tileOp(*this, b, {heads, table, table, heads});
}

LogicalResult RotaryOp::getResultTilePosition(
    OpBuilder &b, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  OperandTile tile = rowTile(b, getLoc(), getX(), offsets, sizes);
  resultOffsets = std::move(tile.offsets);
  resultSizes = std::move(tile.sizes);
  return success();
}
