// What dynamic_mask_attention and online_attention share: constraints, tiles
// of rows, and the scalar score of one entry.
#ifndef CHEEMS_LIB_DIALECT_CHEEMSCPU_IR_ATTENTIONUTILS_H
#define CHEEMS_LIB_DIALECT_CHEEMSCPU_IR_ATTENTIONUTILS_H

#include "EntryScales.h"
#include "cheems/Support/MLIR.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"

namespace cheems::cpu {

/// C3: of rows or entries, which extent `free` counts, there may be any number;
/// all other extents of `values` are static. Null is none of them.
inline LogicalResult verifyStatic(Operation *op, size_t free,
                                  ArrayRef<Value> values) {
  for (Value value : values) {
    if (!value) {
      continue;
    }
    ArrayRef<int64_t> shape = shapeOf(value);
    if (ShapedType::isDynamicShape(shape.take_front(free)) ||
        ShapedType::isDynamicShape(shape.drop_front(free + 1))) {
      return op->emitOpError("C3: numbers of heads and head size are static");
    }
  }
  return success();
}

/// C1 (query and y) to C11. `entries` is the letter of the entries' extent.
template <typename Op>
LogicalResult verifyAttention(Op op, const char *entries) {
  ArrayRef<int64_t> query = shapeOf(op.getQuery()),
                    keys = shapeOf(op.getKeys());
  if (failed(verifySameShape(op, "C1", query, shapeOf(op.getY()),
                             "shapes of query and y"))) {
    return failure();
  }
  if (op.getKeys().getType() != op.getValues().getType() ||
      !compatible(keys[2], query[2])) {
    return op.emitOpError("C2: keys and values have the same type [G, ")
           << entries << ", P] with the P of query";
  }
  if (failed(verifyStatic(
          op, 0,
          {op.getQuery(), op.getY(), op.getThreshold(), op.getLast()})) ||
      failed(verifyStatic(op, 1,
                          {op.getKeys(), op.getValues(), op.getMask(),
                           op.getPosition(), op.getKeyScales(),
                           op.getValueScales()}))) {
    return failure();
  }
  if (static_cast<bool>(op.getMask()) != (op.getKind() != MaskKind::None)) {
    return op.emitOpError(
        "C10: mask is given unless the kind is none, and only then");
  }
  // Without a mask nothing else has its shape.
  int64_t heads = query[1], maskHeads = op.getMaskHeads();
  if (heads == 0 || keys[0] == 0 || maskHeads == 0 || heads % keys[0] != 0 ||
      heads % maskHeads != 0) {
    return op.emitOpError("C3: ")
           << heads << " query heads cannot be divided among " << keys[0]
           << " key heads and " << maskHeads << " mask heads";
  }
  ArrayRef<int64_t> mask = shapeOf(op.getMask() ? op.getMask() : op.getKeys());
  if (!compatible(mask[1], keys[1])) {
    return op.emitOpError("C4: mask is [M, ")
           << entries << "] with the " << entries << " of keys";
  }
  bool kept = op.getPosition() && op.getThreshold() && op.getLast();
  if (!kept && (op.getPosition() || op.getThreshold() || op.getLast())) {
    return op.emitOpError(
        "C5: position, threshold and last are given together");
  }
  if (kept && op.getKind() != MaskKind::Bias) {
    return op.emitOpError("C5: only kind bias keeps keys by rank");
  }
  int64_t rows[] = {query[0], maskHeads};
  if (kept &&
      (failed(verifySameShape(op, "C5", shapeOf(op.getPosition()), mask,
                              "shapes of position and mask")) ||
       failed(verifySameShape(op, "C5", shapeOf(op.getThreshold()), rows,
                              "shapes of threshold and [T, M]")) ||
       failed(verifySameShape(op, "C5", shapeOf(op.getLast()), rows,
                              "shapes of last and [T, M]")))) {
    return failure();
  }
  if (op.getHideBelow().has_value() != (op.getKind() == MaskKind::Threshold)) {
    return op.emitOpError(
        "C6: hide_below is given for kind threshold, and only then");
  }
  if (op.getSeen() && (op.getKind() != MaskKind::Threshold ||
                       !compatible(shapeOf(op.getSeen())[0], query[0]))) {
    return op.emitOpError(
        "C7: seen is [T], and is given only for kind threshold");
  }
  if (failed(verifyEntryScales(op, "C8"))) {
    return failure();
  }
  if (op.getAllowBf16() && !op.getKeyScales()) {
    return op.emitOpError("C9: allow_bf16 is given only for i8");
  }
  if (op.getWindow() && (static_cast<int64_t>(*op.getWindow()) < 1 ||
                         op.getKind() != MaskKind::None)) {
    return op.emitOpError(
        "C11: window is at least 1, and given only for kind none");
  }
  return success();
}

/// Rows [offset, offset + size) of an operand whose other extents are
/// `extents`.
inline OperandTile rowsOf(OpBuilder &b, OpFoldResult offset, OpFoldResult size,
                          ArrayRef<int64_t> extents) {
  OperandTile tile{{offset}, {size}};
  for (int64_t extent : extents) {
    tile.offsets.push_back(b.getIndexAttr(0));
    tile.sizes.push_back(b.getIndexAttr(extent));
  }
  return tile;
}

/// `op` on a tile of its rows. `whole` operands after the query have none, one
/// less without a mask; `destinations` are cut as given.
template <typename Op>
FailureOr<TilingResult> tileAttention(Op op, OpBuilder &b, OpFoldResult offset,
                                      OpFoldResult size, unsigned whole,
                                      ArrayRef<OperandTile> destinations) {
  SmallVector<OperandTile> tiles{
      rowsOf(b, offset, size, shapeOf(op.getQuery()).drop_front())};
  tiles.append(op.getMask() ? whole : whole - 1, {});
  if (op.getSeen()) {
    tiles.push_back(rowsOf(b, offset, size, {}));
  }
  if (op.getThreshold()) {
    OperandTile kept = rowsOf(b, offset, size, {op.getMaskHeads()});
    tiles.append({{}, kept, kept});
  }
  if (op.getKeyScales()) {
    tiles.append(2, {});
  }
  llvm::append_range(tiles, destinations);
  FailureOr<TilingResult> tiled = tileOp(op, b, tiles);
  if (failed(tiled)) {
    return failure();
  }
  // The tile's rows come after `offset` more rows of the block.
  auto tile = cast<Op>(tiled->tiledOps.front());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(tile);
  AffineExpr first = b.getAffineSymbolExpr(0),
             rowsBefore = b.getAffineSymbolExpr(1);
  OpFoldResult moved = affine::makeComposedFoldedAffineApply(
      b, op.getLoc(), first + rowsBefore, {op.getFirst(), offset});
  tile.getFirstMutable().assign(
      getValueOrCreateConstantIndexOp(b, op.getLoc(), moved));
  return tiled;
}

/// One row and query head of either op, in scalar loops on tensors.
struct AttentionRow {
  // These are the op's operands.
  Value query, keys, values, mask, position, threshold, last, keyScales,
      valueScales;
  MaskKind kind;
  double scale;
  std::optional<double> hideBelow;
  int64_t size;
  Value t, head, keyHead, maskHead, zero, one;

