// Expert ops tile over their rows.
#include "OpUtils.h"

using namespace mlir;
using namespace mlir::cheems;

SmallVector<utils::IteratorType> RetrieveExpertsOp::getLoopIteratorTypes() {
  return {};
}
SmallVector<Range> RetrieveExpertsOp::getIterationDomain(OpBuilder &b) {
  return {};
}
FailureOr<TilingResult>
RetrieveExpertsOp::getTiledImplementation(OpBuilder &b,
                                          ArrayRef<OpFoldResult> offsets,
                                          ArrayRef<OpFoldResult> sizes) {
  return failure();
}
LogicalResult RetrieveExpertsOp::getResultTilePosition(
    OpBuilder &b, unsigned result, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  return failure();
}

SmallVector<utils::IteratorType> MixExpertsOp::getLoopIteratorTypes() {
  return {};
}
SmallVector<Range> MixExpertsOp::getIterationDomain(OpBuilder &b) { return {}; }
FailureOr<TilingResult>
MixExpertsOp::getTiledImplementation(OpBuilder &b,
                                     ArrayRef<OpFoldResult> offsets,
                                     ArrayRef<OpFoldResult> sizes) {
  return failure();
}
LogicalResult MixExpertsOp::getResultTilePosition(
    OpBuilder &b, unsigned result, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  return failure();
}
