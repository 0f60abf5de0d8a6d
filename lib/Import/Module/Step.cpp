// The step function: embedding, layers, and the head on the wanted rows.
#include "Layer.h"
#include "Locations.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"

namespace cheems {
using namespace mlir;

namespace {
struct Step {
  Emitter e;
  ModuleOp module;
  const ModelTypes &types;
  Value positions, lengths; ///< of every row: see rowPositions
  /// The keys are a table of the model and how many numbers turn.
  llvm::DenseMap<std::pair<size_t, int64_t>, std::pair<Value, Value>> tables;
  /// Pools that the layers of a kind share.
  struct Shared {
    SmallVector<Value> pools;
    int64_t layer = 0; ///< the next one
  };
  Shared attention, ring, ssd;
  llvm::StringMap<func::FuncOp> functions; ///< of layers, by signature
  llvm::StringMap<int> ofKind;             ///< how many of them

  Step(ModuleOp module, const ModelTypes &types)
      : e(module), module(module), types(types) {}

  Value parameter(const std::string &name, RankedTensorType type,
                  ArrayRef<int64_t> permute = {},
                  QuantizedAttr quantized = {}) {
    LocationScope here(e.b, tensorLocation(e.b.getContext(), name));
    return ParameterOp::create(
        e.b, type, e.b.getArrayAttr({e.b.getStringAttr(name)}),
        LayoutAttrInterface(),
        permute.empty() ? DenseI64ArrayAttr()
                        : e.b.getDenseI64ArrayAttr(permute),
        /*by_columns=*/false, quantized);
  }

  /// What follows is that part of the step, called `name`.
  void mark(const Twine &part, const Twine &name) {
    e.b.setLoc(namedLocation(e.b.getContext(), name));
    MarkOp::create(e.b, e.b.getStringAttr(part));
  }

  /// Cosines and sines of a table for so many numbers, made once.
  std::pair<Value, Value> rotaryTable(const RotaryUse &use) {
    LocationScope here(e.b, namedLocation(types.context, "rotary"));
    auto &[cosine, sine] = tables[{use.table, use.size}];
    if (!cosine) {
      ImplicitLocOpBuilder &b = e.b;
      RotaryConfig rotary;
      DenseF64ArrayAttr frequencies;
      double magnitude = 1.0;
      const RotaryRule &rule = types.model.rotary[use.table];
      if (const auto *list = std::get_if<RotaryList>(&rule)) {
        frequencies = b.getDenseF64ArrayAttr(list->frequencies);
        magnitude = list->factor;
      } else {
        rotary = std::get<RotaryConfig>(rule);
      }
      int64_t size = use.size;
      SmallVector<OpFoldResult> shape{e.rowCount, e.attr(size / 2)};
      cosine = e.empty(shape, b.getF32Type());
      sine = e.empty(shape, b.getF32Type());
      auto table = RotaryTableOp::create(
          b, TypeRange{cosine.getType(), sine.getType()}, positions, lengths,
          cosine, sine,
          frequencies ? FloatAttr() : b.getF64FloatAttr(rotary.theta),
          rotary.dynamic ? b.getUnitAttr() : UnitAttr(),
          b.getF64FloatAttr(rotary.dynamic ? rotary.factor : 1.0),
          b.getI64IntegerAttr(rotary.dynamic ? rotary.trainedPositions : 0),
          frequencies, b.getF64FloatAttr(magnitude));
      cosine = table.getResult(0);
      sine = table.getResult(1);
    }
    return {cosine, sine};
  }

  /// The function of a layer. Of several of one kind, later ones are numbered.
  func::FuncOp functionOf(const Layer &layer) {
    func::FuncOp &function = functions[signatureOf(types, layer)];
    if (!function) {
      std::string name = "layer_" + kindOf(types, layer);
      int number = ++ofKind[name];
      OpBuilder::InsertionGuard guard(e.b);
      function = layerFunction(module, types, layer,
                               number > 1 ? name + "_" + std::to_string(number)
                                          : name);
    }
    return function;
  }

  Shared &sharedBy(const Mixer &mixer) {
    const auto *attends = std::get_if<Attention>(&mixer.what);
    return !attends ? ssd : attends->window ? ring : attention;
  }

  /// Adds what a mixer reads of states, if it does; `segments` is null after
  /// the first. Attention that sees nothing reads none, but has its place in
  /// the pools all the same.
  void addStates(const Mixer &mixer, bool reads, Value segments,
                 SmallVector<Value> &arguments) {
    if (!std::holds_alternative<Attention>(mixer.what) &&
        !std::holds_alternative<SSD>(mixer.what)) {
      return;
    }
    Shared &shared = sharedBy(mixer);
    int64_t index = shared.layer++;
    if (!reads) {
      return;
    }
    if (std::optional<RotaryUse> use = rotaryOf(mixer)) {
      auto [cosine, sine] = rotaryTable(*use);
      arguments.append({cosine, sine});
    }
    LocationScope here(e.b, namedLocation(types.context, "layer"));
    if (segments) {
      arguments.push_back(segments);
    }
    arguments.push_back(e.index(index));
    llvm::append_range(arguments, shared.pools);
  }