  template <typename Op>
  AttentionRow(Op op, OpBuilder &b, Location loc, Value t, Value head)
      : query(op.getQuery()), keys(op.getKeys()), values(op.getValues()),
        mask(op.getMask()), position(op.getPosition()),
        threshold(op.getThreshold()), last(op.getLast()),
        keyScales(op.getKeyScales()), valueScales(op.getValueScales()),
        kind(op.getKind()), scale(op.getScale().convertToDouble()),
        size(shapeOf(query)[2]), t(t), head(head),
        zero(constantIndex(b, loc, 0)), one(constantIndex(b, loc, 1)) {
    if (op.getHideBelow()) {
      hideBelow = leastF32(*op.getHideBelow()).convertToFloat();
    }
    int64_t heads = shapeOf(query)[1];
    auto group = [&](int64_t groups) -> Value {
      return arith::DivUIOp::create(b, loc, head,
                                    constantIndex(b, loc, heads / groups));
    };
    keyHead = group(shapeOf(keys)[0]);
    maskHead = group(op.getMaskHeads());
  }

  /// Score of entry j, and whether the mask shows it.
  std::pair<Value, Value> score(OpBuilder &b, Location loc, Value j) const;
  /// What entry j's value is multiplied by, for its exponential e.
  Value weight(OpBuilder &b, Location loc, Value e, Value j) const;
  /// y[t, head, p] = map(y[t, head, p], p) for every p.
  Value update(OpBuilder &b, Location loc, Value y,
               llvm::function_ref<Value(OpBuilder &, Value, Value)> map) const;
  /// y[t, head, p] + weight * values[keyHead, j, p] for every p.
  Value add(OpBuilder &b, Location loc, Value y, Value weight, Value j) const;
};

/// How many entries row t may see, counted from the first stored one.
template <typename Op>
Value entriesSeen(Op op, OpBuilder &b, Location loc, Value t) {
  if (op.getSeen()) {
    Value seen = tensor::ExtractOp::create(b, loc, op.getSeen(), ValueRange{t});
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), seen);
  }
  Value before = arith::AddIOp::create(b, loc, op.getFirst(), t);
  return arith::AddIOp::create(b, loc, before, constantIndex(b, loc, 1));
}

/// How many of the entries from the first stored one are too old for row t, at
/// most as many as it may see.
template <typename Op>
Value entriesPassed(Op op, OpBuilder &b, Location loc, Value t) {
  Value zero = constantIndex(b, loc, 0);
  if (!op.getWindow()) {
    return zero;
  }
  Value seen = entriesSeen(op, b, loc, t);
  Value window = constantIndex(b, loc, static_cast<int64_t>(*op.getWindow()));
  return arith::MaxSIOp::create(b, loc, zero,
                                arith::SubIOp::create(b, loc, seen, window));
}

} // namespace cheems::cpu

#endif
