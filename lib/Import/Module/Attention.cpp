// Attention over segments and heads, with its state updated in place.
//
// The pools are read through the loop's own arguments only, and each slice is
// taken and put back with the same indices: that is what keeps bufferisation
// from copying a pool (docs/rationale.md, "State in place").
#include "AttentionState.h"
#include "Layer.h"

namespace cheems {
using namespace mlir;

namespace {
/// What attention of a layer works on: query [T, H, P], key and value [T, G,
/// P], mask [T, M] unless visibleHeads says it all.
struct Operands {
  Value query, key, value, mask;
  ArrayRef<bool> visibleHeads;
};

/// State heads of which some head of A sees keys.
SmallVector<int64_t> visibleStateHeads(const ModelTypes &types,
                                       ArrayRef<bool> visibleHeads) {
  SmallVector<int64_t> result;
  int64_t masks = types.config.maskHeads / types.stateHeads();
  for (int64_t head = 0; head < types.stateHeads(); ++head) {
    if (visibleHeads.empty() ||
        llvm::is_contained(visibleHeads.slice(head * masks, masks), true)) {
      result.push_back(head);
    }
  }
  return result;
}

/// heads[i].
Value chosen(Emitter &e, ArrayRef<int64_t> heads, Value i) {
  bool all = heads.back() == static_cast<int64_t>(heads.size()) - 1;
  if (all) {
    return i;
  }
  Value result = e.index(heads[0]);
  for (size_t at = 1; at < heads.size(); ++at) {
    Value here =
        arith::CmpIOp::create(e.b, arith::CmpIPredicate::eq, i, e.index(at));
    result = arith::SelectOp::create(e.b, here, e.index(heads[at]), result);
  }
  return result;
}

/// y [T, H, P]; updates the pools.
Value attend(Emitter &e, const ModelTypes &types, bool decode,
             const Operands &operands, SequenceArguments &arguments) {
  const ModelConfig &c = types.config;
  ImplicitLocOpBuilder &b = e.b;
  constexpr int64_t any = ShapedType::kDynamic;
  int64_t heads = types.stateHeads(), queries = c.heads / heads,
          masks = c.maskHeads / heads, size = c.headDim;
  SmallVector<int64_t> visible =
      visibleStateHeads(types, operands.visibleHeads);
  Value output = e.empty(tensor::getMixedSizes(b, b.getLoc(), operands.query),
                         b.getF32Type());
  if (static_cast<int64_t>(visible.size()) < heads) {
    Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
    output = linalg::FillOp::create(b, zero, output).getResult(0);
  }
  SmallVector<Value> shared{output};
  llvm::append_range(shared, arguments.pools);
  Value segments = arguments.segments;
  SmallVector<OpFoldResult> bounds{e.rows(segments), e.attr(visible.size())};
  auto loop = scf::ForallOp::create(b, bounds, shared, std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value s = loop.getInductionVar(0);
  Value head = chosen(e, visible, loop.getInductionVar(1));
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
    int64_t rank = cast<RankedTensorType>(pool.getType()).getRank();
    bool mask = i == 2;
    offsets.push_back(
        {slot, arguments.layer, mask ? scaled(h * masks) : OpFoldResult(head)});
    sizes.push_back({one, one, mask ? e.attr(masks) : one});
    SmallVector<int64_t> shape{mask ? masks : 1};
    if (rank > 3) {
      offsets.back().push_back(zero);
      sizes.back().push_back(capacity);
      shape.push_back(any);
    }
    if (rank > 4) {
      offsets.back().push_back(zero);
      sizes.back().push_back(e.attr(size));
      shape.push_back(size);
    }
    state.push_back(e.slice(pool, offsets.back(), sizes.back(), shape));
  }
  Value stored, counts;
  if (types.counted()) {
    counts = state.pop_back_val();
    Value fresh = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, position,
                                        e.index(0));
    Value before = arith::IndexCastOp::create(
        b, b.getIndexType(), tensor::ExtractOp::create(b, counts, e.index(0)));
    stored = arith::SelectOp::create(b, fresh, e.index(0), before);
  }
  // With a window and A a query head, several state heads copy one key head.
  AttentionState sequence{e,
                          types,
                          operands.query,
                          operands.key,
                          operands.value,
                          operands.mask,
                          operands.visibleHeads,
                          head,
                          scaled(h.floorDiv(heads / c.keyValueHeads)),
                          queries,
                          masks,
                          state,
                          stored};
  y = sequence.rows(start, length, position, y, decode);
  state = sequence.entries;
  if (types.counted()) {
    Value after = arith::IndexCastOp::create(b, b.getI32Type(), sequence.count);
    state.push_back(tensor::InsertOp::create(b, after, counts, e.index(0)));
  }

  b.setInsertionPointToStart(loop.getTerminator().getBody());
  SmallVector<OpFoldResult> unit(5, one);
  tensor::ParallelInsertSliceOp::create(b, y, own[0], rowOffsets, rowSizes,
                                        ArrayRef(unit).take_front(3));
  for (auto [i, pool] : llvm::enumerate(own.drop_front())) {
    tensor::ParallelInsertSliceOp::create(
        b, state[i], pool, offsets[i], sizes[i],
        ArrayRef(unit).take_front(offsets[i].size()));
  }
  arguments.pools.assign(loop.result_begin() + 1, loop.result_end());
  return loop.getResult(0);
}
} // namespace

Value emitAttention(Emitter &e, const ModelTypes &types,
                    const AttentionTensors &tensors, bool decode, Value input,
                    WeightReader &weights, SequenceArguments &arguments) {
  const ModelConfig &c = types.config;
  Value query =
      e.splitHeads(weights.projection(e, tensors.query, input), c.heads);
  Value key =
      e.splitHeads(weights.projection(e, tensors.key, input), c.keyValueHeads);
  Value value = weights.projection(e, tensors.value, input);
  Value mask;
  // The mask's values follow from the sign of A alone where visibleHeads says
  // who sees.
  SmallVector<bool> visible(tensors.visibleHeads.begin(),
                            tensors.visibleHeads.end());
  if (visible.empty()) {
    Value step = weights.projection(e, tensors.maskStep, value);
    mask = e.empty(tensor::getMixedSizes(e.b, e.b.getLoc(), step),
                   e.b.getF32Type());
    mask = mlir::cheems::DynamicMaskOp::create(e.b, TypeRange{mask.getType()},
                                               step, weights.next(), mask)
               .getResult(0);
  }
  if (tensors.queryNorm) {
    query = e.rmsNorm(query, weights.next(), c.normEpsilon);
  }
  if (tensors.keyNorm) {
    key = e.rmsNorm(key, weights.next(), c.normEpsilon);
  }
  query = e.rotate(query, arguments.cosine, arguments.sine);
  key = e.rotate(key, arguments.cosine, arguments.sine);
  Value attended =
      attend(e, types, decode,
             {query, key, e.splitHeads(value, c.keyValueHeads), mask, visible},
             arguments);
  return weights.projection(e, tensors.output, e.mergeHeads(attended));
}
} // namespace cheems
