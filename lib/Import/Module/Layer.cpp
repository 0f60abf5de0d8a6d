// A layer as a function: its branches in order.
#include "Layer.h"
#include "Locations.h"

namespace cheems {
using namespace mlir;

namespace {
/// What a layer function takes before the weights.
struct Signature {
  SmallVector<Type> inputs, outputs;
  SmallVector<StringRef> names;

  void add(Type type, StringRef name) {
    inputs.push_back(type);
    names.push_back(name);
  }
};

Signature sequenceSignature(const ModelTypes &types, const Layer &layer) {
  Signature made;
  RankedTensorType rows = types.rowsOf(types.model.hidden);
  made.add(rows, "x");
  made.outputs.push_back(rows);
  bool first = true;
  for (const Mixer *mixer : sequenceMixers(layer)) {
    if (std::optional<RotaryUse> rotary = rotaryOf(*mixer)) {
      made.add(types.rowsOf(rotary->size / 2), "cosine");
      made.add(types.rowsOf(rotary->size / 2), "sine");
    }
    if (std::exchange(first, false)) {
      made.add(types.segments(), "segments");
    }
    made.add(IndexType::get(types.context), "layer");
    for (const ModelTypes::Pool &pool : poolsOf(types, *mixer)) {
      made.add(pool.type, pool.name);
      made.outputs.push_back(pool.type);
    }
  }
  return made;
}

/// The body of a layer function.
struct LayerBody {
  Emitter &e;
  const ModelTypes &types;
  WeightReader weights;
  ArrayRef<BlockArgument> arguments; ///< those before the weights, still unread
  Value segments = {};
  SmallVector<Value> pools = {}; ///< as they are now, for all that were read

  Value next() {
    Value value = arguments.front();
    arguments = arguments.drop_front();
    return value;
  }

  SequenceArguments sequence(const Mixer &mixer) {
    SequenceArguments given;
    if (rotaryOf(mixer)) {
      given.cosine = next();
      given.sine = next();
    }
    if (!segments) {
      segments = next();
    }
    given.segments = segments;
    given.layer = next();
    for (size_t i = 0, count = poolsOf(types, mixer).size(); i < count; ++i) {
      given.pools.push_back(next());
    }
    return given;
  }

  /// What a mixer adds to `y`, which is null before the first one. Null of
  /// attention that sees nothing and has no bias.
  Value emit(const Mixer &mixer, Value input, Value y) {
    if (const auto *attention = std::get_if<Attention>(&mixer.what)) {
      if (attention->seesNothing()) {
        return attention->output.bias ? weights.next() : Value();
      }
      SequenceArguments given = sequence(mixer);
      y = emitAttention(e, types, *attention, input, weights, given);
      llvm::append_range(pools, given.pools);
    } else if (const auto *ssd = std::get_if<SSD>(&mixer.what)) {
      SequenceArguments given = sequence(mixer);
      y = emitSSD(e, types, *ssd, input, weights, given);
      llvm::append_range(pools, given.pools);
    } else if (const auto *mlp = std::get_if<MLP>(&mixer.what)) {
      y = emitMLP(e, types, *mlp, input, weights);
    } else {
      y = emitExperts(e, types, std::get<RetrievedExperts>(mixer.what), input,
                      y, weights);
    }
    return y;
  }

  Value emit(const Branch &branch, Value x) {
    Value input, y;
    if (readsNorm(branch)) {
      input = e.rmsNorm(x, weights.next(), branch.norm.epsilon);
    }
    for (const Mixer &mixer : branch.mixers) {
      y = emit(mixer, input ? e.scaled(input, mixer.inputFactor) : input, y);
    }
    // Only what stands alone has a factor (checkBuildable).
    double factor = branch.residual.factor * branch.mixers[0].outputFactor;
    Value weight = branch.residual.weight ? weights.next() : Value();
    return e.residual(x, weight, y, factor);
  }
};
} // namespace

func::FuncOp layerFunction(ModuleOp module, const ModelTypes &types,
                           const Layer &layer, StringRef name) {
  Emitter e(module);
  Signature signature = sequenceSignature(types, layer);
  unsigned firstWeight = signature.inputs.size();
  SmallVector<LayerWeight> weights = layerWeights(types, layer);
  for (const LayerWeight &weight : weights) {
    signature.inputs.push_back(weight.type);
  }
  e.b.setLoc(namedLocation(e.b.getContext(), name));
  e.b.setInsertionPointToEnd(module.getBody());
  auto function = func::FuncOp::create(
      e.b, name, e.b.getFunctionType(signature.inputs, signature.outputs));
  function.setPrivate();
  Block *entry = function.addEntryBlock();
  ArrayRef<BlockArgument> arguments = entry->getArguments();
  ArrayRef<BlockArgument> before = arguments.take_front(firstWeight);
  for (auto [argument, known] : llvm::zip_equal(before, signature.names)) {
    BlockArgument(argument).setLoc(namedLocation(types.context, known));
  }
  for (auto [argument, weight] :
       llvm::zip_equal(arguments.drop_front(firstWeight), weights)) {
    BlockArgument(argument).setLoc(partLocation(e.b.getContext(), weight.name));
  }
  Value x = arguments[0];
  e.begin(entry, x);
  LayerBody body{e, types, WeightReader(arguments.drop_front(firstWeight)),
                 before.drop_front()};
  for (const Branch &branch : layer.branches) {
    x = body.emit(branch, x);
  }
  SmallVector<Value> results{x};
  llvm::append_range(results, body.pools);
  func::ReturnOp::create(e.b, results);
  return function;
}
} // namespace cheems
