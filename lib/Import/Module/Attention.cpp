// Attention over segments and heads, with its state updated in place.
//
// The pools are read through the loop's own arguments only, and each slice is
// taken and put back with the same indices: that is what keeps bufferisation
// from copying a pool (docs/rationale.md, "State in place").
#include "Layer.h"
#include <cmath>

namespace cheems {
using namespace mlir;

Value segmentField(Emitter &e, Value segments, Value s, SegmentField field) {
  Value stored =
      tensor::ExtractOp::create(e.b, segments, ValueRange{s, e.index(field)});
  return arith::IndexCastOp::create(e.b, e.b.getIndexType(), stored);
}

namespace {
/// One segment and state head.
struct Sequence {
  Emitter &e;
  const ModelTypes &types;
  Value query, key, value, mask; // of all rows
  Value head;                    // the state head
  int64_t queriesPerHead, masksPerHead;
  OpFoldResult keyValueHead;

  /// keys, values [1, C, P], masks [M', C], positions [1, C] of the slot.
  SmallVector<Value> state;

  /// Copies rows [row, row + count) of `from` [T, G, P] to entries from `first`
  /// on.
  Value append(Value entries, Value from, OpFoldResult row, OpFoldResult first,
               OpFoldResult count, int64_t staticCount) {
    int64_t size = types.config.headDim;
    OpFoldResult zero = e.attr(0), one = e.attr(1), width = e.attr(size);
    Value source = e.slice(from, {row, keyValueHead, zero}, {count, one, width},
                           {staticCount, size});
    Value target = e.slice(entries, {zero, first, zero}, {one, count, width},
                           {staticCount, size});
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
    return e.insert(stored, entries, {zero, first, zero}, {one, count, width});
  }

  Value appendMask(OpFoldResult row, OpFoldResult first, OpFoldResult count,
                   int64_t staticCount) {
    OpFoldResult zero = e.attr(0), heads = e.attr(masksPerHead);
    AffineExpr h = e.b.getAffineDimExpr(0);
    OpFoldResult firstHead = affine::makeComposedFoldedAffineApply(
        e.b, e.b.getLoc(), AffineMap::get(1, 0, h * masksPerHead), {head});
    Value source = e.slice(mask, {row, firstHead}, {count, heads},
                           {staticCount, masksPerHead});
    Value target = e.slice(state[2], {zero, first}, {heads, count},
                           {masksPerHead, staticCount});
    AffineMap transposed = AffineMap::getPermutationMap(
        ArrayRef<unsigned>{1, 0}, e.b.getContext());
    Value stored =
        e.map(source, transposed, target,
              [](OpBuilder &, Location, ValueRange args) { return args[0]; });
    return e.insert(stored, state[2], {zero, first}, {heads, count});
  }

  Value appendPosition(Value position, OpFoldResult first, OpFoldResult count,
                       int64_t staticCount) {
    OpFoldResult zero = e.attr(0), one = e.attr(1);
    Value target =
        e.slice(state[3], {zero, first}, {one, count}, {1, staticCount});
    Value stored = e.map(
        {}, {}, target, [&](OpBuilder &b, Location loc, ValueRange) -> Value {
          Value at = arith::AddIOp::create(b, loc, position,
                                           linalg::IndexOp::create(b, loc, 1));
          return arith::IndexCastOp::create(b, loc, b.getI32Type(), at);
        });
    return e.insert(stored, state[3], {zero, first}, {one, count});
  }

