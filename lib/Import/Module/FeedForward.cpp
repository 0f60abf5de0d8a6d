// The state part of a layer: an MLP, and retrieved experts.
#include "Layer.h"
#include "Locations.h"
#include "cheems/Dialect/Cheems/IR/Activation.h"

namespace cheems {
using namespace mlir;

namespace {
/// [T, 2 * H * N] as [T, 2, H, N].
Value splitHalves(Emitter &e, Value x, int64_t heads) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t size = type.getDimSize(1) / (2 * heads);
  SmallVector<OpFoldResult> shape{e.rowCount, e.attr(2), e.attr(heads),
                                  e.attr(size)};
  auto split = RankedTensorType::get({type.getDimSize(0), 2, heads, size},
                                     type.getElementType());
  return tensor::ExpandShapeOp::create(
      e.b, split, x, SmallVector<ReassociationIndices>{{0}, {1, 2, 3}}, shape);
}

/// scores[t, half, h, k] = sum_n queries[t, half, h, n] * keys[half, h, n, k];
/// the innermost loop runs over keys, side by side in memory.
Value matchKeys(Emitter &e, Value queries, Value keys) {
  ImplicitLocOpBuilder &b = e.b;
  auto type = cast<RankedTensorType>(keys.getType());
  Value scores = e.empty({e.rowCount, e.attr(2), e.attr(type.getDimSize(1)),
                          e.attr(type.getDimSize(3))},
                         b.getF32Type());
  scores = linalg::FillOp::create(b, e.zero(), scores).getResult(0);
  AffineExpr t = b.getAffineDimExpr(0), half = b.getAffineDimExpr(1),
             h = b.getAffineDimExpr(2), n = b.getAffineDimExpr(3),
             k = b.getAffineDimExpr(4);
  SmallVector<AffineMap> maps{
      AffineMap::get(5, 0, {t, half, h, n}, b.getContext()),
      AffineMap::get(5, 0, {half, h, n, k}, b.getContext()),
      AffineMap::get(5, 0, {t, half, h, k}, b.getContext())};
  SmallVector<utils::IteratorType> iterators(5, utils::IteratorType::parallel);
  iterators[3] = utils::IteratorType::reduction;
  return linalg::GenericOp::create(
             b, scores.getType(), ValueRange{queries, keys}, scores, maps,
             iterators,
             [](OpBuilder &b, Location loc, ValueRange args) {
               Value key = args[1];
               if (!key.getType().isF32()) {
                 key = arith::ExtFOp::create(b, loc, b.getF32Type(), key);
               }
               Value product = arith::MulFOp::create(b, loc, args[0], key);
               linalg::YieldOp::create(
                   b, loc,
                   arith::AddFOp::create(b, loc, args[2], product).getResult());
             })
      .getResult(0);
}

} // namespace

Value emitMLP(Emitter &e, const ModelTypes &types, const MLP &mlp, Value input,
              WeightReader &weights) {
  LocationScope here(
      e.b, parentLocation(partLocation(types.context, mlp.up.weight)));
  AffineMap all = e.b.getMultiDimIdentityMap(2);
  Value gate = mlp.gate ? weights.projection(e, *mlp.gate, input) : Value();
  Value up = weights.projection(e, mlp.up, input);
  auto active = [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
    Value activated = activate(b, loc, mlp.activation, args[0]);
    return mlp.gate
               ? arith::MulFOp::create(b, loc, activated, args[1]).getResult()
               : activated;
  };
  Value mixed = e.emptyRows(up, e.b.getF32Type());
  mixed = mlp.gate ? e.map({gate, up}, {all, all}, mixed, active)
                   : e.map(up, all, mixed, active);
  return weights.projection(e, mlp.down, mixed);
}

Value emitExperts(Emitter &e, const ModelTypes &types,
                  const RetrievedExperts &experts, Value input, Value y,
                  WeightReader &weights) {
  LocationScope here(e.b,
                     parentLocation(partLocation(types.context, experts.down)));
  ImplicitLocOpBuilder &b = e.b;
  Value scores;
  if (experts.router) {
    scores = splitHalves(e, weights.projection(e, *experts.router, input), 1);
  } else {
    Value queries = splitHalves(
        e, weights.projection(e, experts.queries, input), experts.heads);
    scores = matchKeys(e, queries, weights.next());
  }
  SmallVector<OpFoldResult> found{e.rowCount, e.attr(experts.heads),
                                  e.attr(experts.perHead)};
  Value score = e.empty(found, b.getF32Type()),
        expert = e.empty(found, b.getI32Type());
  auto best = RetrieveExpertsOp::create(
      b, TypeRange{score.getType(), expert.getType()}, scores, score, expert);
  Value down = weights.next(), up = weights.next();
  return MixExpertsOp::create(
             b, TypeRange{y.getType()}, input, best.getResult(0),
             best.getResult(1), down, up,
             /*down_scales=*/Value(), /*up_scales=*/Value(), y,
             ScorePlacementAttr::get(b.getContext(), experts.placement),
             ActivationAttr::get(b.getContext(), experts.activation))
      .getResult(0);
}
} // namespace cheems
