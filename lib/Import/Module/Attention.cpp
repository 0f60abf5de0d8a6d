// The attention part of a layer.
#include "Layer.h"
#include "Locations.h"
#include <cmath>

namespace cheems {
using namespace mlir;

namespace {
/// Stores keys, values and masks and attends to what is stored; updates the
/// pools.
Value attend(Emitter &e, const ModelTypes &types, Value query, Value key,
             Value value, Value mask, ArrayRef<bool> visible,
             SequenceArguments &arguments) {
  const ModelConfig &c = types.config;
  const ImportOptions &options = types.options;
  ImplicitLocOpBuilder &b = e.b;
  Value y = e.emptyRows(query, b.getF32Type());
  SmallVector<Type> results{y.getType()};
  SmallVector<Value> pools(arguments.pools);
  llvm::append_range(results, ValueRange(pools).getTypes());
  Value keys = pools[0], values = pools[1], masks = pools[2];
  ArrayRef<Value> further = ArrayRef(pools).drop_front(3);
  auto next = [&](bool given) {
    Value pool = given ? further.front() : Value();
    further = further.drop_front(given);
    return pool;
  };
  Value positions = next(types.windowed()), keyScales = next(options.stateInt8),
        valueScales = next(options.stateInt8), counts = next(types.counted());
  auto attention = SegmentedAttentionOp::create(
      b, results, query, key, value, mask, arguments.segments, arguments.layer,
      y, keys, values, masks, positions, keyScales, valueScales, counts,
      MaskKindAttr::get(b.getContext(), c.maskKind),
      b.getF64FloatAttr(1.0 / std::sqrt(static_cast<double>(c.headDim))),
      types.windowed() ? b.getI64IntegerAttr(*c.keepWindow) : IntegerAttr(),
      c.maskKind == MaskKind::Threshold ? b.getF64FloatAttr(c.maskThreshold)
                                        : FloatAttr(),
      mask ? DenseBoolArrayAttr() : b.getDenseBoolArrayAttr(visible),
      b.getI64IntegerAttr(options.block),
      options.stateInt8 && options.stateBF16 ? b.getUnitAttr() : UnitAttr(),
      /*one_row=*/UnitAttr());
  arguments.pools.assign(attention.result_begin() + 1, attention.result_end());
  return attention.getResult(0);
}
} // namespace

Value emitAttention(Emitter &e, const ModelTypes &types,
                    const AttentionTensors &tensors, Value input,
                    WeightReader &weights, SequenceArguments &arguments) {
  const ModelConfig &c = types.config;
  // What is neither a projection nor a norm is the part itself.
  LocationScope here(
      e.b, parentLocation(partLocation(types.context, tensors.query.weight)));
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
    mask = e.emptyRows(step, e.b.getF32Type());
    mask = DynamicMaskOp::create(e.b, TypeRange{mask.getType()}, step,
                                 weights.next(), mask)
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
      attend(e, types, query, key, e.splitHeads(value, c.keyValueHeads), mask,
             visible, arguments);
  return weights.projection(e, tensors.output, e.mergeHeads(attended));
}
} // namespace cheems
