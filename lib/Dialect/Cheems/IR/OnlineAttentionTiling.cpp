// online_attention tiles over its rows.
#include "OpUtils.h"

using namespace mlir;
using namespace mlir::cheems;

SmallVector<utils::IteratorType> OnlineAttentionOp::getLoopIteratorTypes() {
  return {};
}
SmallVector<Range> OnlineAttentionOp::getIterationDomain(OpBuilder &b) {
  return {};
}
FailureOr<TilingResult>
OnlineAttentionOp::getTiledImplementation(OpBuilder &b,
                                          ArrayRef<OpFoldResult> offsets,
                                          ArrayRef<OpFoldResult> sizes) {
  return failure();
}
LogicalResult OnlineAttentionOp::getResultTilePosition(
    OpBuilder &b, unsigned result, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  return failure();
}
