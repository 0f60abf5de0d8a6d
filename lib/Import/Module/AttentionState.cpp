// One sequence and state head of attention.
#include "AttentionState.h"
#include <cmath>

namespace cheems {
using namespace mlir;

OpFoldResult AttentionState::headTimes(int64_t factor) {
  return affine::makeComposedFoldedAffineApply(
      e.b, e.b.getLoc(), AffineMap::get(1, 0, e.b.getAffineDimExpr(0) * factor),
      {head});
}

/// Copies the block's rows of `from` [T, G, P] to entries from `first` on.
Value AttentionState::append(Value into, Value from, const Block &rows,
                             OpFoldResult first) {
  int64_t size = types.config.headDim;
  OpFoldResult zero = e.attr(0), one = e.attr(1), width = e.attr(size);
  Value source = e.slice(from, {rows.row, keyValueHead, zero},
                         {rows.count, one, width}, {rows.staticCount, size});
  Value target = e.slice(into, {zero, first, zero}, {one, rows.count, width},
                         {rows.staticCount, size});
  Type element = types.stateElement();
  // A copy op and not an elementwise one: canonicalisation would see through
  // that, and bufferisation copy in its place.
  Value stored =
      element.isF32()
          ? linalg::CopyOp::create(e.b, source, target).getResult(0)
          : e.map(source, e.b.getMultiDimIdentityMap(2), target,
                  [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                    return arith::TruncFOp::create(b, loc, element, args[0]);
                  });
  return e.insert(stored, into, {zero, first, zero}, {one, rows.count, width});
}

Value AttentionState::appendMask(const Block &rows, OpFoldResult first) {
  OpFoldResult zero = e.attr(0), heads = e.attr(masksPerHead);
  OpFoldResult firstHead = headTimes(masksPerHead);
  Value target = e.slice(entries[2], {zero, first}, {heads, rows.count},
                         {masksPerHead, rows.staticCount});
  Value stored;
  if (mask) {
    Value source = e.slice(mask, {rows.row, firstHead}, {rows.count, heads},
                           {rows.staticCount, masksPerHead});
    AffineMap transposed = AffineMap::getPermutationMap(
        ArrayRef<unsigned>{1, 0}, e.b.getContext());
    stored =
        e.map(source, transposed, target,
              [](OpBuilder &, Location, ValueRange args) { return args[0]; });
  } else {
    stored = e.map({}, {}, target, [&](OpBuilder &b, Location loc, ValueRange) {
      return visibility(b, loc, firstHead);
    });
  }
  return e.insert(stored, entries[2], {zero, first}, {heads, rows.count});
}

/// 1 for a head of A that sees every key, else 0: the heads are known, so no
/// table is stored.
Value AttentionState::visibility(OpBuilder &b, Location loc,
                                 OpFoldResult firstHead) {
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
  };
  Value result = constant(1);
  bool mixed = masksPerHead > 1 &&
               llvm::any_of(visibleHeads, [](bool seen) { return !seen; });
  if (!mixed) { // a group with no visible head is never asked
    return result;
  }
  Value head = arith::AddIOp::create(
      b, loc, getValueOrCreateConstantIndexOp(b, loc, firstHead),
      linalg::IndexOp::create(b, loc, 0));
  for (auto [i, seen] : llvm::enumerate(visibleHeads)) {
    if (!seen) {
      Value here =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, head,
                                arith::ConstantIndexOp::create(b, loc, i));
      result = arith::SelectOp::create(b, loc, here, constant(0), result);
    }
  }
  return result;
}

Value AttentionState::appendPriority(const Block &rows, OpFoldResult first) {
  OpFoldResult zero = e.attr(0), one = e.attr(1);
  Value target = e.slice(entries[3], {zero, first}, {one, rows.count},
                         {1, rows.staticCount});
  Value stored = e.map(
      {}, {}, target, [&](OpBuilder &b, Location loc, ValueRange) -> Value {
        // Even positions above odd ones, then the lower above the higher:
        // docs/rationale.md, "Equal masks".
        auto constant = [&](int32_t value) -> Value {
          return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
        };
        Value at = arith::AddIOp::create(b, loc, rows.position,
                                         linalg::IndexOp::create(b, loc, 1));
        at = arith::IndexCastOp::create(b, loc, b.getI32Type(), at);
        Value odd = arith::AndIOp::create(b, loc, at, constant(1));
        Value parity = arith::ShLIOp::create(
            b, loc, arith::XOrIOp::create(b, loc, odd, constant(1)),
            constant(30));
        Value half = arith::ShRUIOp::create(b, loc, at, constant(1));
        Value order =
            arith::SubIOp::create(b, loc, constant((1 << 30) - 1), half);
        return arith::OrIOp::create(b, loc, parity, order);
      });
  return e.insert(stored, entries[3], {zero, first}, {one, rows.count});
}

