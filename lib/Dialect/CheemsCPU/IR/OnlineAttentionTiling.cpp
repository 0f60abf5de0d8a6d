// online_attention tiles over its rows.
#include "AttentionUtils.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

SmallVector<utils::IteratorType> OnlineAttentionOp::getLoopIteratorTypes() {
  return {utils::IteratorType::parallel};
}

SmallVector<Range> OnlineAttentionOp::getIterationDomain(OpBuilder &b) {
  return {fullDomain(b, getLoc(), getQuery()).front()};
}

FailureOr<TilingResult>
OnlineAttentionOp::getTiledImplementation(OpBuilder &b,
                                          ArrayRef<OpFoldResult> offsets,
                                          ArrayRef<OpFoldResult> sizes) {
  SmallVector<OperandTile> destinations;
  for (OpOperand &init : getDpsInitsMutable()) {
    destinations.push_back(
        rowsOf(b, offsets[0], sizes[0], shapeOf(init.get()).drop_front()));
  }
  return tileAttention(*this, b, offsets[0], sizes[0], /*whole=*/5,
                       destinations);
}

LogicalResult OnlineAttentionOp::getResultTilePosition(
    OpBuilder &b, unsigned result, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  Value init = getDpsInitsMutable()[result].get();
  OperandTile tile =
      rowsOf(b, offsets[0], sizes[0], shapeOf(init).drop_front());
  resultOffsets = tile.offsets;
  resultSizes = tile.sizes;
  return success();
}