  /// Rows [row, row + count) of the step at `position` of their sequence; `y`
  /// [count, H', P] is their output.
  Value block(OpFoldResult row, Value position, OpFoldResult count,
              int64_t staticCount, int64_t most, Value y) {
    const ModelConfig &c = types.config;
    ImplicitLocOpBuilder &b = e.b;
    OpFoldResult zero = e.attr(0);
    Value first = position;
    if (types.windowed()) {
      first = arith::MinUIOp::create(b, position, e.index(*c.keepWindow));
    }
    state[0] = append(state[0], key, row, first, count, staticCount);
    state[1] = append(state[1], value, row, first, count, staticCount);
    state[2] = appendMask(row, first, count, staticCount);
    AffineExpr h = b.getAffineDimExpr(0);
    OpFoldResult firstQuery = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), AffineMap::get(1, 0, h * queriesPerHead), {head});
    Value q = e.slice(query, {row, firstQuery, zero},
                      {count, e.attr(queriesPerHead), e.attr(c.headDim)},
                      {staticCount, queriesPerHead, c.headDim});
    auto kind = mlir::cheems::MaskKindAttr::get(b.getContext(),
                                                mlir::cheems::MaskKind::bias);
    FloatAttr scale =
        b.getF64FloatAttr(1.0 / std::sqrt(static_cast<double>(c.headDim)));
    if (!types.windowed()) {
      return mlir::cheems::DynamicMaskAttentionOp::create(
                 b, TypeRange{y.getType()}, q, state[0], state[1], state[2],
                 first, Value(), Value(), Value(), Value(), y, kind, scale,
                 FloatAttr())
          .getResult(0);
    }
    state[3] = appendPosition(position, first, count, staticCount);
    // Static, so that it is scratch of the worker.
    auto rowsOf = [&](Type type) {
      Value all = e.empty({e.attr(most), e.attr(1)}, type);
      return e.slice(all, {zero, zero}, {count, e.attr(1)}, {staticCount, 1});
    };
    Value thresholds = rowsOf(b.getF32Type()), lasts = rowsOf(b.getI32Type());
    IntegerAttr keep = b.getI64IntegerAttr(*c.keepWindow);
    auto kept = mlir::cheems::KeepThresholdOp::create(
        b, TypeRange{thresholds.getType(), lasts.getType()}, state[2], state[3],
        first, thresholds, lasts, keep);
    y = mlir::cheems::DynamicMaskAttentionOp::create(
            b, TypeRange{y.getType()}, q, state[0], state[1], state[2], first,
            Value(), state[3], kept.getResult(0), kept.getResult(1), y, kind,
            scale, FloatAttr())
            .getResult(0);
    Value countValue = getValueOrCreateConstantIndexOp(b, b.getLoc(), count);
    OpFoldResult final = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), AffineMap::get(1, 0, h - 1), {count});
    Value threshold =
        e.slice(kept.getResult(0), {final, zero}, {e.attr(1), e.attr(1)}, {1});
    Value last =
        e.slice(kept.getResult(1), {final, zero}, {e.attr(1), e.attr(1)}, {1});
    auto update = mlir::cheems::KeepUpdateOp::create(
        b, ValueRange(state).getTypes(), threshold, last, first, countValue,
        state[0], state[1], state[2], state[3], keep);
    state.assign(update.result_begin(), update.result_end());
    return y;
  }

  /// All rows of the segment: at once, or with a window in blocks, each seeing
  /// what the one before kept.
  Value rows(Value start, Value length, Value position, Value y, bool decode) {
    if (decode) {
      return block(start, position, e.attr(1), 1, 1, y);
    }
    constexpr int64_t any = ShapedType::kDynamic;
    if (!types.windowed()) {
      return block(start, position, length, any, 0, y);
    }
    ImplicitLocOpBuilder &b = e.b;
    int64_t most = types.options.block;
    SmallVector<Value> carried{y};
    llvm::append_range(carried, state);
    auto loop =
        scf::ForOp::create(b, e.index(0), length, e.index(most), carried);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value offset = loop.getInductionVar();
    state.assign(loop.getRegionIterArgs().begin() + 1,
                 loop.getRegionIterArgs().end());
    Value count = arith::MinUIOp::create(
        b, e.index(most), arith::SubIOp::create(b, length, offset));
    const ModelConfig &c = types.config;
    SmallVector<OpFoldResult> offsets{offset, e.attr(0), e.attr(0)};
    SmallVector<OpFoldResult> sizes{count, e.attr(queriesPerHead),
                                    e.attr(c.headDim)};
    Value out = e.slice(loop.getRegionIterArg(0), offsets, sizes,
                        {any, queriesPerHead, c.headDim});
    out = block(e.add(start, offset), e.add(position, offset), count, any, most,
                out);
    SmallVector<Value> yields{
        e.insert(out, loop.getRegionIterArg(0), offsets, sizes)};
    llvm::append_range(yields, state);
    scf::YieldOp::create(b, yields);
    state.assign(loop.result_begin() + 1, loop.result_end());
    return loop.getResult(0);
  }
};
} // namespace

