// A decoder layer: x = r1*x + sequence(norm1(x)); x = r2*x + state(norm2(x)).
#include "Layer.h"
#include "Locations.h"

namespace cheems {
using namespace mlir;

/// Names the arguments before the weights.
static void nameArguments(ArrayRef<BlockArgument> arguments,
                          const ModelTypes &types, const LayerTensors &layer) {
  SmallVector<StringRef> names{"x", "cosine", "sine", "segments", "layer"};
  for (const ModelTypes::Pool &pool :
       layer.attention ? types.attentionPools() : types.ssdPools()) {
    names.push_back(pool.name);
  }
  for (auto [argument, name] : llvm::zip(arguments, names)) {
    BlockArgument(argument).setLoc(namedLocation(types.context, name));
  }
}

func::FuncOp layerFunction(ModuleOp module, const ModelTypes &types,
                           const LayerTensors &layer) {
  std::string name = "layer_" + kindOf(types, layer);
  if (auto existing = module.lookupSymbol<func::FuncOp>(name)) {
    return existing;
  }
  const ModelConfig &c = types.config;
  Emitter e(module);
  RankedTensorType rows = types.rowsOf(c.hidden);
  SmallVector<Type> inputs{rows}, outputs{rows};
  bool sequence = !seesNothing(layer);
  if (sequence) {
    RankedTensorType table =
        types.rowsOf((layer.attention ? c.headDim : c.ssdStateSize) / 2);
    inputs.append({table, table, types.segments(), e.b.getIndexType()});
    for (const ModelTypes::Pool &pool :
         layer.attention ? types.attentionPools() : types.ssdPools()) {
      inputs.push_back(pool.type);
      outputs.push_back(pool.type);
    }
  }
  unsigned firstWeight = inputs.size();
  SmallVector<LayerWeight> weightsOfLayer = layerWeights(types, layer);
  for (const LayerWeight &weight : weightsOfLayer) {
    inputs.push_back(weight.type);
  }
  e.b.setLoc(namedLocation(e.b.getContext(), name));
  e.b.setInsertionPointToEnd(module.getBody());
  auto function =
      func::FuncOp::create(e.b, name, e.b.getFunctionType(inputs, outputs));
  function.setPrivate();
  Block *entry = function.addEntryBlock();
  ArrayRef<BlockArgument> arguments = entry->getArguments();
  nameArguments(arguments.take_front(firstWeight), types, layer);
  for (auto [argument, weight] :
       llvm::zip_equal(arguments.drop_front(firstWeight), weightsOfLayer)) {
    BlockArgument(argument).setLoc(partLocation(e.b.getContext(), weight.name));
  }
  Value x = arguments[0];
  e.begin(entry, x);
  WeightReader weights(arguments.drop_front(firstWeight));
  SmallVector<Value> pools;
  Value output;
  if (sequence) {
    SequenceArguments given{
        arguments[1], arguments[2], arguments[3], arguments[4], {}};
    llvm::append_range(given.pools, arguments.slice(5, firstWeight - 5));
    Value input = e.rmsNorm(x, weights.next(), c.normEpsilon);
    output =
        layer.attention
            ? emitAttention(e, types, *layer.attention, input, weights, given)
            : emitSSD(e, types, *layer.ssd, input, weights, given);
    pools = std::move(given.pools);
  } else if (layer.attention->output.bias) {
    output = weights.next();
  }
  x = e.residual(x, weights.next(), output);
  Value input = e.rmsNorm(x, weights.next(), c.normEpsilon);
  output = emitFeedForward(e, types, layer, input, weights);
  x = e.residual(x, weights.next(), output);

  SmallVector<Value> results{x};
  llvm::append_range(results, pools);
  func::ReturnOp::create(e.b, results);
  return function;
}
} // namespace cheems
