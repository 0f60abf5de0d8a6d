// config.json into ModelConfig.
#include "lib/Import/Config.h"
#include "lib/Import/ConfigLayers.h"
#include "lib/Import/ConfigReader.h"
#include "lib/Import/ConfigRotary.h"
#include "lib/Import/Messages.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

namespace cheems {
namespace {

constexpr int64_t largestIndex = INT32_MAX;

/// What absent fields mean. The token ids are the author's; transformers has
/// none.
struct Defaults {
  int64_t vocabulary, hidden, intermediate, layers, heads;
  bool tied;
  std::optional<int64_t> keepWindow, bos, eos, pad;
};
constexpr Defaults transformersDefaults = {
    32768, 1024, 2048,         32,           8,
    false, 2048, std::nullopt, std::nullopt, std::nullopt};
constexpr Defaults authorDefaults = {32768, 1024,         4096, 16, 8,
                                     true,  std::nullopt, 0,    1,  2};
constexpr Defaults cheemsDefaults = {32768, 1024,         2048, 32, 8,
                                     true,  std::nullopt, 0,    1,  2};

const Defaults &defaultsOf(NameSet names) {
  switch (names) {
  case NameSet::Transformers:
    return transformersDefaults;
  case NameSet::Author:
    return authorDefaults;
  case NameSet::Cheems:
    return cheemsDefaults;
  }
  llvm_unreachable("unknown name set");
}

class ModelConfigReader {
public:
  ModelConfigReader(const llvm::json::Object &config, NameSet names,
                    llvm::StringRef file, WarningHandler warn,
                    int64_t leastLayers)
      : config(config), names(names), defaults(defaultsOf(names)), file(file),
        warn(warn), leastLayers(leastLayers), reader(config, file) {}

  llvm::Expected<CheckpointConfig> read();

private:
  void checkNames();
  void checkRefused();
  void readSizes();
  void readHeads();
  void readMaths();
  void readBiases();
  void readTokens();
  std::optional<int64_t> token(llvm::StringRef name,
                               std::optional<int64_t> otherwise);