Value emitAttention(Emitter &e, const ModelTypes &types, bool decode,
                    Value query, Value key, Value value, Value mask,
                    Value segments, Value layer,
                    SmallVectorImpl<Value> &pools) {
  const ModelConfig &c = types.config;
  ImplicitLocOpBuilder &b = e.b;
  constexpr int64_t any = ShapedType::kDynamic;
  int64_t heads = types.stateHeads(), queries = c.heads / heads,
          masks = c.maskHeads / heads, size = c.headDim;
  Value output =
      e.empty(tensor::getMixedSizes(b, b.getLoc(), query), b.getF32Type());
  SmallVector<Value> shared{output};
  llvm::append_range(shared, pools);
  SmallVector<OpFoldResult> bounds{e.rows(segments), e.attr(heads)};
  auto loop = scf::ForallOp::create(b, bounds, shared, std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value s = loop.getInductionVar(0), head = loop.getInductionVar(1);
  ArrayRef<BlockArgument> own = loop.getRegionOutArgs();
  Value slot = segmentField(e, segments, s, kSlot),
        start = segmentField(e, segments, s, kStart);
  Value position = segmentField(e, segments, s, kPosition);
  Value length = decode ? e.index(1) : segmentField(e, segments, s, kLength);
  OpFoldResult count = decode ? e.attr(1) : OpFoldResult(length);
  int64_t staticCount = decode ? 1 : any;

  AffineExpr h = b.getAffineDimExpr(0);
  auto scaled = [&](AffineExpr expr) {
    return affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), AffineMap::get(1, 0, expr), {head});
  };
  OpFoldResult zero = e.attr(0), one = e.attr(1);
  SmallVector<OpFoldResult> rowOffsets{start, scaled(h * queries), zero};
  SmallVector<OpFoldResult> rowSizes{count, e.attr(queries), e.attr(size)};
  Value y = e.slice(own[0], rowOffsets, rowSizes, {staticCount, queries, size});

  Value capacity = tensor::DimOp::create(b, own[1], 3);
  SmallVector<SmallVector<OpFoldResult>> offsets, sizes;
  SmallVector<Value> state;
  for (auto [i, pool] : llvm::enumerate(own.drop_front())) {
    bool entries = i < 2, mask = i == 2;
    offsets.push_back(
        {slot, layer, mask ? scaled(h * masks) : OpFoldResult(head), zero});
    sizes.push_back({one, one, mask ? e.attr(masks) : one, capacity});
    SmallVector<int64_t> shape{mask ? masks : 1, any};
    if (entries) {
      offsets.back().push_back(zero);
      sizes.back().push_back(e.attr(size));
      shape.push_back(size);
    }
    state.push_back(e.slice(pool, offsets.back(), sizes.back(), shape));
  }
  // With a window and A a query head, several state heads copy one key head.
  Sequence sequence{
      e,    types, query,   key,   value,
      mask, head,  queries, masks, scaled(h.floorDiv(heads / c.keyValueHeads)),
      state};
  y = sequence.rows(start, length, position, y, decode);

  b.setInsertionPointToStart(loop.getTerminator().getBody());
  SmallVector<OpFoldResult> unit(3, one);
  tensor::ParallelInsertSliceOp::create(b, y, own[0], rowOffsets, rowSizes,
                                        unit);
  for (auto [i, pool] : llvm::enumerate(own.drop_front())) {
    SmallVector<OpFoldResult> strides(offsets[i].size(), one);
    tensor::ParallelInsertSliceOp::create(b, sequence.state[i], pool,
                                          offsets[i], sizes[i], strides);
  }
  pools.assign(loop.result_begin() + 1, loop.result_end());
  return loop.getResult(0);
}
} // namespace cheems
