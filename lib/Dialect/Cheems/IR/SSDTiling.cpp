// ssd tiles along its rows into chunks, and over heads.
#include "OpUtils.h"

using namespace mlir;
using namespace mlir::cheems;

SmallVector<utils::IteratorType> SSDOp::getLoopIteratorTypes() { return {}; }
SmallVector<Range> SSDOp::getIterationDomain(OpBuilder &b) { return {}; }
FailureOr<TilingResult>
SSDOp::getTiledImplementation(OpBuilder &b, ArrayRef<OpFoldResult> offsets,
                              ArrayRef<OpFoldResult> sizes) {
  return failure();
}
LogicalResult SSDOp::getResultTilePosition(
    OpBuilder &b, unsigned result, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  return failure();
}

SmallVector<utils::IteratorType> SSDChunkOp::getLoopIteratorTypes() {
  return {};
}
SmallVector<Range> SSDChunkOp::getIterationDomain(OpBuilder &b) { return {}; }
FailureOr<TilingResult>
SSDChunkOp::getTiledImplementation(OpBuilder &b, ArrayRef<OpFoldResult> offsets,
                                   ArrayRef<OpFoldResult> sizes) {
  return failure();
}
LogicalResult SSDChunkOp::getResultTilePosition(
    OpBuilder &b, unsigned result, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  return failure();
}