  const llvm::json::Object &config;
  NameSet names;
  const Defaults &defaults;
  llvm::StringRef file;
  WarningHandler warn;
  int64_t leastLayers;
  ConfigReader reader;
  CheckpointConfig result;
  ModelConfig &model = result.model;
};

void ModelConfigReader::checkNames() {
  llvm::StringSet<> known;
  for (const ConfigField &field : configFields()) {
    if (!field.name.contains('.')) {
      known.insert(field.name);
    }
  }
  std::vector<llvm::StringRef> unknown;
  for (const auto &[key, value] : config) {
    if (!known.contains(key)) {
      unknown.push_back(key);
    }
  }
  llvm::sort(unknown);
  for (llvm::StringRef name : unknown) {
    warn((file + ": field " + quoted(name) + " is unknown and ignored").str());
  }
}

void ModelConfigReader::checkRefused() {
  if (std::optional<double> ratio = reader.number("dynamic_mask_ratio")) {
    if (*ratio < 0.0 || *ratio > 1.0) {
      reader.fail("dynamic_mask_ratio", "must be from 0 to 1");
    } else if (*ratio > 0.0) {
      reader.refuse("dynamic_mask_ratio", "above 0 is not supported: it ranks "
                                          "keys among later ones, so a token "
                                          "would depend on its future");
    }
  }
  if (reader.get("sliding_window")) {
    reader.refuse(
        "sliding_window",
        "is not supported: it drops keys by age, but keep_window_size "
        "drops them by "
        "their mask");
  }
  if (std::optional<double> part = reader.number("partial_rotary_factor");
      part && *part != 1.0) {
    reader.refuse("partial_rotary_factor",
                  "must be 1: partly rotated heads are not supported");
  }
  if (reader.boolean("is_causal") == false) {
    reader.refuse(
        "is_causal",
        "false is not supported: a token is made from the tokens before it");
  }
  if (reader.get("quantization_config")) {
    reader.refuse("quantization_config",
                  "is not supported: give the unquantised weights");
  }
  if (const llvm::json::Value *value = reader.get("per_layer_config");
      value && !(value->getAsObject() && value->getAsObject()->empty())) {
    reader.refuse("per_layer_config",
                  "is not supported: a field must hold for all layers");
  }
}

void ModelConfigReader::readSizes() {
  model.vocabulary = reader.integer("vocab_size", 1, largestIndex)
                         .value_or(defaults.vocabulary);
  model.hidden =
      reader.integer("hidden_size", 1, largestSize).value_or(defaults.hidden);
  model.intermediate = reader.integer("intermediate_size", 1, largestSize)
                           .value_or(defaults.intermediate);
  model.layers = reader.integer("num_hidden_layers", leastLayers, largestCount)
                     .value_or(defaults.layers);
  model.maxPositions =
      reader.integer("max_position_embeddings", 1, largestIndex).value_or(2048);
}

void ModelConfigReader::readHeads() {
  model.heads = reader.integer("num_attention_heads", 1, largestCount)
                    .value_or(defaults.heads);
  model.keyValueHeads = reader.integer("num_key_value_heads", 1, largestCount)
                            .value_or(model.heads);
  if (model.heads % model.keyValueHeads != 0) {
    reader.fail("num_key_value_heads",
                llvm::Twine(model.keyValueHeads) +
                    " does not divide num_attention_heads " +
                    llvm::Twine(model.heads));
  }
  std::optional<int64_t> headDim = reader.integer("head_dim", 1, largestCount);
  if (!headDim && model.hidden % model.heads != 0) {
    reader.fail("num_attention_heads",
                llvm::Twine(model.heads) + " does not divide hidden_size " +
                    llvm::Twine(model.hidden) + ", and head_dim is not given");
  }
  model.headDim = headDim.value_or(model.hidden / model.heads);
  if (model.headDim % 2 != 0 && result.anyAttention()) {
    reader.fail(headDim ? "head_dim" : "hidden_size",
                headDim
                    ? llvm::Twine(model.headDim) +
                          " is odd; rotary embedding pairs the halves of a head"
                    : llvm::Twine(model.hidden) +
                          " over num_attention_heads gives an odd head size " +
                          llvm::Twine(model.headDim) +
                          "; rotary embedding pairs the halves of a head");
  }
}

void ModelConfigReader::readMaths() {
  if (std::optional<double> epsilon = reader.number("rms_norm_eps")) {
    model.normEpsilon = *epsilon;
    // Norms add it as a normal f32: a smaller one may be zero to them.
    if (*epsilon < 0x1p-126 || *epsilon >= 1.0) {
      reader.fail("rms_norm_eps", "must be at least 2^-126 and below 1");
    }
  }
  llvm::StringRef act = reader.string("hidden_act").value_or("silu");
  std::optional<Activation> activation =
      llvm::StringSwitch<std::optional<Activation>>(act)
          .Cases({"silu", "swish"}, Activation::SiLU)
          .Case("gelu", Activation::GELU)
          .Case("relu", Activation::ReLU)
          .Default(std::nullopt);
  if (activation) {
    model.activation = *activation;
  } else {
    reader.refuse("hidden_act",
                  quoted(act) +
                      " is not supported; 'silu', 'gelu' and 'relu' are");
  }
  result.tied = reader.boolean("tie_word_embeddings").value_or(defaults.tied);
}

void ModelConfigReader::readBiases() {
  auto flag =
      [&](llvm::StringRef name) -> std::optional<CheckpointConfig::BiasFlag> {
    for (llvm::StringRef field : {name, llvm::StringRef("hidden_bias")}) {
      if (std::optional<bool> value = reader.boolean(field)) {
        return CheckpointConfig::BiasFlag{*value, field};
      }
    }
    return std::nullopt;
  };
  result.attentionBias = flag("attention_bias");
  result.ssdBias = flag("hidden_bias");
  result.mlpBias = flag("mlp_bias");
}

/// Absent where the field is null; -1 means the same in older configurations.
std::optional<int64_t>
ModelConfigReader::token(llvm::StringRef name,
                         std::optional<int64_t> otherwise) {
  if (!config.get(name)) {
    return otherwise && *otherwise < model.vocabulary ? otherwise
                                                      : std::nullopt;
  }
  std::optional<int64_t> id = reader.integer(name, -1, model.vocabulary - 1);
  return id == -1 ? std::nullopt : id;
}

void ModelConfigReader::readTokens() {
  model.bosToken = token("bos_token_id", defaults.bos);
  model.padToken = token("pad_token_id", defaults.pad);
  const llvm::json::Array *list = config.getArray("eos_token_id");
  if (!list) {
    if (std::optional<int64_t> id = token("eos_token_id", defaults.eos)) {
      model.eosTokens.push_back(*id);
    }
    return;
  }
  for (const llvm::json::Value &value : *list) {
    std::optional<int64_t> id = value.getAsInteger();
    if (!id || *id < 0 || *id >= model.vocabulary) {
      reader.fail("eos_token_id", "must list integers from 0 to " +
                                      llvm::Twine(model.vocabulary - 1) +
                                      ", found " + valueText(value));
      return;
    }
    model.eosTokens.push_back(*id);
  }
}

llvm::Expected<CheckpointConfig> ModelConfigReader::read() {
  result.file = file.str();
  model.modelType = names == NameSet::Cheems ? "cheems" : "doge";
  checkRefused();
  readSizes();
  readPattern(reader, names, result);
  readHeads();
  readState(reader, result);
  readMaths();
  readRotary(reader, names, result, warn);
  readMask(reader, defaults.keepWindow, result, warn);
  readExperts(reader, names, result);
  readBiases();
  readTokens();
  if (llvm::Error error = reader.take()) {
    return std::move(error);
  }
  checkNames();
  return std::move(result);
}

} // namespace

llvm::Error checkModelType(const llvm::json::Object &config,
                           llvm::StringRef file) {
  ConfigReader reader(config, file);
  std::optional<llvm::StringRef> type = reader.string("model_type");
  if (!type) {
    reader.fail("model_type", "is missing; 'doge' and 'cheems' are supported");
  } else if (*type != "doge" && *type != "cheems") {
    reader.refuse("model_type",
                  quoted(*type) + " is not supported; 'doge' and 'cheems' are");
  }
  return reader.take();
}

llvm::Expected<CheckpointConfig> readConfig(const llvm::json::Object &config,
                                            NameSet names, llvm::StringRef file,
                                            WarningHandler warn,
                                            int64_t leastLayers) {
  return ModelConfigReader(config, names, file, warn, leastLayers).read();
}

} // namespace cheems
