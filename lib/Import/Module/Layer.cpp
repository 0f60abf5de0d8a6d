// A Doge decoder layer: x = r1*x + attention(norm1(x)); x = r2*x +
// mlp(norm2(x)).
#include "Layer.h"

namespace cheems {
using namespace mlir;

Type ModelTypes::matrixElement() const {
  return options.weightsBF16 ? Type(BFloat16Type::get(context)) : f32();
}
Type ModelTypes::stateElement() const {
  return options.stateBF16 ? Type(BFloat16Type::get(context)) : f32();
}

RankedTensorType ModelTypes::rowsOf(int64_t columns) const {
  return RankedTensorType::get({ShapedType::kDynamic, columns}, f32());
}
RankedTensorType ModelTypes::matrix(int64_t rows, int64_t columns) const {
  return RankedTensorType::get({rows, columns}, matrixElement());
}
RankedTensorType ModelTypes::vector(int64_t size) const {
  return RankedTensorType::get({size}, f32());
}
RankedTensorType ModelTypes::segments() const {
  return RankedTensorType::get({ShapedType::kDynamic, kSegmentFields},
                               IntegerType::get(context, 32));
}

SmallVector<ModelTypes::Pool> ModelTypes::pools() const {
  constexpr int64_t any = ShapedType::kDynamic;
  int64_t layers = config.layers, heads = stateHeads();
  auto entries = RankedTensorType::get(
      {any, layers, heads, any, config.headDim}, stateElement());
  // Without a window the masks of every head of A go with the key head they
  // share.
  auto masks =
      RankedTensorType::get({any, layers, config.maskHeads, any}, f32());
  SmallVector<Pool> result{
      {"keys", entries}, {"values", entries}, {"masks", masks}};
  if (windowed()) {
    result.push_back(
        {"positions", RankedTensorType::get({any, layers, heads, any},
                                            IntegerType::get(context, 32))});
  }
  return result;
}

SmallVector<LayerWeight> layerWeights(const ModelTypes &types,
                                      const LayerTensors &layer) {
  const ModelConfig &c = types.config;
  SmallVector<LayerWeight> weights;
  auto vector = [&](const std::string &name, int64_t size) {
    weights.push_back({name, types.vector(size)});
  };
  auto projection = [&](const Projection &p, int64_t out, int64_t in) {
    weights.push_back({p.weight, types.matrix(out, in)});
    if (p.bias) {
      vector(*p.bias, out);
    }
  };
  int64_t query = c.heads * c.headDim, keys = c.keyValueHeads * c.headDim;
  vector(layer.sequenceNorm, c.hidden);
  projection(layer.attention->query, query, c.hidden);
  projection(layer.attention->key, keys, c.hidden);
  projection(layer.attention->value, keys, c.hidden);
  projection(layer.attention->maskStep, c.maskHeads, keys);
  vector(layer.attention->maskA, c.maskHeads);
  if (layer.attention->queryNorm) {
    vector(*layer.attention->queryNorm, c.headDim);
  }
  if (layer.attention->keyNorm) {
    vector(*layer.attention->keyNorm, c.headDim);
  }
  projection(layer.attention->output, c.hidden, query);
  vector(layer.sequenceResidual, c.hidden);
  vector(layer.stateNorm, c.hidden);
  if (layer.gate) {
    projection(*layer.gate, c.intermediate, c.hidden);
  }
  projection(layer.up, c.intermediate, c.hidden);
  projection(layer.down, c.hidden, c.intermediate);
  vector(layer.stateResidual, c.hidden);
  return weights;
}

namespace {
/// Hands out the weight arguments in the order of layerWeights.
class WeightReader {
public:
  explicit WeightReader(ArrayRef<BlockArgument> arguments)
      : arguments(arguments) {}
  Value next() {
    Value value = arguments.front();
    arguments = arguments.drop_front();
    return value;
  }
  Value projection(Emitter &e, const Projection &p, Value x) {
    Value weight = next();
    return e.project(x, weight, p.bias ? next() : Value());
  }

private:
  ArrayRef<BlockArgument> arguments;
};

Value rotate(Emitter &e, Value x, Value cosine, Value sine) {
  Value out =
      e.empty(tensor::getMixedSizes(e.b, e.b.getLoc(), x), e.b.getF32Type());
  return mlir::cheems::RotaryOp::create(e.b, TypeRange{out.getType()}, x,
                                        cosine, sine, out)
      .getResult(0);
}

/// Which optional tensors a layer has: layers with one kind share a function.
std::string kindOf(const LayerTensors &layer) {
  std::string kind;
  auto flag = [&](bool set, StringRef name) {
    kind += set ? ("_" + name).str() : "";
  };
  flag(layer.attention->queryNorm.has_value(), "qnorm");
  flag(layer.attention->keyNorm.has_value(), "knorm");
  flag(layer.gate.has_value(), "gated");
  std::pair<const Projection *, StringRef> projections[] = {
      {&layer.attention->query, "q"},
      {&layer.attention->key, "k"},
      {&layer.attention->value, "v"},
      {&layer.attention->maskStep, "dt"},
      {&layer.attention->output, "o"},
      {layer.gate ? &*layer.gate : nullptr, "gate"},
      {&layer.up, "up"},
      {&layer.down, "down"}};
  for (auto [p, name] : projections) {
    flag(p && p->bias, (name + "bias").str());
  }
  return kind;
}
} // namespace

func::FuncOp layerFunction(ModuleOp module, const ModelTypes &types,
                           const LayerTensors &layer, bool decode) {
  std::string name =
      std::string("layer") + (decode ? "_decode" : "") + kindOf(layer);
  if (auto existing = module.lookupSymbol<func::FuncOp>(name)) {
    return existing;
  }
  const ModelConfig &c = types.config;
  Emitter e(module);
  RankedTensorType rows = types.rowsOf(c.hidden),
                   table = types.rowsOf(c.headDim / 2);
  SmallVector<Type> inputs{rows, table, table, types.segments(),
                           e.b.getIndexType()},
      outputs{rows};
  for (const ModelTypes::Pool &pool : types.pools()) {
    inputs.push_back(pool.type);
    outputs.push_back(pool.type);
  }
  unsigned firstWeight = inputs.size();
  for (const LayerWeight &weight : layerWeights(types, layer)) {
    inputs.push_back(weight.type);
  }
  e.b.setInsertionPointToEnd(module.getBody());
  auto function =
      func::FuncOp::create(e.b, name, e.b.getFunctionType(inputs, outputs));
  function.setPrivate();
  Block *entry = function.addEntryBlock();
  e.b.setInsertionPointToStart(entry);

  ArrayRef<BlockArgument> arguments = entry->getArguments();
  Value x = arguments[0], cosine = arguments[1], sine = arguments[2],
        segments = arguments[3], index = arguments[4];
  SmallVector<Value> pools(arguments.slice(5, firstWeight - 5));
  WeightReader weights(arguments.drop_front(firstWeight));

  Value input = e.rmsNorm(x, weights.next(), c.normEpsilon);
  Value query = e.splitHeads(
      weights.projection(e, layer.attention->query, input), c.heads);
  Value key = e.splitHeads(weights.projection(e, layer.attention->key, input),
                           c.keyValueHeads);
  Value value = weights.projection(e, layer.attention->value, input);
  Value stepSize = weights.projection(e, layer.attention->maskStep, value);
  Value mask = e.empty(tensor::getMixedSizes(e.b, e.b.getLoc(), stepSize),
                       e.b.getF32Type());
  mask = mlir::cheems::DynamicMaskOp::create(e.b, TypeRange{mask.getType()},
                                             stepSize, weights.next(), mask)
             .getResult(0);
  if (layer.attention->queryNorm) {
    query = e.rmsNorm(query, weights.next(), c.normEpsilon);
  }
  if (layer.attention->keyNorm) {
    key = e.rmsNorm(key, weights.next(), c.normEpsilon);
  }
  query = rotate(e, query, cosine, sine);
  key = rotate(e, key, cosine, sine);
  Value attended = emitAttention(e, types, decode, query, key,
                                 e.splitHeads(value, c.keyValueHeads), mask,
                                 segments, index, pools);
  Value output =
      weights.projection(e, layer.attention->output, e.mergeHeads(attended));
  x = e.residual(x, weights.next(), output);

  input = e.rmsNorm(x, weights.next(), c.normEpsilon);
  AffineMap all = e.b.getMultiDimIdentityMap(2);
  Value gate = layer.gate ? weights.projection(e, *layer.gate, input) : Value();
  Value up = weights.projection(e, layer.up, input);
  auto active = [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
    Value activated = e.activate(b, loc, c.activation, args[0]);
    return layer.gate
               ? arith::MulFOp::create(b, loc, activated, args[1]).getResult()
               : activated;
  };
  Value mixed =
      e.empty(tensor::getMixedSizes(e.b, e.b.getLoc(), up), e.b.getF32Type());
  mixed = layer.gate ? e.map({gate, up}, {all, all}, mixed, active)
                     : e.map(up, all, mixed, active);
  Value down = weights.projection(e, layer.down, mixed);
  x = e.residual(x, weights.next(), down);

  SmallVector<Value> results{x};
  llvm::append_range(results, pools);
  func::ReturnOp::create(e.b, results);
  return function;
}
} // namespace cheems
