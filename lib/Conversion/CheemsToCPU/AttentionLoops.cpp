// What the loops of attention share: a segment and head, and its state.
#include "AttentionLoops.h"

using namespace mlir;

namespace cheems {

namespace {
/// State heads of which some head of A sees keys.
SmallVector<int64_t> visibleStateHeads(SegmentedAttentionOp op) {
  SmallVector<int64_t> result;
  std::optional<ArrayRef<bool>> visible = op.getVisible();
  int64_t masks = op.getMaskHeads() / op.getStateHeads();
  for (int64_t head = 0; head < op.getStateHeads(); ++head) {
    if (!visible ||
        llvm::is_contained(visible->slice(head * masks, masks), true)) {
      result.push_back(head);
    }
  }
  return result;
}

/// heads[i].
Value chosen(TensorBuilder &e, ArrayRef<int64_t> heads, Value i) {
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
} // namespace

AttentionLoops::AttentionLoops(TensorBuilder &e, SegmentedAttentionOp op)
    : e(e), op(op), visible(visibleStateHeads(op)), heads(op.getStateHeads()),
      queries(op.getQueryHeads() / heads), masks(op.getMaskHeads() / heads),
      size(op.getHeadSize()), statePools(op.getPools()) {}

OpFoldResult AttentionLoops::headTimes(Value head, int64_t factor) {
  return affine::makeComposedFoldedAffineApply(
      e.b, e.b.getLoc(), AffineMap::get(1, 0, e.b.getAffineDimExpr(0) * factor),
      {head});
}

AttentionLoops::Sequence AttentionLoops::sequenceOf(Value s, Value headNumber,
                                                    ValueRange pools,
                                                    bool decode) {
  ImplicitLocOpBuilder &b = e.b;
  constexpr int64_t any = ShapedType::kDynamic;
  Value segments = op.getSegments();
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
    bool mask = i == 2 && op.getMasks();
    SmallVector<OpFoldResult> offsets{of.slot, op.getLayer(),
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

AttentionState AttentionLoops::stateOf(const Sequence &of) {
  // With a window and A a query head, several state heads copy one key head.
  OpFoldResult keyHead = affine::makeComposedFoldedAffineApply(
      e.b, e.b.getLoc(),
      AffineMap::get(
          1, 0, e.b.getAffineDimExpr(0).floorDiv(heads / op.getKeyHeads())),
      {of.head});
  return {e, op, of.head, keyHead, queries, masks, of.state, Value()};
}

std::pair<SmallVector<OpFoldResult>, SmallVector<OpFoldResult>>
AttentionLoops::placeOf(const Sequence &of, OpFoldResult row,
                        OpFoldResult count) {
  return {{row, headTimes(of.head, queries), e.attr(0)},
          {count, e.attr(queries), e.attr(size)}};
}

Value AttentionLoops::output() {
  ImplicitLocOpBuilder &b = e.b;
  Value output = op.getY();
  if (static_cast<int64_t>(visible.size()) < heads) {
    Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
    output = linalg::FillOp::create(b, zero, output).getResult(0);
  }
  return output;
}
} // namespace cheems
