// linear tiles over rows and over panels; K stays whole.
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "lib/Dialect/Cheems/IR/OpUtils.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {
/// Rows and panels of a tile as rows and columns of y: the last panel may reach
/// past N.
OperandTile columnTile(OpBuilder &b, Location loc, Value y,
                       ArrayRef<OpFoldResult> offsets,
                       ArrayRef<OpFoldResult> sizes) {
  AffineExpr p = b.getAffineDimExpr(0), count = b.getAffineDimExpr(1),
             columns = b.getAffineSymbolExpr(0);
  constexpr int64_t width = LinearOp::kColumns;
  OperandTile tile;
  tile.offsets = {offsets[0], affine::makeComposedFoldedAffineApply(
                                  b, loc, p * width, {offsets[1]})};
  OpFoldResult size = affine::makeComposedFoldedAffineApply(
      b, loc, AffineMap::get(1, 0, b.getAffineDimExpr(0) * width), {sizes[1]});
  std::optional<int64_t> extent =
      getConstantIntValue(tensor::getMixedSize(b, loc, y, 1));
  if (!extent || *extent % width != 0) {
    size = affine::makeComposedFoldedAffineMin(
        b, loc,
        AffineMap::get(2, 1, {count * width, columns - p * width},
                       b.getContext()),
        {offsets[1], sizes[1], tensor::getMixedSize(b, loc, y, 1)});
  }
  tile.sizes = {sizes[0], size};
  return tile;
}

/// Rows and panels of `op` whose results are the tile `output` of y.
FailureOr<TilingResult> tileInto(LinearOp op, OpBuilder &b,
                                 ArrayRef<OpFoldResult> offsets,
                                 ArrayRef<OpFoldResult> sizes,
                                 const OperandTile &output) {
  Location loc = op.getLoc();
  SmallVector<OperandTile> tiles{
      {{offsets[0], b.getIndexAttr(0)},
       {sizes[0], tensor::getMixedSize(b, loc, op.getX(), 1)}}};
  SmallVector<Value> panels(op.getWeights());
  llvm::append_range(panels, op.getScales());
  for (Value operand : panels) {
    OperandTile tile;
    tile.sizes = tensor::getMixedSizes(b, loc, operand);
    tile.offsets.assign(tile.sizes.size(), b.getIndexAttr(0));
    tile.offsets[0] = offsets[1];
    tile.sizes[0] = sizes[1];
    tiles.push_back(tile);
  }
  for (Value operand : op.getWith()) {
    bool row = cast<ShapedType>(operand.getType()).getRank() == 1;
    tiles.push_back(row ? OperandTile{{output.offsets[1]}, {output.sizes[1]}}
                        : output);
  }
  tiles.push_back(output);
  return tileOp(op, b, tiles);
}

/// Whether a panel is known to begin at this column.
bool beginsPanel(OpFoldResult column) {
  if (std::optional<int64_t> known = getConstantIntValue(column)) {
    return *known % LinearOp::kColumns == 0;
  }
  auto apply = cast<Value>(column).getDefiningOp<affine::AffineApplyOp>();
  return apply && apply.getMap().getResult(0).isMultipleOf(LinearOp::kColumns);
}
} // namespace

SmallVector<utils::IteratorType> LinearOp::getLoopIteratorTypes() {
  return {utils::IteratorType::parallel, utils::IteratorType::parallel};
}

SmallVector<Range> LinearOp::getIterationDomain(OpBuilder &b) {
  return {fullDomain(b, getLoc(), getX())[0],
          fullDomain(b, getLoc(), getWeights()[0])[0]};
}

FailureOr<TilingResult>
LinearOp::getTiledImplementation(OpBuilder &b, ArrayRef<OpFoldResult> offsets,
                                 ArrayRef<OpFoldResult> sizes) {
  return tileInto(*this, b, offsets, sizes,
                  columnTile(b, getLoc(), getY(), offsets, sizes));
}

LogicalResult LinearOp::getResultTilePosition(
    OpBuilder &b, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  OperandTile tile = columnTile(b, getLoc(), getY(), offsets, sizes);
  resultOffsets = std::move(tile.offsets);
  resultSizes = std::move(tile.sizes);
  return success();
}

/// None if the columns may begin inside a panel. If they end in one, the rest
/// of the panel is left out. The result is cut as it is asked for, because what
/// reads it writes the same tile.
FailureOr<TilingResult>
LinearOp::generateResultTileValue(OpBuilder &b, unsigned,
                                  ArrayRef<OpFoldResult> offsets,
                                  ArrayRef<OpFoldResult> sizes) {
  if (!beginsPanel(offsets[1])) {
    return failure();
  }
  AffineExpr n = b.getAffineDimExpr(0);
  auto panels = [&](AffineExpr expr, OpFoldResult columns) {
    return affine::makeComposedFoldedAffineApply(
        b, getLoc(), AffineMap::get(1, 0, expr), {columns});
  };
  return tileInto(
      *this, b, {offsets[0], panels(n.floorDiv(kColumns), offsets[1])},
      {sizes[0], panels(n.ceilDiv(kColumns), sizes[1])},
      {SmallVector<OpFoldResult>(offsets), SmallVector<OpFoldResult>(sizes)});
}