  /// x after a layer; updates the pools of its kinds.
  Value layer(const Layer &layer, int64_t number, Value x, Value segments) {
    ImplicitLocOpBuilder &b = e.b;
    func::FuncOp callee = functionOf(layer);
    SmallVector<Value> arguments{x};
    SmallVector<const Mixer *> mixers = sequenceMixers(layer);
    for (const Branch &branch : layer.branches) {
      for (const Mixer &mixer : branch.mixers) {
        addStates(mixer, llvm::is_contained(mixers, &mixer),
                  !mixers.empty() && &mixer == mixers.front() ? segments
                                                              : Value(),
                  arguments);
      }
    }
    std::string text = std::to_string(number);
    mark("layer " + text + " " + kindOf(types, layer), "layers." + text);
    for (const LayerWeight &weight : layerWeights(types, layer)) {
      arguments.push_back(parameter(weight.name, weight.type, weight.permute,
                                    weight.quantized));
    }
    auto call = func::CallOp::create(b, callee, arguments);
    auto result = call.result_begin() + 1;
    for (const Mixer *mixer : mixers) {
      SmallVector<Value> &pools = sharedBy(*mixer).pools;
      pools.assign(result, result + pools.size());
      result += pools.size();
    }
    return call.getResult(0);
  }

  /// Position and rotary length of every row: two i32 tensors [T].
  std::pair<Value, Value> rowPositions(Value segments) {
    LocationScope here(e.b, namedLocation(types.context, "positions"));
    Type i32 = e.b.getI32Type();
    Value position = e.empty(e.rowCount, i32),
          length = e.empty(e.rowCount, i32);
    auto rows = PositionsOp::create(
        e.b, TypeRange{position.getType(), length.getType()}, segments,
        position, length, /*one_row=*/UnitAttr());
    return {rows.getResult(0), rows.getResult(1)};
  }

  /// Row `ids[t]` of `table`, widened; `table` may be an embedding or rows
  /// already computed.
  static Value gather(Emitter &e, Value table, Value ids, int64_t columns) {
    Value y = e.empty({e.rowCount, e.attr(columns)}, e.b.getF32Type());
    return GatherRowsOp::create(e.b, TypeRange{y.getType()}, table, ids, y)
        .getResult(0);
  }

  /// (x [T, D], rows [R], norm, head weight(, bias), logits [R, V]) -> logits.
  /// A function of its own: it counts other rows.
  func::FuncOp headFunction(RankedTensorType logits, RankedTensorType weight) {
    const ModelDescription &c = types.model;
    Emitter head(module);
    bool bias = c.head && c.head->bias;
    auto rows = RankedTensorType::get({ShapedType::kDynamic}, e.b.getI32Type());
    SmallVector<Type> inputs{types.rowsOf(c.hidden), rows,
                             types.vector(c.hidden), weight};
    if (bias) {
      inputs.push_back(types.vector(c.vocabulary));
    }
    inputs.push_back(logits);
    head.b.setLoc(e.b.getLoc());
    head.b.setInsertionPointToEnd(module.getBody());
    auto function = func::FuncOp::create(
        head.b, "head", head.b.getFunctionType(inputs, {logits}));
    function.setPrivate();
    Block *entry = function.addEntryBlock();
    SmallVector<std::string> names{"x", "rows", c.finalNorm.weight,
                                   c.head ? c.head->weight : c.embedding};
    if (bias) {
      names.push_back(*c.head->bias);
    }
    names.push_back("logits");
    for (auto [argument, name] :
         llvm::zip_equal(entry->getArguments(), names)) {
      argument.setLoc(tensorLocation(types.context, name));
    }
    head.begin(entry, entry->getArgument(1));
    Value wanted =
        gather(head, entry->getArgument(0), entry->getArgument(1), c.hidden);
    Value normal =
        head.rmsNorm(wanted, entry->getArgument(2), c.finalNorm.epsilon);
    Value out = head.project(normal, entry->getArgument(3),
                             bias ? entry->getArgument(4) : Value(),
                             entry->getArguments().back());
    out = head.scaledInPlace(out, c.logitFactor);
    func::ReturnOp::create(head.b, out);
    return function;
  }

  /// (x [T, D], rows [E], norm, embeddings [E, D]) -> embeddings: what the head
  /// multiplies, of other rows.
  func::FuncOp embedFunction() {
    const ModelDescription &c = types.model;
    Emitter embed(module);
    auto rows = RankedTensorType::get({ShapedType::kDynamic}, e.b.getI32Type());
    RankedTensorType x = types.rowsOf(c.hidden);
    embed.b.setLoc(e.b.getLoc());
    embed.b.setInsertionPointToEnd(module.getBody());
    auto function = func::FuncOp::create(
        embed.b, "embed",
        embed.b.getFunctionType({x, rows, types.vector(c.hidden), x}, {x}));
    function.setPrivate();
    Block *entry = function.addEntryBlock();
    const std::string names[] = {"x", "embedding_rows", c.finalNorm.weight,
                                 "embeddings"};
    for (auto [argument, name] :
         llvm::zip_equal(entry->getArguments(), names)) {
      argument.setLoc(tensorLocation(types.context, name));
    }
    embed.begin(entry, entry->getArgument(1));
    Value wanted =
        gather(embed, entry->getArgument(0), entry->getArgument(1), c.hidden);
    Value normal = embed.rmsNorm(wanted, entry->getArgument(2),
                                 c.finalNorm.epsilon, entry->getArgument(3));
    func::ReturnOp::create(embed.b, normal);
    return function;
  }

