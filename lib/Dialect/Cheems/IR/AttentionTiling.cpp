// dynamic_mask_attention tiles over its query rows.
#include "OpUtils.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace mlir::cheems;

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
  Location loc = getLoc();
  OperandTile rows;
  (void)getResultTilePosition(b, 0, offsets, sizes, rows.offsets, rows.sizes);
  SmallVector<OperandTile> tiles{rows, {}, {}, {}, {}};
  if (getSeen()) {
    tiles.push_back({{offsets[0]}, {sizes[0]}});
  }
  if (getThreshold()) {
    OperandTile kept{
        {offsets[0], b.getIndexAttr(0)},
        {sizes[0],
         b.getIndexAttr(cast<ShapedType>(getMask().getType()).getDimSize(0))}};
    tiles.append({{}, kept, kept});
  }
  tiles.push_back(rows);
  FailureOr<TilingResult> tiled = tileOp(*this, b, tiles);
  if (failed(tiled)) {
    return failure();
  }
  // The tile's rows come after `offset` more rows of the block.
  auto op = cast<DynamicMaskAttentionOp>(tiled->tiledOps.front());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  AffineExpr first = b.getAffineSymbolExpr(0),
             offset = b.getAffineSymbolExpr(1);
  OpFoldResult moved = affine::makeComposedFoldedAffineApply(
      b, loc, first + offset, {getFirst(), offsets[0]});
  op.getFirstMutable().assign(getValueOrCreateConstantIndexOp(b, loc, moved));
  return tiled;
}

LogicalResult DynamicMaskAttentionOp::getResultTilePosition(
    OpBuilder &b, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  SmallVector<OpFoldResult> whole =
      tensor::getMixedSizes(b, getLoc(), getQuery());
  resultOffsets = {offsets[0], b.getIndexAttr(0), b.getIndexAttr(0)};
  resultSizes = {sizes[0], whole[1], whole[2]};
  return success();
}
