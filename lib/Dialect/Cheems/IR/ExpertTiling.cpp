// Expert ops tile over their rows.
#include "OpUtils.h"

using namespace mlir;
using namespace cheems;

namespace {
/// Rows [offset, offset + size) of `value`, everything else whole.
OperandTile rowsOf(OpBuilder &b, Value value, OpFoldResult offset,
                   OpFoldResult size) {
  OperandTile tile;
  tile.sizes = tensor::getMixedSizes(b, value.getLoc(), value);
  tile.offsets.assign(tile.sizes.size(), b.getIndexAttr(0));
  tile.offsets[0] = offset;
  tile.sizes[0] = size;
  return tile;
}
} // namespace

SmallVector<utils::IteratorType> RetrieveExpertsOp::getLoopIteratorTypes() {
  return {utils::IteratorType::parallel};
}

SmallVector<Range> RetrieveExpertsOp::getIterationDomain(OpBuilder &b) {
  return {fullDomain(b, getLoc(), getScores()).front()};
}

FailureOr<TilingResult>
RetrieveExpertsOp::getTiledImplementation(OpBuilder &b,
                                          ArrayRef<OpFoldResult> offsets,
                                          ArrayRef<OpFoldResult> sizes) {
  SmallVector<OperandTile> tiles;
  for (Value operand : getOperands()) {
    tiles.push_back(rowsOf(b, operand, offsets[0], sizes[0]));
  }
  return tileOp(*this, b, tiles);
}

LogicalResult RetrieveExpertsOp::getResultTilePosition(
    OpBuilder &b, unsigned result, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  OperandTile tile = rowsOf(b, getDpsInits()[result], offsets[0], sizes[0]);
  resultOffsets = std::move(tile.offsets);
  resultSizes = std::move(tile.sizes);
  return success();
}

SmallVector<utils::IteratorType> MixExpertsOp::getLoopIteratorTypes() {
  return {utils::IteratorType::parallel};
}

SmallVector<Range> MixExpertsOp::getIterationDomain(OpBuilder &b) {
  return {fullDomain(b, getLoc(), getX()).front()};
}

FailureOr<TilingResult>
MixExpertsOp::getTiledImplementation(OpBuilder &b,
                                     ArrayRef<OpFoldResult> offsets,
                                     ArrayRef<OpFoldResult> sizes) {
  SmallVector<OperandTile> tiles;
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    // Any row may retrieve any expert of `down` and `up`.
    bool ofRows = llvm::is_contained({getX(), getScore(), getExpert(), getY()},
                                     operand.get());
    tiles.push_back(ofRows ? rowsOf(b, operand.get(), offsets[0], sizes[0])
                           : OperandTile());
  }
  return tileOp(*this, b, tiles);
}

LogicalResult MixExpertsOp::getResultTilePosition(
    OpBuilder &b, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  OperandTile tile = rowsOf(b, getY(), offsets[0], sizes[0]);
  resultOffsets = std::move(tile.offsets);
  resultSizes = std::move(tile.sizes);
  return success();
}