  /// The embedding itself where that is the head, unless the head is rounded to
  /// quantized values: rows that are looked up stay exact.
  Value headWeight(RankedTensorType type, Value embedding) {
    const ModelDescription &c = types.model;
    QuantizedAttr quantized = types.quantizedHead();
    if (!c.head && !quantized) {
      return embedding;
    }
    return parameter(c.head ? c.head->weight : c.embedding, type, {},
                     quantized);
  }

  void build() {
    const ModelDescription &c = types.model;
    ImplicitLocOpBuilder &b = e.b;
    auto ids = RankedTensorType::get({ShapedType::kDynamic}, b.getI32Type());
    RankedTensorType logitsType = types.rowsOf(c.vocabulary);
    RankedTensorType hiddenType = types.rowsOf(c.hidden);
    SmallVector<Type> inputs{ids, types.segments(), ids, logitsType,
                             ids, hiddenType},
        outputs{logitsType, hiddenType};
    SmallVector<StepField> fields{
        StepField::Tokens, StepField::Segments,      StepField::Rows,
        StepField::Logits, StepField::EmbeddingRows, StepField::Embeddings};
    size_t firstPool = inputs.size();
    for (const ModelTypes::Pool &pool : types.pools()) {
      inputs.push_back(pool.type);
      outputs.push_back(pool.type);
      fields.push_back(StepField::Pools);
    }
    b.setInsertionPointToEnd(module.getBody());
    b.setLoc(namedLocation(types.context, "step"));
    auto function =
        func::FuncOp::create(b, "step", b.getFunctionType(inputs, outputs));
    for (auto [i, field] : llvm::enumerate(fields)) {
      function.setArgAttr(i, kField, StepFieldAttr::get(types.context, field));
      if (i >= firstPool) {
        function.setArgAttr(i, kIndex, b.getI64IntegerAttr(i - firstPool));
      }
    }
    Block *entry = function.addEntryBlock();
    ArrayRef<BlockArgument> given = entry->getArguments();
    for (auto [i, field] : llvm::enumerate(fields)) {
      StringRef name = i < firstPool
                           ? stringifyStepField(field)
                           : StringRef(types.pools()[i - firstPool].name);
      entry->getArgument(i).setLoc(namedLocation(types.context, name));
    }
    e.begin(entry, given[0]);
    Value tokens = given[0], segments = given[1], wanted = given[2],
          logits = given[3];
    ArrayRef<BlockArgument> pools = given.drop_front(firstPool);
    auto takePools = [&](Shared &shared, size_t count) {
      shared.pools.assign(pools.begin(), pools.begin() + count);
      pools = pools.drop_front(count);
    };
    takePools(attention, types.attentionPools().size());
    takePools(ring, types.ringPools().size());
    takePools(ssd, types.ssdPools().size());

    mark("embedding", "x");
    Value embedding =
        parameter(c.embedding, types.matrix(c.vocabulary, c.hidden));
    Value x =
        e.scaled(gather(e, embedding, tokens, c.hidden), c.embeddingFactor);
    if (!c.rotary.empty()) {
      std::tie(positions, lengths) = rowPositions(segments);
    }
    for (const Layer &each : c.layers) { // before the layers are marked
      for (const Mixer *mixer : sequenceMixers(each)) {
        if (std::optional<RotaryUse> use = rotaryOf(*mixer)) {
          rotaryTable(*use);
        }
      }
    }
    for (auto [number, each] : llvm::enumerate(c.layers)) {
      x = layer(each, static_cast<int64_t>(number), x, segments);
    }
    mark("head", "logits");
    RankedTensorType headType = types.matrix(c.vocabulary, c.hidden);
    func::FuncOp head = headFunction(logitsType, headType);
    SmallVector<Value> arguments{
        x, wanted, parameter(c.finalNorm.weight, types.vector(c.hidden)),
        headWeight(headType, embedding)};
    if (c.head && c.head->bias) {
      arguments.push_back(parameter(*c.head->bias, types.vector(c.vocabulary)));
    }
    arguments.push_back(logits);
    Value result = func::CallOp::create(b, head, arguments).getResult(0);
    Value norm = arguments[2];
    Value rows = func::CallOp::create(b, embedFunction(),
                                      ValueRange{x, given[4], norm, given[5]})
                     .getResult(0);

    SmallVector<Value> results{result, rows};
    for (const Shared *shared : {&attention, &ring, &ssd}) {
      llvm::append_range(results, shared->pools);
    }
    func::ReturnOp::create(b, results);
  }
};
} // namespace

void buildStep(ModuleOp module, const ModelTypes &types) {
  Step step(module, types);
  step.build();
}
} // namespace cheems
