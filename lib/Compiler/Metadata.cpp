// The artefact's metadata section.
#include "Metadata.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "cheems/Import/ModuleBuilder.h"
#include "cheems/abi.h"
#include "llvm/ADT/StringSet.h"

namespace cheems {
namespace {
std::string typeName(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::string printed(mlir::Attribute value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

llvm::json::Value optional(std::optional<int64_t> value) {
  return value ? llvm::json::Value(*value) : nullptr;
}

llvm::json::Array state(mlir::ArrayAttr pools) {
  llvm::json::Array result;
  for (auto pool : pools.getAsRange<mlir::DictionaryAttr>()) {
    llvm::json::Array shape;
    for (mlir::Attribute extent : pool.getAs<mlir::ArrayAttr>("shape")) {
      if (auto number = mlir::dyn_cast<mlir::IntegerAttr>(extent)) {
        shape.push_back(number.getInt());
      } else {
        shape.push_back(mlir::cast<mlir::StringAttr>(extent).str());
      }
    }
    result.push_back(llvm::json::Object{
        {"name", pool.getAs<mlir::StringAttr>("name").str()},
        {"type", typeName(pool.getAs<mlir::TypeAttr>("type").getValue())},
        {"shape", std::move(shape)}});
  }
  return result;
}

llvm::json::Array parameters(mlir::ArrayAttr table) {
  llvm::json::Array result;
  for (auto entry : table.getAsRange<mlir::DictionaryAttr>()) {
    auto type = mlir::cast<mlir::RankedTensorType>(
        entry.getAs<mlir::TypeAttr>("type").getValue());
    std::string name;
    for (auto part :
         entry.getAs<mlir::ArrayAttr>("names").getAsRange<mlir::StringAttr>()) {
      name += (name.empty() ? "" : "+") + part.str();
    }
    std::string layout = "rows";
    if (mlir::Attribute own = entry.get("layout")) {
      layout = printed(own);
    }
    if (auto order = entry.getAs<mlir::DenseI64ArrayAttr>("permute")) {
      if (layout == "rows") {
        layout.clear();
      } else {
        layout += ' ';
      }
      layout += "permute " + printed(mlir::Builder(order.getContext())
                                         .getI64ArrayAttr(order.asArrayRef()));
    }
    if (entry.contains("beside")) {
      layout = "beside";
    }
    llvm::json::Object described{
        {"name", name},
        {"type", typeName(type.getElementType())},
        {"shape", llvm::json::Array(type.getShape())},
        {"layout", layout},
        {"offset", entry.getAs<mlir::IntegerAttr>("offset").getInt()},
        {"bytes", static_cast<int64_t>(type.getNumElements() *
                                       type.getElementTypeBitWidth() / 8)}};
    if (auto rounded = entry.getAs<mlir::cheems::QuantizedAttr>("quantized")) {
      described["rounded"] =
          mlir::cheems::stringifyQuantizedPart(rounded.getPart());
      described["bits"] = rounded.getBits();
      described["group"] = rounded.getGroup();
    }
    result.push_back(std::move(described));
  }
  return result;
}

/// Numbers of the checkpoint that the table is made of: no padding of panels,
/// and each tensor once, however often it is stored.
int64_t countNumbers(mlir::ArrayAttr table, const Checkpoint &checkpoint) {
  llvm::StringSet<> counted;
  int64_t count = 0;
  for (auto entry : table.getAsRange<mlir::DictionaryAttr>()) {
    for (auto name :
         entry.getAs<mlir::ArrayAttr>("names").getAsRange<mlir::StringAttr>()) {
      if (counted.insert(name).second) {
        count += checkpoint.tensor(name).elements();
      }
    }
  }
  return count;
}

llvm::StringRef formatName(WeightFormat weights, bool storedBF16) {
  switch (weights) {
  case WeightFormat::Stored:
    return storedBF16 ? "bf16" : "f32";
  case WeightFormat::F32:
    return "f32";
  case WeightFormat::BF16:
    return "bf16";
  case WeightFormat::Int8:
    return "int8";
  case WeightFormat::Int4:
    return "int4";
  }
  llvm_unreachable("every format has a name");
}

/// The trained length, times factor with dynamic scaling; unlimited where the
/// state does not grow.
int64_t defaultContext(const ModelConfig &config,
                       const CompileOptions &options) {
  if (options.maxContext) {
    return *options.maxContext;
  }
  if (config.boundedState()) {
    return 0;
  }
  return static_cast<int64_t>(config.maxPositions * (config.rotary.dynamic
                                                         ? config.rotary.factor
                                                         : 1.0));
}
} // namespace

std::string describe(llvm::ArrayRef<TargetImage> images, mlir::ModuleOp module,
                     const Checkpoint &checkpoint,
                     const CompileOptions &options, int64_t block,
                     llvm::ArrayRef<std::string> warnings) {
  const Image &image = images.front().image;
  const ModelConfig &c = checkpoint.config();
  bool storedBF16 = checkpoint.precision() == DType::BF16;
  llvm::json::Object root{
      {"abi", CHEEMS_ABI_VERSION},
      {"state_layout", CHEEMS_STATE_LAYOUT_VERSION},
      {"compiler", compilerVersion()},
      {"model_type", c.modelType},
      {"vocab_size", c.vocabulary},
      {"hidden_size", c.hidden},
      {"layers", c.layers},
      {"heads", c.heads},
      {"experts_per_token", c.expertHeads * c.expertsPerHead},
      {"parameter_count", countNumbers(image.parameters, checkpoint)},
      {"max_position_embeddings", c.maxPositions},
      {"context",
       llvm::json::Object{{"default", defaultContext(c, options)},
                          {"trained", c.maxPositions},
                          {"rope", c.rotary.dynamic ? "dynamic" : "default"},
                          {"factor", c.rotary.factor}}},
      {"keep_window", c.attentionLayers() ? c.keepWindow.value_or(0) : 0},
      {"block", block},
      {"precision", storedBF16 ? "bf16" : "f32"},
      {"kv_type", options.state == StateFormat::Int8 ? "int8"
                  : storedBF16                       ? "bf16"
                                                     : "f32"},
      {"weights", formatName(options.weights, storedBF16)},
      {"bos_token_id", optional(c.bosToken)},
      {"eos_token_ids", llvm::json::Array(c.eosTokens)},
      {"pad_token_id", optional(c.padToken)},
      {"state",
       state(module->getAttrOfType<mlir::ArrayAttr>(mlir::cheems::kState))},
      {"parameters", parameters(image.parameters)},
      {"pipeline", options.scalar ? "scalar" : "fast"},
      {"warnings", llvm::json::Array(warnings)}};
  for (const auto &[name, value] : image.description) {
    root[name] = value;
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(root));
  return text;
}

} // namespace cheems