Value AttentionState::scratch(const Block &rows, Type type, bool column) {
  // Of static size, so that it is scratch of the worker.
  OpFoldResult zero = e.attr(0), one = e.attr(1);
  if (!column) {
    return e.slice(e.empty({e.attr(rows.most)}, type), {zero}, {rows.count},
                   {rows.staticCount});
  }
  return e.slice(e.empty({e.attr(rows.most), one}, type), {zero, zero},
                 {rows.count, one}, {rows.staticCount, 1});
}

Value AttentionState::attend(Value q, Value first, Value seen, ValueRange kept,
                             Value y) {
  ImplicitLocOpBuilder &b = e.b;
  const ModelConfig &c = types.config;
  mlir::cheems::MaskKind kinds[] = {mlir::cheems::MaskKind::bias,
                                    mlir::cheems::MaskKind::threshold,
                                    mlir::cheems::MaskKind::scale};
  bool threshold = c.maskKind == MaskKind::Threshold;
  auto kind = mlir::cheems::MaskKindAttr::get(
      b.getContext(), kinds[static_cast<int>(c.maskKind)]);
  FloatAttr scale =
      b.getF64FloatAttr(1.0 / std::sqrt(static_cast<double>(c.headDim)));
  auto ifKept = [&](unsigned i) { return kept.empty() ? Value() : kept[i]; };
  return mlir::cheems::DynamicMaskAttentionOp::create(
             b, TypeRange{y.getType()}, q, entries[0], entries[1], entries[2],
             first, seen, ifKept(0), ifKept(1), ifKept(2), y, kind, scale,
             threshold ? b.getF64FloatAttr(c.maskThreshold) : FloatAttr())
      .getResult(0);
}

Value AttentionState::windowBlock(const Block &rows, Value q, Value y) {
  ImplicitLocOpBuilder &b = e.b;
  OpFoldResult zero = e.attr(0), one = e.attr(1);
  int64_t window = *types.config.keepWindow;
  Value first = arith::MinUIOp::create(b, rows.position, e.index(window));
  append(rows, first);
  Value thresholds = scratch(rows, b.getF32Type(), /*column=*/true),
        lasts = scratch(rows, b.getI32Type(), /*column=*/true);
  IntegerAttr keep = b.getI64IntegerAttr(window);
  auto kept = mlir::cheems::KeepThresholdOp::create(
      b, TypeRange{thresholds.getType(), lasts.getType()}, entries[2],
      entries[3], first, thresholds, lasts, keep);
  y = attend(q, first, Value(),
             {entries[3], kept.getResult(0), kept.getResult(1)}, y);
  Value count = getValueOrCreateConstantIndexOp(b, b.getLoc(), rows.count);
  OpFoldResult final = lastOf(rows);
  Value threshold = e.slice(kept.getResult(0), {final, zero}, {one, one}, {1});
  Value last = e.slice(kept.getResult(1), {final, zero}, {one, one}, {1});
  auto update = mlir::cheems::KeepUpdateOp::create(
      b, ValueRange(entries).getTypes(), threshold, last, first, count,
      entries[0], entries[1], entries[2], entries[3], keep);
  entries.assign(update.result_begin(), update.result_end());
  return y;
}

OpFoldResult AttentionState::lastOf(const Block &rows) {
  return affine::makeComposedFoldedAffineApply(
      e.b, e.b.getLoc(), AffineMap::get(1, 0, e.b.getAffineDimExpr(0) - 1),
      {rows.count});
}

