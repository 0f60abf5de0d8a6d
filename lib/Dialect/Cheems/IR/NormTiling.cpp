// rms_norm tiles over its rows; the normalised dimension stays whole.
#include "OpUtils.h"

using namespace mlir;
using namespace cheems;

SmallVector<utils::IteratorType> RmsNormOp::getLoopIteratorTypes() {
  int64_t rank = cast<ShapedType>(getX().getType()).getRank();
  return SmallVector<utils::IteratorType>(rank - 1,
                                          utils::IteratorType::parallel);
}

SmallVector<Range> RmsNormOp::getIterationDomain(OpBuilder &b) {
  return rowDomain(b, getLoc(), getX());
}

FailureOr<TilingResult>
RmsNormOp::getTiledImplementation(OpBuilder &b, ArrayRef<OpFoldResult> offsets,
                                  ArrayRef<OpFoldResult> sizes) {
  OperandTile rows = rowTile(b, getLoc(), getX(), offsets, sizes);
  return tileOp(*this, b, {rows, {}, rows});
}

LogicalResult RmsNormOp::getResultTilePosition(
    OpBuilder &b, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  OperandTile tile = rowTile(b, getLoc(), getX(), offsets, sizes);
  resultOffsets = std::move(tile.offsets);
  resultSizes = std::move(tile.sizes);
  return success();
}
