// column_epilogue tiles over rows and over panels of columns, as the matmul
// before it does.
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "lib/Dialect/Cheems/IR/OpUtils.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {
constexpr int64_t kColumns = LinearOp::kColumns;

OperandTile columnTile(OpBuilder &b, Location loc, Value y,
                       ArrayRef<OpFoldResult> offsets,
                       ArrayRef<OpFoldResult> sizes) {
  AffineExpr p = b.getAffineDimExpr(0), count = b.getAffineDimExpr(1),
             columns = b.getAffineSymbolExpr(0);
  OperandTile tile;
  tile.offsets = {offsets[0], affine::makeComposedFoldedAffineApply(
                                  b, loc, p * kColumns, {offsets[1]})};
  OpFoldResult all = tensor::getMixedSize(b, loc, y, 1);
  std::optional<int64_t> extent = getConstantIntValue(all);
  OpFoldResult size =
      extent && *extent % kColumns == 0
          ? affine::makeComposedFoldedAffineApply(b, loc, p * kColumns,
                                                  {sizes[1]})
          : affine::makeComposedFoldedAffineMin(
                b, loc,
                AffineMap::get(2, 1, {count * kColumns, columns - p * kColumns},
                               b.getContext()),
                {offsets[1], sizes[1], all});
  tile.sizes = {sizes[0], size};
  return tile;
}

/// Whether `count` panels from panel `first` on are known to cut no head. They
/// begin between heads if tiles have one size and begin at multiples of it.
bool holdsWholeHeads(ColumnEpilogueOp op, OpFoldResult first,
                     OpFoldResult count) {
  int64_t least = op.getLeastPanels(),
          columns = cast<ShapedType>(op.getY().getType()).getDimSize(1);
  bool dynamic = ShapedType::isDynamic(columns);
  std::optional<int64_t> from = getConstantIntValue(first),
                         size = getConstantIntValue(count);
  if (from && *from % least != 0) {
    return false;
  }
  if (size) {
    bool toTheEnd = from && !dynamic && (*from + *size) * kColumns >= columns;
    return *size % least == 0 || toTheEnd;
  }
  // A tile's size, or what is left of the columns at their end.
  if (auto min = cast<Value>(count).getDefiningOp<affine::AffineMinOp>()) {
    AffineMap map = min.getMap();
    SmallVector<Value> operands(min->getOperands());
    affine::canonicalizeMapAndOperands(&map, &operands); // constants into it
    return llvm::count_if(map.getResults(), [&](AffineExpr panels) {
             return !panels.isMultipleOf(least);
           }) <= 1;
  }
  // Columns that are not cut: nobody knows how many there are.
  return least == 1 || (dynamic && from && *from == 0);
}
} // namespace

SmallVector<utils::IteratorType> ColumnEpilogueOp::getLoopIteratorTypes() {
  return {utils::IteratorType::parallel, utils::IteratorType::parallel};
}

SmallVector<Range> ColumnEpilogueOp::getIterationDomain(OpBuilder &b) {
  SmallVector<Range> domain = fullDomain(b, getLoc(), getY());
  domain[1].size = affine::makeComposedFoldedAffineApply(
      b, getLoc(), b.getAffineDimExpr(0).ceilDiv(kColumns), {domain[1].size});
  return domain;
}

FailureOr<TilingResult>
ColumnEpilogueOp::getTiledImplementation(OpBuilder &b,
                                         ArrayRef<OpFoldResult> offsets,
                                         ArrayRef<OpFoldResult> sizes) {
  if (!holdsWholeHeads(*this, offsets[1], sizes[1])) {
    return failure();
  }
  Location loc = getLoc();
  OperandTile tile = columnTile(b, loc, getY(), offsets, sizes);
  SmallVector<Operation *> slices;
  auto cut = [&](Value value, ArrayRef<OpFoldResult> from,
                 ArrayRef<OpFoldResult> size) {
    Value part = slice(b, loc, value, from, size);
    slices.push_back(part.getDefiningOp());
    return part;
  };
  AffineExpr n = b.getAffineDimExpr(0), before = b.getAffineDimExpr(1);
  OpFoldResult at = getAt() ? affine::makeComposedFoldedAffineApply(
                                  b, loc, n + before,
                                  {tile.offsets[1], OpFoldResult(getAt())})
                            : tile.offsets[1];
  auto rowsOf = [&](Value table) {
    return table ? cut(table, {offsets[0], b.getIndexAttr(0)},
                       {sizes[0], tensor::getMixedSize(b, loc, table, 1)})
                 : Value();
  };
  Value cosine = rowsOf(getCosine()), sine = rowsOf(getSine());
  Value y = cut(getY(), tile.offsets, tile.sizes);
  auto tiled = ColumnEpilogueOp::create(
      b, loc, TypeRange{y.getType()}, getRotatedAttr(), getMappedAttr(),
      getValueOrCreateConstantIndexOp(b, loc, at), cosine, sine, getWith(), y,
      [&](OpBuilder &b, ValueRange arguments) {
        return cloneEpilogue(b, getEpilogue(), arguments);
      });
  return TilingResult{{tiled}, {tiled->getResult(0)}, slices};
}

LogicalResult ColumnEpilogueOp::getResultTilePosition(
    OpBuilder &b, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  OperandTile tile = columnTile(b, getLoc(), getY(), offsets, sizes);
  resultOffsets = std::move(tile.offsets);
  resultSizes = std::move(tile.sizes);
  return success();
}
