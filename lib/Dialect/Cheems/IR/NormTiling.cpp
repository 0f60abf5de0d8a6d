// rms_norm tiles over its rows; the normalised dimension stays whole.
#include "OpUtils.h"

using namespace mlir;
using namespace mlir::cheems;

SmallVector<utils::IteratorType> RmsNormOp::getLoopIteratorTypes() {
  int64_t rank = cast<ShapedType>(getX().getType()).getRank();
  return SmallVector<utils::IteratorType>(rank - 1,
                                          utils::IteratorType::parallel);
}

SmallVector<Range> RmsNormOp::getIterationDomain(OpBuilder &b) {
  SmallVector<Range> domain = fullDomain(b, getLoc(), getX());
  domain.pop_back();
  return domain;
}

FailureOr<TilingResult>
RmsNormOp::getTiledImplementation(OpBuilder &b, ArrayRef<OpFoldResult> offsets,
                                  ArrayRef<OpFoldResult> sizes) {
  OperandTile rows;
  (void)getResultTilePosition(b, 0, offsets, sizes, rows.offsets, rows.sizes);
  return tileOp(*this, b, {rows, {}, rows});
}

LogicalResult RmsNormOp::getResultTilePosition(
    OpBuilder &b, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  resultOffsets.assign(offsets.begin(), offsets.end());
  resultSizes.assign(sizes.begin(), sizes.end());
  resultOffsets.push_back(b.getIndexAttr(0));
  resultSizes.push_back(tensor::getMixedSizes(b, getLoc(), getX()).back());
  return success();
}
