// ssd tiles along its rows into chunks, and over heads; ssd_chunk over heads.
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "lib/Dialect/Cheems/IR/OpUtils.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {
/// Offset and size of a tile in one dimension.
struct Part {
  OpFoldResult offset, size;
};

/// The groups that the tile's heads read. None if the tile is neither one head
/// nor whole groups from the beginning of a group.
template <typename Op>
FailureOr<Part> groupsOf(Op op, OpBuilder &b, const Part &heads) {
  int64_t count = cast<ShapedType>(op.getX().getType()).getDimSize(1);
  int64_t groups = cast<ShapedType>(op.getB().getType()).getDimSize(1);
  if (isConstantIntValue(heads.size, count)) {
    return Part{b.getIndexAttr(0), b.getIndexAttr(groups)};
  }
  int64_t perGroup = count / groups;
  std::optional<int64_t> size = getConstantIntValue(heads.size);
  std::optional<int64_t> offset = getConstantIntValue(heads.offset);
  if (!size || (*size != 1 && *size % perGroup != 0) ||
      (*size != 1 && offset && *offset % perGroup != 0)) {
    return failure();
  }
  // Offsets of equal tiles are multiples of their size, so they start a group
  // where the size is whole groups.
  OpFoldResult first = affine::makeComposedFoldedAffineApply(
      b, op.getLoc(), b.getAffineDimExpr(0).floorDiv(perGroup), {heads.offset});
  return Part{first, b.getIndexAttr(*size == 1 ? 1 : *size / perGroup)};
}

/// `op` on `heads` of `rows`.
template <typename Op>
FailureOr<TilingResult> tileSSD(Op op, OpBuilder &b, const Part &rows,
                                const Part &heads) {
  FailureOr<Part> groups = groupsOf(op, b, heads);
  if (failed(groups)) {
    return failure();
  }
  OpFoldResult zero = b.getIndexAttr(0);
  ArrayRef<int64_t> state =
      cast<ShapedType>(op.getState().getType()).getShape();
  OpFoldResult stateSize = b.getIndexAttr(state[1]),
               headSize = b.getIndexAttr(state[2]);
  OperandTile x{{rows.offset, heads.offset, zero},
                {rows.size, heads.size, headSize}};
  OperandTile step{{rows.offset, heads.offset}, {rows.size, heads.size}};
  OperandTile vector{{heads.offset}, {heads.size}};
  OperandTile factor{{rows.offset, groups->offset, zero},
                     {rows.size, groups->size, stateSize}};
  OperandTile carried{{heads.offset, zero, zero},
                      {heads.size, stateSize, headSize}};
  if (isConstantIntValue(heads.size, state[0])) {
    vector = carried = {}; // taken whole
  }
  SmallVector<OperandTile> tiles{x, step, vector, factor, factor};
  if (op.getSkip()) {
    tiles.push_back(vector);
  }
  tiles.append({x, carried});
  return tileOp(op, b, tiles);
}

/// Finds where a result of a tile lies. Result 0 is y, the other the state.
template <typename Op>
void resultTile(Op op, OpBuilder &b, unsigned result, const Part &rows,
                const Part &heads, SmallVector<OpFoldResult> &offsets,
                SmallVector<OpFoldResult> &sizes) {
  ArrayRef<int64_t> state =
      cast<ShapedType>(op.getState().getType()).getShape();
  OpFoldResult zero = b.getIndexAttr(0), headSize = b.getIndexAttr(state[2]);
  if (result == 0) {
    offsets = {rows.offset, heads.offset, zero};
    sizes = {rows.size, heads.size, headSize};
  } else {
    offsets = {heads.offset, zero, zero};
    sizes = {heads.size, b.getIndexAttr(state[1]), headSize};
  }
}

/// Every row of `op`.
template <typename Op> Part allRows(Op op, OpBuilder &b) {
  return {b.getIndexAttr(0),
          tensor::getMixedSize(b, op.getLoc(), op.getX(), 0)};
}

/// Whether a tile of `op` is known to hold every row.
bool isAllRows(SSDOp op, const Part &rows) {
  int64_t count = cast<ShapedType>(op.getX().getType()).getDimSize(0);
  if (!isConstantIntValue(rows.offset, 0)) {
    return false;
  }
  if (!ShapedType::isDynamic(count)) {
    return isConstantIntValue(rows.size, count);
  }
  auto size = dyn_cast<Value>(rows.size);
  auto dim = size ? size.getDefiningOp<tensor::DimOp>() : nullptr;
  return dim && dim.getSource() == op.getX() && dim.getConstantIndex() == 0;
}
} // namespace

SmallVector<utils::IteratorType> SSDOp::getLoopIteratorTypes() {
  return {utils::IteratorType::reduction, utils::IteratorType::parallel};
}

SmallVector<Range> SSDOp::getIterationDomain(OpBuilder &b) {
  return rowDomain(b, getLoc(), getX());
}

FailureOr<TilingResult>
SSDOp::getTiledImplementation(OpBuilder &b, ArrayRef<OpFoldResult> offsets,
                              ArrayRef<OpFoldResult> sizes) {
  Part rows{offsets[0], sizes[0]};
  FailureOr<TilingResult> tiled =
      tileSSD(*this, b, rows, {offsets[1], sizes[1]});
  if (failed(tiled) || isAllRows(*this, rows)) {
    return tiled;
  }
  Operation *part = tiled->tiledOps.front();
  auto chunk = SSDChunkOp::create(
      b, getLoc(), part->getResultTypes(), part->getOperands(),
      part->getDiscardableAttrDictionary().getValue());
  chunk.setAllowBf16(getAllowBf16());
  part->erase();
  tiled->tiledOps = {chunk};
  tiled->tiledValues.assign(chunk->result_begin(), chunk->result_end());
  return tiled;
}

LogicalResult SSDOp::getResultTilePosition(
    OpBuilder &b, unsigned result, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  resultTile(*this, b, result, {offsets[0], sizes[0]}, {offsets[1], sizes[1]},
             resultOffsets, resultSizes);
  return success();
}

SmallVector<utils::IteratorType> SSDChunkOp::getLoopIteratorTypes() {
  return {utils::IteratorType::parallel};
}

SmallVector<Range> SSDChunkOp::getIterationDomain(OpBuilder &b) {
  return {rowDomain(b, getLoc(), getX()).back()};
}

FailureOr<TilingResult>
SSDChunkOp::getTiledImplementation(OpBuilder &b, ArrayRef<OpFoldResult> offsets,
                                   ArrayRef<OpFoldResult> sizes) {
  return tileSSD(*this, b, allRows(*this, b), {offsets[0], sizes[0]});
}

LogicalResult SSDChunkOp::getResultTilePosition(
    OpBuilder &b, unsigned result, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  resultTile(*this, b, result, allRows(*this, b), {offsets[0], sizes[0]},
             resultOffsets, resultSizes);
  return success();
}
