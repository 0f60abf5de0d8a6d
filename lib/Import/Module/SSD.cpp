// The state-space part of a layer.
#include "Layer.h"
#include "Locations.h"

namespace cheems {
using namespace mlir;

namespace {
/// softplus(x) = max(x, 0) + log(1 + exp(-|x|)): exp never overflows, log1p
/// keeps small steps.
Value softplus(Emitter &e, Value x) {
  Value zero = e.zero();
  return e.map(
      x, e.b.getMultiDimIdentityMap(2), e.emptyRows(x, e.b.getF32Type()),
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
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
} // namespace

Value emitSSD(Emitter &e, const ModelTypes &types, const SSD &ssd, Value input,
              WeightReader &weights, SequenceArguments &arguments) {
  ImplicitLocOpBuilder &b = e.b;
  // What is no projection is the part itself.
  LocationScope here(b,
                     parentLocation(partLocation(types.context, ssd.x.weight)));
  auto rotated = [&](const Projection &p) {
    Value heads = e.splitHeads(weights.projection(e, p, input), ssd.groups);
    return e.rotate(heads, arguments.cosine, arguments.sine);
  };
  Value c = rotated(ssd.c), into = rotated(ssd.b);
  Value x = e.splitHeads(weights.projection(e, ssd.x, input), ssd.heads);
  Value step = softplus(e, weights.projection(e, ssd.step, input));
  Value a = weights.next();
  if (ssd.logarithm) {
    a = negatedExp(e, a);
  }
  Value skip = ssd.skip ? weights.next() : Value();

  Value output = e.emptyRows(x, b.getF32Type());
  auto op = SegmentedSSDOp::create(
      b, TypeRange{output.getType(), arguments.pools[0].getType()}, x, step, a,
      into, c, skip, arguments.segments, arguments.layer, output,
      arguments.pools[0], /*allow_bf16=*/types.matrixElement().isBF16(),
      /*allow_pairs=*/types.matrixElement().isF16(), /*one_row=*/false);
  arguments.pools[0] = op.getResult(1);
  return weights.projection(e, ssd.output, e.mergeHeads(op.getResult(0)));
}
} // namespace cheems
