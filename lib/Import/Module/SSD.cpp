// State-space duality over segments and heads, with its state updated in place.
#include "Layer.h"

namespace cheems {
using namespace mlir;

namespace {
/// softplus(x) = max(x, 0) + log(1 + exp(-|x|)): exp never overflows, log1p
/// keeps small steps.
Value softplus(Emitter &e, Value x) {
  Value out =
      e.empty(tensor::getMixedSizes(e.b, e.b.getLoc(), x), e.b.getF32Type());
  return e.map(
      x, e.b.getMultiDimIdentityMap(2), out,
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
        Value positive = arith::MaximumFOp::create(b, loc, args[0], zero);
        Value decay = arith::NegFOp::create(
            b, loc, math::AbsFOp::create(b, loc, args[0]));
        decay =
            math::Log1pOp::create(b, loc, math::ExpOp::create(b, loc, decay));
        return arith::AddFOp::create(b, loc, positive, decay);
      });
}

/// A of a stored logarithm of -A.
Value negatedExp(Emitter &e, Value logarithm) {
  Value out = e.empty(tensor::getMixedSizes(e.b, e.b.getLoc(), logarithm),
                      e.b.getF32Type());
  return e.map(logarithm, e.b.getMultiDimIdentityMap(1), out,
               [](OpBuilder &b, Location loc, ValueRange args) -> Value {
                 return arith::NegFOp::create(
                     b, loc, math::ExpOp::create(b, loc, args[0]));
               });
}

/// The state's slice, of zeros before a sequence's first row: what an earlier
/// sequence left in the slot must not be seen.
Value freshAtStart(Emitter &e, Value position, Value state) {
  ImplicitLocOpBuilder &b = e.b;
  Value first =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, position, e.index(0));
  return scf::IfOp::create(
             b, first,
             [&](OpBuilder &b, Location loc) {
               Value zero =
                   arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
               scf::YieldOp::create(
                   b, loc,
                   linalg::FillOp::create(b, loc, zero, state).getResult(0));
             },
             [&](OpBuilder &b, Location loc) {
               scf::YieldOp::create(b, loc, state);
             })
      .getResult(0);
}

/// Heads an iteration of chunks: those of a group share what depends on b and c
/// alone, but a few threads need something to do each.
int64_t headsTogether(int64_t heads, int64_t groups) {
  for (int64_t together : {4, 3, 2}) {
    if (heads / groups % together == 0 && heads / together >= 4) {
      return together;
    }
  }
  return 1;
}
} // namespace

Value emitSSD(Emitter &e, const ModelTypes &types, const SSDTensors &tensors,
              bool decode, Value input, WeightReader &weights,
              SequenceArguments &arguments) {
  const ModelConfig &config = types.config;
  ImplicitLocOpBuilder &b = e.b;
  int64_t size = config.headDim, states = config.ssdStateSize;
  auto rotated = [&](const Projection &p) {
    Value heads = e.splitHeads(weights.projection(e, p, input), tensors.groups);
    return e.rotate(heads, arguments.cosine, arguments.sine);
  };
  Value c = rotated(tensors.c), into = rotated(tensors.b);
  Value x = e.splitHeads(weights.projection(e, tensors.x, input), config.heads);
  Value step = softplus(e, weights.projection(e, tensors.step, input));
  Value a = weights.next();
  if (tensors.logarithm) {
    a = negatedExp(e, a);
  }
  Value skip = tensors.skip ? weights.next() : Value();

  Value output =
      e.empty(tensor::getMixedSizes(b, b.getLoc(), x), b.getF32Type());
  // A row alone shares nothing.
  int64_t together = decode ? 1 : headsTogether(config.heads, tensors.groups);
  SmallVector<OpFoldResult> bounds{e.rows(arguments.segments),
                                   e.attr(config.heads / together)};
  auto loop = scf::ForallOp::create(
      b, bounds, ValueRange{output, arguments.pools[0]}, std::nullopt);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value s = loop.getInductionVar(0);
    ArrayRef<BlockArgument> own = loop.getRegionOutArgs();
    Value segments = arguments.segments;
    Value slot = segmentField(e, segments, s, kSlot),
          start = segmentField(e, segments, s, kStart),
          position = segmentField(e, segments, s, kPosition);
    OpFoldResult count =
        decode ? e.attr(1)
               : OpFoldResult(segmentField(e, segments, s, kLength));
    int64_t rows = decode ? 1 : ShapedType::kDynamic;
    OpFoldResult zero = e.attr(0), one = e.attr(1);
    AffineExpr h = b.getAffineDimExpr(0);
    auto apply = [&](AffineExpr map) {
      return affine::makeComposedFoldedAffineApply(
          b, b.getLoc(), AffineMap::get(1, 0, map),
          OpFoldResult(loop.getInductionVar(1)));
    };
    OpFoldResult head = apply(h * together), heads = e.attr(together),
                 group = apply(
                     (h * together).floorDiv(config.heads / tensors.groups));

    SmallVector<OpFoldResult> rowOffsets{start, head, zero},
        rowSizes{count, heads, e.attr(size)};
    SmallVector<OpFoldResult> offsets{slot, arguments.layer, head, zero, zero},
        sizes{one, one, heads, e.attr(states), e.attr(size)};
    Value state = freshAtStart(
        e, position, e.slice(own[1], offsets, sizes, {together, states, size}));
    auto ofHeads = [&](Value vector) {
      return e.slice(vector, {head}, {heads}, {together});
    };
    auto ofGroup = [&](Value all) {
      return e.slice(all, {start, group, zero}, {count, one, e.attr(states)},
                     {rows, 1, states});
    };
    Value xs = e.slice(x, rowOffsets, rowSizes, {rows, together, size}),
          steps =
              e.slice(step, {start, head}, {count, heads}, {rows, together});
    Value as = ofHeads(a), bs = ofGroup(into), cs = ofGroup(c);
    Value skips = skip ? ofHeads(skip) : Value();
    Value y = e.slice(own[0], rowOffsets, rowSizes, {rows, together, size});
    auto ssd = mlir::cheems::SSDOp::create(
        b, TypeRange{y.getType(), state.getType()}, xs, steps, as, bs, cs,
        skips, y, state, types.matrixElement().isBF16());

    b.setInsertionPointToStart(loop.getTerminator().getBody());
    SmallVector<OpFoldResult> unit(5, one);
    tensor::ParallelInsertSliceOp::create(b, ssd.getResult(0), own[0],
                                          rowOffsets, rowSizes,
                                          ArrayRef(unit).take_front(3));
    tensor::ParallelInsertSliceOp::create(b, ssd.getResult(1), own[1], offsets,
                                          sizes, unit);
  }
  arguments.pools[0] = loop.getResult(1);
  return weights.projection(e, tensors.output, e.mergeHeads(loop.getResult(0)));
}
} // namespace cheems
