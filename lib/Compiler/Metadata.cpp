// The artefact's metadata section.
#include "Metadata.h"
#include "ParameterUses.h"
#include "TensorHash.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "cheems/Import/ModuleBuilder.h"
#include "cheems/abi.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace cheems {
namespace {
std::string typeName(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

llvm::json::Value optional(std::optional<int64_t> value) {
  return value ? llvm::json::Value(*value) : nullptr;
}

llvm::json::Array state(mlir::ArrayAttr pools) {
  llvm::json::Array result;
  for (auto pool : pools.getAsRange<PoolAttr>()) {
    llvm::json::Array shape;
    for (int64_t extent : pool.getShape()) {
      llvm::StringRef name = PoolAttr::nameOf(extent);
      shape.push_back(name.empty() ? llvm::json::Value(extent)
                                   : llvm::json::Value(name));
    }
    result.push_back(
        llvm::json::Object{{"name", pool.getName()},
                           {"role", stringifyStateRole(pool.getRole())},
                           {"type", typeName(pool.getType())},
                           {"shape", std::move(shape)}});
  }
  return result;
}

/// A parameter, whichever images read it.
struct Described {
  StoredParameterAttr parameter;
  const Backend *backend; ///< who laid it out
  llvm::json::Array targets;
};

/// All parameters by offset.
std::map<int64_t, Described> collect(llvm::ArrayRef<TargetImage> images) {
  std::map<int64_t, Described> all;
  for (const TargetImage &each : images) {
    for (StoredParameterAttr parameter : each.image.parameters) {
      auto &described = all.try_emplace(parameter.getOffset(),
                                        Described{parameter, each.backend, {}})
                            .first->second;
      described.targets.push_back(each.backend->name());
    }
  }
  return all;
}

/// What is stored of the checkpoint, without padding: [N, K] of a matrix.
std::vector<int64_t> logicalShape(StoredParameterAttr parameter,
                                  const Checkpoint &checkpoint) {
  std::vector<int64_t> shape;
  size_t along = 0;
  for (auto name : parameter.getNames().getAsRange<mlir::StringAttr>()) {
    llvm::ArrayRef<int64_t> part = checkpoint.tensor(name).shape;
    if (shape.empty()) {
      shape.assign(part.begin(), part.end());
      along = parameter.getByColumns() ? shape.size() - 1 : 0;
    } else {
      shape[along] += part[along];
    }
  }
  if (mlir::DenseI64ArrayAttr order = parameter.getPermute()) {
    std::vector<int64_t> stored = std::move(shape);
    shape.clear();
    for (int64_t d : order.asArrayRef()) {
      shape.push_back(stored[d]);
    }
  }
  return shape;
}

llvm::StringRef firstName(StoredParameterAttr parameter) {
  return mlir::cast<mlir::StringAttr>(parameter.getNames()[0]);
}

/// What a parameter is for. If no other is the head, the embedding is both.
/// Quantized values of the embedding are those of a tied head, because rows
/// that are looked up stay exact.
llvm::StringRef useOf(StoredParameterAttr parameter,
                      const llvm::StringMap<llvm::StringRef> &uses,
                      bool ownHead) {
  llvm::StringRef use = uses.lookup(firstName(parameter));
  if (use != "embedding") {
    return use.empty() ? "vector" : use;
  }
  return parameter.getQuantized() ? "head" : ownHead ? use : "tied";
}

llvm::json::Array parameters(llvm::ArrayRef<TargetImage> images,
                             const Checkpoint &checkpoint) {
  const ModelDescription &config = checkpoint.model();
  llvm::StringMap<llvm::StringRef> uses = parameterUses(config);
  std::map<int64_t, Described> all = collect(images);
  bool ownHead = config.head || llvm::any_of(all, [&](const auto &each) {
                   StoredParameterAttr parameter = each.second.parameter;
                   return parameter.getQuantized() &&
                          firstName(parameter) == config.embedding;
                 });
  llvm::json::Array result;
  for (auto &[offset, described] : all) {
    StoredParameterAttr parameter = described.parameter;
    mlir::RankedTensorType type = parameter.getType();
    std::string name;
    for (auto part : parameter.getNames().getAsRange<mlir::StringAttr>()) {
      name += (name.empty() ? "" : "+") + part.str();
    }
    llvm::json::Object made{{"name", name},
                            {"type", typeName(type.getElementType())},
                            {"shape", llvm::json::Array(type.getShape())},
                            {"offset", offset}};
    // What a reader takes for granted is left out: the file stays small.
    if (llvm::StringRef use = useOf(parameter, uses, ownHead);
        use != "vector") {
      made["use"] = use;
    }
    std::vector<int64_t> logical = logicalShape(parameter, checkpoint);
    if (type.getShape() != llvm::ArrayRef(logical)) {
      made["logical"] = llvm::json::Array(logical);
    }
    if (mlir::Attribute layout = parameter.getLayout()) {
      made["layout"] = described.backend->layoutName(layout);
    }
    if (described.targets.size() < images.size()) {
      made["targets"] = std::move(described.targets);
    }
    if (mlir::DenseI64ArrayAttr order = parameter.getPermute()) {
      made["permute"] = llvm::json::Array(order.asArrayRef());
    }
    if (parameter.getByColumns()) {
      made["by_columns"] = true;
    }
    QuantizedAttr codes = parameter.getQuantized();
    if (codes && codes.getPart() == QuantizedPart::Scales) {
      made["scales"] = true;
    } else if (codes) {
      made["codes"] = llvm::json::Object{{"bits", codes.getBits()}};
      if (codes.getGroup() != 0) {
        made["codes"].getAsObject()->try_emplace("group", codes.getGroup());
      }
    }
    result.push_back(std::move(made));
  }
  return result;
}

/// The tensors that the images are made of, each once, however often it is
/// stored.
llvm::StringSet<> tensorsOf(llvm::ArrayRef<TargetImage> images) {
  llvm::StringSet<> names;
  for (const auto &[offset, described] : collect(images)) {
    for (auto name :
         described.parameter.getNames().getAsRange<mlir::StringAttr>()) {
      names.insert(name);
    }
  }
  return names;
}

/// How many numbers the checkpoint has in these tensors, without padding.
int64_t countNumbers(const llvm::StringSet<> &tensors,
                     const Checkpoint &checkpoint) {
  int64_t count = 0;
  for (llvm::StringRef name : tensors.keys()) {
    count += checkpoint.tensor(name).elements();
  }
  return count;
}

llvm::json::Array describeImages(llvm::ArrayRef<TargetImage> images) {
  llvm::json::Array result;
  for (const TargetImage &each : images) {
    llvm::json::Object made = each.image.description;
    made["target"] = each.backend->name();
    made["section"] = each.section();
    result.push_back(std::move(made));
  }
  return result;
}

llvm::StringRef formatName(WeightFormat weights, bool storedBF16) {
  switch (weights) {
  case WeightFormat::Stored:
    return storedBF16 ? "bf16" : "f32";
  case WeightFormat::F32:
    return "f32";
  case WeightFormat::BF16:
    return "bf16";
  case WeightFormat::F16:
    return "f16";
  case WeightFormat::Int8:
    return "int8";
  case WeightFormat::Int4:
    return "int4";
  }
  llvm_unreachable("every format has a name");
}

/// Dynamic rotary scaling, if the model has it: there is one table then.
const RotaryConfig *dynamicRotary(const ModelDescription &model) {
  for (const RotaryRule &rule : model.rotary) {
    const auto *rotary = std::get_if<RotaryConfig>(&rule);
    if (rotary && rotary->dynamic) {
      return rotary;
    }
  }
  return nullptr;
}

/// The trained length, times factor with dynamic scaling; unlimited where the
/// state does not grow.
int64_t defaultContext(const ModelDescription &model,
                       const CompileOptions &options) {
  if (options.maxContext) {
    return *options.maxContext;
  }
  if (model.boundedState()) {
    return 0;
  }
  const RotaryConfig *dynamic = dynamicRotary(model);
  return static_cast<int64_t>(model.maxPositions *
                              (dynamic ? dynamic->factor : 1.0));
}

/// Query heads; those of SSD where no layer has attention.
int64_t headsOf(const ModelDescription &model) {
  const auto *attention = model.find<Attention>();
  const auto *ssd = model.find<SSD>();
  return attention ? attention->heads : ssd ? ssd->heads : 1;
}
} // namespace

std::string describe(llvm::ArrayRef<TargetImage> images, mlir::ModuleOp module,
                     const Checkpoint &checkpoint,
                     const CompileOptions &options, int64_t block,
                     llvm::ArrayRef<std::string> warnings) {
  const ModelDescription &c = checkpoint.model();
  const auto *attention = c.find<Attention>();
  const auto *experts = c.find<RetrievedExperts>();
  const RotaryConfig *dynamic = dynamicRotary(c);
  bool storedBF16 = checkpoint.precision() == DType::BF16;
  bool scalar = llvm::any_of(
      images, [](const TargetImage &each) { return each.image.scalar; });
  llvm::StringSet<> tensors = tensorsOf(images);
  uint64_t hash =
      hashTensors(tensors, [&](llvm::StringRef name) -> const TensorView & {
        return checkpoint.tensor(name);
      });
  llvm::json::Object root{
      {"abi", CHEEMS_ABI_VERSION},
      {"state_layout", CHEEMS_STATE_LAYOUT_VERSION},
      {"compiler", compilerVersion()},
      {"model_type", c.modelType},
      {"vocab_size", c.vocabulary},
      {"hidden_size", c.hidden},
      {"layers", static_cast<int64_t>(c.layers.size())},
      {"heads", headsOf(c)},
      {"experts_per_token", experts ? experts->heads * experts->perHead : 0},
      {"parameter_count", countNumbers(tensors, checkpoint)},
      {"checkpoint", llvm::utohexstr(hash, /*LowerCase=*/true, /*Width=*/16)},
      {"max_position_embeddings", c.maxPositions},
      {"context",
       llvm::json::Object{{"default", defaultContext(c, options)},
                          {"trained", c.maxPositions},
                          {"rope", dynamic ? "dynamic" : "default"},
                          {"factor", dynamic ? dynamic->factor : 1.0}}},
      {"keep_window",
       attention && attention->mask ? attention->mask->keep.value_or(0) : 0},
      {"block", block},
      {"precision", storedBF16 ? "bf16" : "f32"},
      {"kv_type", options.state == StateFormat::Int8 ? "int8"
                  : storedBF16                       ? "bf16"
                                                     : "f32"},
      {"weights", formatName(options.weights, storedBF16)},
      {"bos_token_id", optional(c.bosToken)},
      {"eos_token_ids", llvm::json::Array(c.eosTokens)},
      {"pad_token_id", optional(c.padToken)},
      {"state", state(module->getAttrOfType<mlir::ArrayAttr>(kState))},
      {"parameters", parameters(images, checkpoint)},
      {"images", describeImages(images)},
      {"pipeline", scalar ? "scalar" : "fast"},
      {"warnings", llvm::json::Array(warnings)}};
  if (int64_t window = c.longestWindow()) {
    root["ring_window"] = window;
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(root));
  return text;
}

} // namespace cheems