Value AttentionState::countedBlock(const Block &rows, Value q, Value y) {
  ImplicitLocOpBuilder &b = e.b;
  OpFoldResult zero = e.attr(0), one = e.attr(1);
  int64_t size = types.config.headDim;
  auto ofHead = [&](Value from) {
    return e.slice(from, {rows.row, keyValueHead, zero},
                   {rows.count, one, e.attr(size)}, {rows.staticCount, size});
  };
  Value keys = ofHead(key), values = ofHead(value);
  Value masks = e.slice(mask, {rows.row, headTimes(masksPerHead)},
                        {rows.count, e.attr(masksPerHead)},
                        {rows.staticCount, masksPerHead});
  Value seen = scratch(rows, b.getI32Type(), /*column=*/false);
  auto stored = mlir::cheems::AppendVisibleOp::create(
      b,
      TypeRange{entries[0].getType(), entries[1].getType(),
                entries[2].getType(), seen.getType()},
      keys, values, masks, count, entries[0], entries[1], entries[2], seen,
      b.getF64FloatAttr(types.config.maskThreshold));
  entries.assign(stored.result_begin(), stored.result_begin() + 3);
  seen = stored.getResult(3);
  y = attend(q, count, seen, {}, y);
  Value last = getValueOrCreateConstantIndexOp(b, b.getLoc(), lastOf(rows));
  count = arith::IndexCastOp::create(b, b.getIndexType(),
                                     tensor::ExtractOp::create(b, seen, last));
  return y;
}

Value AttentionState::queries(const Block &rows) {
  int64_t size = types.config.headDim;
  return e.slice(query, {rows.row, headTimes(queriesPerHead), e.attr(0)},
                 {rows.count, e.attr(queriesPerHead), e.attr(size)},
                 {rows.staticCount, queriesPerHead, size});
}

void AttentionState::append(const Block &rows, OpFoldResult first) {
  entries[0] = append(entries[0], key, rows, first);
  entries[1] = append(entries[1], value, rows, first);
  entries[2] = appendMask(rows, first);
  if (types.windowed()) {
    entries[3] = appendPriority(rows, first);
  }
}

Value AttentionState::block(const Block &rows, Value y) {
  if (types.windowed()) {
    return windowBlock(rows, queries(rows), y);
  }
  if (counted()) {
    return countedBlock(rows, queries(rows), y);
  }
  append(rows, rows.position);
  return attend(queries(rows), rows.position, Value(), {}, y);
}

Value AttentionState::one(Value start, Value position, Value y) {
  return block({start, e.attr(1), 1, position, 1}, y);
}

void AttentionState::appendAll(Value start, Value length, Value position) {
  append({start, length, ShapedType::kDynamic, position, 0}, position);
}

Value AttentionState::attendTo(OpFoldResult row, OpFoldResult count,
                               Value position, Value y) {
  return attend(queries({row, count, ShapedType::kDynamic, position, 0}),
                position, Value(), {}, y);
}

Value AttentionState::inBlocks(Value start, Value length, Value position,
                               Value y) {
  constexpr int64_t any = ShapedType::kDynamic;
  ImplicitLocOpBuilder &b = e.b;
  int64_t most = types.options.block;
  SmallVector<Value> carried{y};
  llvm::append_range(carried, entries);
  if (counted()) {
    carried.push_back(count);
  }
  auto loop = scf::ForOp::create(b, e.index(0), length, e.index(most), carried);
  auto resume = [&](ValueRange values) {
    ValueRange state = values.drop_front();
    if (counted()) {
      count = state.back();
      state = state.drop_back();
    }
    entries.assign(state.begin(), state.end());
  };
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value offset = loop.getInductionVar();
  resume(loop.getRegionIterArgs());
  Value rest = arith::SubIOp::create(b, length, offset);
  Value rows = arith::MinUIOp::create(b, e.index(most), rest);
  int64_t size = types.config.headDim;
  SmallVector<OpFoldResult> offsets{offset, e.attr(0), e.attr(0)};
  SmallVector<OpFoldResult> sizes{rows, e.attr(queriesPerHead), e.attr(size)};
  Value out = e.slice(loop.getRegionIterArg(0), offsets, sizes,
                      {any, queriesPerHead, size});
  Value row = e.add(start, offset), at = e.add(position, offset);
  out = block({row, rows, any, at, most}, out);
  SmallVector<Value> yields{
      e.insert(out, loop.getRegionIterArg(0), offsets, sizes)};
  llvm::append_range(yields, entries);
  if (counted()) {
    yields.push_back(count);
  }
  scf::YieldOp::create(b, yields);
  resume(loop.getResults());
  return loop.getResult(0);
}
} // namespace cheems
