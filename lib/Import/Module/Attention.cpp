// Attention over segments and heads, with its state updated in place.
//
// A loop that writes pools reads them through its own arguments only, and each
// slice is taken and put back with the same indices: that is what keeps
// bufferisation from copying a pool (docs/rationale.md, "State in place").
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

/// The loops over segments and heads, and what their bodies share.
struct Attend {
  Emitter &e;
  const ModelTypes &types;
  const Operands &operands;
  SequenceArguments &arguments;
  SmallVector<int64_t> visible =
      visibleStateHeads(types, operands.visibleHeads);
  int64_t heads = types.stateHeads(), queries = types.config.heads / heads,
          masks = types.config.maskHeads / heads, size = types.config.headDim;

  /// One segment and head inside of a loop.
  struct Sequence {
    Value slot, start, position, length, head;
    /// Of each pool, what is the sequence's.
    SmallVector<SmallVector<OpFoldResult>> offsets, sizes;
    SmallVector<Value> state;
  };

  OpFoldResult headTimes(Value head, int64_t factor) {
    return affine::makeComposedFoldedAffineApply(
        e.b, e.b.getLoc(),
        AffineMap::get(1, 0, e.b.getAffineDimExpr(0) * factor), {head});
  }

  Sequence sequenceOf(Value s, Value headNumber, ValueRange pools,
                      bool decode) {
    ImplicitLocOpBuilder &b = e.b;
    constexpr int64_t any = ShapedType::kDynamic;
    Value segments = arguments.segments;
    Sequence of;
    of.head = chosen(e, visible, headNumber);
    of.slot = segmentField(e, segments, s, kSlot);
    of.start = segmentField(e, segments, s, kStart);
    of.position = segmentField(e, segments, s, kPosition);
    of.length = decode ? e.index(1) : segmentField(e, segments, s, kLength);
    Value capacity = tensor::DimOp::create(b, pools[0], 3);
    OpFoldResult zero = e.attr(0), one = e.attr(1);
    for (auto [i, pool] : llvm::enumerate(pools)) {
      int64_t rank = cast<RankedTensorType>(pool.getType()).getRank();
      bool mask = i == 2;
      SmallVector<OpFoldResult> offsets{of.slot, arguments.layer,
                                        mask ? headTimes(of.head, masks)
                                             : OpFoldResult(of.head)};
      SmallVector<OpFoldResult> sizes{one, one, mask ? e.attr(masks) : one};
      SmallVector<int64_t> shape{mask ? masks : 1};
      if (rank > 3) {
        offsets.push_back(zero);
        sizes.push_back(capacity);
        shape.push_back(any);
      }
      if (rank > 4) {
        offsets.push_back(zero);
        sizes.push_back(e.attr(size));
        shape.push_back(size);
      }
      of.state.push_back(e.slice(pool, offsets, sizes, shape));
      of.offsets.push_back(offsets);
      of.sizes.push_back(sizes);
    }
    return of;
  }

  AttentionState stateOf(const Sequence &of) {
    // With a window and A a query head, several state heads copy one key head.
    OpFoldResult keyHead = affine::makeComposedFoldedAffineApply(
        e.b, e.b.getLoc(),
        AffineMap::get(1, 0,
                       e.b.getAffineDimExpr(0).floorDiv(
                           heads / types.config.keyValueHeads)),
        {of.head});
    return {e,
            types,
            operands.query,
            operands.key,
            operands.value,
            operands.mask,
            operands.visibleHeads,
            of.head,
            keyHead,
            queries,
            masks,
            of.state,
            Value()};
  }

  /// Where rows [row, row + count) of the head's queries are.
  std::pair<SmallVector<OpFoldResult>, SmallVector<OpFoldResult>>
  placeOf(const Sequence &of, OpFoldResult row, OpFoldResult count) {
    return {{row, headTimes(of.head, queries), e.attr(0)},
            {count, e.attr(queries), e.attr(size)}};
  }

  void putBack(ValueRange pools, const Sequence &of, ValueRange state) {
    for (auto [i, pool] : llvm::enumerate(pools)) {
      SmallVector<OpFoldResult> unit(of.offsets[i].size(), e.attr(1));
      tensor::ParallelInsertSliceOp::create(e.b, state[i], pool, of.offsets[i],
                                            of.sizes[i], unit);
    }
  }

  void putRows(Value y, Value output, ArrayRef<OpFoldResult> offsets,
               ArrayRef<OpFoldResult> sizes) {
    tensor::ParallelInsertSliceOp::create(
        e.b, y, output, offsets, sizes,
        SmallVector<OpFoldResult>(3, e.attr(1)));
  }

  Value output() {
    ImplicitLocOpBuilder &b = e.b;
    Value output = e.empty(tensor::getMixedSizes(b, b.getLoc(), operands.query),
                           b.getF32Type());
    if (static_cast<int64_t>(visible.size()) < heads) {
      Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
      output = linalg::FillOp::create(b, zero, output).getResult(0);
    }
    return output;
  }

  /// True where rows will have to go again, or some had to before.
  Value evicts(const Sequence &of) {
    return arith::CmpIOp::create(e.b, arith::CmpIPredicate::ugt,
                                 e.add(of.position, of.length),
                                 e.index(*types.config.keepWindow));
  }

  /// `length` where `condition` is as `wanted`, else 0.
  Value lengthIf(Value condition, bool wanted, Value length) {
    Value none = e.index(0);
    return wanted ? arith::SelectOp::create(e.b, condition, length, none)
                  : arith::SelectOp::create(e.b, condition, none, length);
  }

