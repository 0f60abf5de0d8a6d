// The attention part of a layer.
#include "Layer.h"
#include "Locations.h"

namespace cheems {
using namespace mlir;

namespace {
/// Stores keys, values and masks where there are some, and attends to what is
/// stored; updates the pools.
Value attend(Emitter &e, const ModelTypes &types, const Attention &attention,
             Value query, Value key, Value value, Value mask,
             SequenceArguments &arguments) {
  const DynamicMask *masks = attention.mask ? &*attention.mask : nullptr;
  const ImportOptions &options = types.options;
  ImplicitLocOpBuilder &b = e.b;
  Value y = e.emptyRows(query, b.getF32Type());
  SmallVector<Type> results{y.getType()};
  SmallVector<Value> pools(arguments.pools);
  llvm::append_range(results, ValueRange(pools).getTypes());
  Value keys = pools[0], values = pools[1];
  ArrayRef<Value> further = ArrayRef(pools).drop_front(2);
  auto next = [&](bool given) {
    Value pool = given ? further.front() : Value();
    further = further.drop_front(given);
    return pool;
  };
  Value stored = next(masks), positions = next(types.windowed()),
        keyScales = next(options.stateInt8),
        valueScales = next(options.stateInt8), counts = next(types.counted());
  DenseBoolArrayAttr visible;
  if (masks && !mask) {
    visible = b.getDenseBoolArrayAttr(SmallVector<bool>(
        masks->visibleHeads.begin(), masks->visibleHeads.end()));
  }
  MaskKind kind = masks ? masks->kind : MaskKind::None;
  auto op = SegmentedAttentionOp::create(
      b, results, query, key, value, mask, arguments.segments, arguments.layer,
      y, keys, values, stored, positions, keyScales, valueScales, counts,
      MaskKindAttr::get(b.getContext(), kind),
      b.getF64FloatAttr(attention.scale),
      masks && masks->keep ? b.getI64IntegerAttr(*masks->keep) : IntegerAttr(),
      kind == MaskKind::Threshold ? b.getF64FloatAttr(masks->threshold)
                                  : FloatAttr(),
      visible, b.getI64IntegerAttr(options.block),
      options.stateInt8 && options.stateBF16 ? b.getUnitAttr() : UnitAttr(),
      /*one_row=*/UnitAttr(),
      attention.window ? b.getI64IntegerAttr(*attention.window)
                       : IntegerAttr());
  arguments.pools.assign(op.result_begin() + 1, op.result_end());
  return op.getResult(0);
}
} // namespace

Value emitAttention(Emitter &e, const ModelTypes &types,
                    const Attention &attention, Value input,
                    WeightReader &weights, SequenceArguments &arguments) {
  // What is neither a projection nor a norm is the part itself.
  LocationScope here(
      e.b, parentLocation(partLocation(types.context, attention.query.weight)));
  Value query = e.splitHeads(weights.projection(e, attention.query, input),
                             attention.heads);
  Value key = e.splitHeads(weights.projection(e, attention.key, input),
                           attention.keyValueHeads);
  Value value = weights.projection(e, attention.value, input);
  Value mask;
  // The mask's values follow from the sign of A alone where visibleHeads says
  // who sees.
  if (attention.computesMasks()) {
    Value step = weights.projection(e, attention.mask->step, value);
    mask = e.emptyRows(step, e.b.getF32Type());
    mask = DynamicMaskOp::create(e.b, TypeRange{mask.getType()}, step,
                                 weights.next(), mask)
               .getResult(0);
  }
  if (attention.queryNorm) {
    query = e.rmsNorm(query, weights.next(), attention.queryNorm->epsilon);
  }
  if (attention.keyNorm) {
    key = e.rmsNorm(key, weights.next(), attention.keyNorm->epsilon);
  }
  query = e.rotate(query, arguments.cosine, arguments.sine);
  key = e.rotate(key, arguments.cosine, arguments.sine);
  Value attended =
      attend(e, types, attention, query, key,
             e.splitHeads(value, attention.keyValueHeads), mask, arguments);
  return weights.projection(e, attention.output, e.mergeHeads(attended));
}
} // namespace cheems