  /// Stores each sequence's rows; those that need what the rows before left
  /// attend, too. Returns y [T, H, P].
  Value store(bool decode) {
    ImplicitLocOpBuilder &b = e.b;
    constexpr int64_t any = ShapedType::kDynamic;
    bool inOrder = decode || types.windowed() || types.counted();
    SmallVector<Value> shared;
    if (inOrder) {
      shared.push_back(output());
    }
    llvm::append_range(shared, arguments.pools);
    SmallVector<OpFoldResult> bounds{e.rows(arguments.segments),
                                     e.attr(visible.size())};
    auto loop = scf::ForallOp::create(b, bounds, shared, std::nullopt);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    ValueRange own = loop.getRegionOutArgs();
    ValueRange pools = inOrder ? own.drop_front() : own;
    Sequence of = sequenceOf(loop.getInductionVar(0), loop.getInductionVar(1),
                             pools, decode);
    AttentionState sequence = stateOf(of);
    Value counts;
    if (types.counted()) {
      counts = sequence.entries.pop_back_val();
      Value fresh = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                          of.position, e.index(0));
      Value before = arith::IndexCastOp::create(
          b, b.getIndexType(),
          tensor::ExtractOp::create(b, counts, e.index(0)));
      sequence.count = arith::SelectOp::create(b, fresh, e.index(0), before);
    }
    auto [offsets, sizes] =
        placeOf(of, of.start, decode ? e.attr(1) : OpFoldResult(of.length));
    Value y;
    if (inOrder) {
      y = e.slice(own[0], offsets, sizes, {decode ? 1 : any, queries, size});
    }
    if (decode) {
      y = sequence.one(of.start, of.position, y);
    } else if (types.windowed()) {
      Value evicted = evicts(of);
      sequence.appendAll(of.start, lengthIf(evicted, false, of.length),
                         of.position);
      y = sequence.inBlocks(of.start, lengthIf(evicted, true, of.length),
                            of.position, y);
    } else if (types.counted()) {
      y = sequence.inBlocks(of.start, of.length, of.position, y);
    } else {
      sequence.appendAll(of.start, of.length, of.position);
    }
    SmallVector<Value> state = sequence.entries;
    if (types.counted()) {
      Value after =
          arith::IndexCastOp::create(b, b.getI32Type(), sequence.count);
      state.push_back(tensor::InsertOp::create(b, after, counts, e.index(0)));
    }
    b.setInsertionPointToStart(loop.getTerminator().getBody());
    if (inOrder) {
      putRows(y, own[0], offsets, sizes);
    }
    putBack(pools, of, state);
    ResultRange results = loop.getResults();
    ValueRange after = inOrder ? ValueRange(results).drop_front() : results;
    arguments.pools.assign(after.begin(), after.end());
    return inOrder ? Value(results[0]) : Value();
  }

  /// Rows that see all rows before them, in blocks that threads share: a
  /// sequence's heads may be fewer than those.
  Value attend(Value output) {
    ImplicitLocOpBuilder &b = e.b;
    constexpr int64_t any = ShapedType::kDynamic;
    int64_t most = types.options.block;
    AffineExpr rows = b.getAffineDimExpr(0);
    OpFoldResult blocks = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), AffineMap::get(1, 0, rows.ceilDiv(most)),
        {e.rows(operands.query)});
    SmallVector<OpFoldResult> bounds{e.rows(arguments.segments),
                                     e.attr(visible.size()), blocks};
    auto loop =
        scf::ForallOp::create(b, bounds, ValueRange{output}, std::nullopt);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Sequence of = sequenceOf(loop.getInductionVar(0), loop.getInductionVar(1),
                             arguments.pools, /*decode=*/false);
    Value length = of.length;
    if (types.windowed()) {
      length = lengthIf(evicts(of), false, length);
    }
    // Late blocks see much and early ones little: they take turns from both
    // ends, so that each thread gets as much. Past the last, nothing is left.
    Value turn = loop.getInductionVar(2), one = e.index(1);
    Value count = arith::CeilDivUIOp::create(b, length, e.index(most));
    Value half = arith::ShRUIOp::create(b, turn, one);
    Value odd = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                      arith::AndIOp::create(b, turn, one), one);
    Value fromEnd =
        arith::SubIOp::create(b, arith::SubIOp::create(b, count, one), half);
    Value block = arith::SelectOp::create(b, odd, fromEnd, half);
    Value inside =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, turn, count);
    block = arith::SelectOp::create(b, inside, block, e.index(0));
    Value first = arith::MulIOp::create(b, block, e.index(most));
    Value left = arith::MinUIOp::create(
        b, e.index(most), arith::SubIOp::create(b, length, first));
    left = lengthIf(inside, true, left);
    Value row = e.add(of.start, first);
    auto [offsets, sizes] = placeOf(of, row, left);
    Value y = e.slice(loop.getRegionOutArgs()[0], offsets, sizes,
                      {any, queries, size});
    y = stateOf(of).attendTo(row, left, e.add(of.position, first), y);
    b.setInsertionPointToStart(loop.getTerminator().getBody());
    putRows(y, loop.getRegionOutArgs()[0], offsets, sizes);
    return loop.getResult(0);
  }
};

/// y [T, H, P]; updates the pools.
Value attend(Emitter &e, const ModelTypes &types, bool decode,
             const Operands &operands, SequenceArguments &arguments) {
  Attend attention{e, types, operands, arguments};
  Value stored = attention.store(decode);
  if (decode || types.counted()) {
    return stored;
  }
  return attention.attend(stored ? stored : attention.output());
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
