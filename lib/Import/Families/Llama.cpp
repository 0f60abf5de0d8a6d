// Llama and its kin, which are one graph: rotary attention without masks and a
// gated MLP, each after a norm, added to x.
#include "lib/Import/Families/Family.h"
#include "lib/Import/Messages.h"
#include "lib/Import/Rotary.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

namespace cheems {
namespace {

/// What differs between the kin.
struct LlamaKind {
  llvm::StringLiteral modelType;
  /// Key heads where the field is absent: as many as query heads, or it has to
  /// be there.
  bool keyHeadsMayLack;
  int64_t headSize; ///< where head_dim is absent; 0: hidden_size / heads
  double theta;
  bool tied;
  std::optional<int64_t> bos, eos, pad;
  bool biasFields;     ///< attention_bias: of q, k, v and o
  bool mlpBiasField;   ///< mlp_bias
  bool queryKeyBiases; ///< q, k and v always have biases, and o has none
  bool norms;          ///< of queries and keys
  enum { NoWindow, AllLayers, Switched } window;
  bool someWithoutRotary; ///< no_rope_layers
  bool factors;           ///< Granite's four
};

constexpr LlamaKind llamaKinds[] = {
    {"llama", true, 0, 1e4, false, 1, 2, std::nullopt, true, true, false, false,
     LlamaKind::NoWindow, false, false},
    {"mistral", false, 0, 1e4, false, 1, 2, std::nullopt, false, false, false,
     false, LlamaKind::AllLayers, false, false},
    {"qwen2", false, 0, 1e4, false, std::nullopt, std::nullopt, std::nullopt,
     false, false, true, false, LlamaKind::Switched, false, false},
    {"qwen3", false, 128, 1e4, false, std::nullopt, std::nullopt, std::nullopt,
     true, false, false, true, LlamaKind::Switched, false, false},
    {"smollm3", false, 0, 2e6, true, 128000, 128001, 128004, true, true, false,
     false, LlamaKind::Switched, true, false},
    {"granite", true, 0, 1e4, false, 1, 2, std::nullopt, true, true, false,
     false, LlamaKind::NoWindow, false, true}};

constexpr ConfigField llamaFields[] = {
    {"vocab_size", FieldRole::Used, "required", "rows of the embedding"},
    {"hidden_size", FieldRole::Used, "required",
     "width of the residual stream, at most 2^24"},
    {"intermediate_size", FieldRole::Used, "required",
     "width inside the MLP, at most 2^24"},
    {"num_hidden_layers", FieldRole::Used, "required", "layers, at most 65536"},
    {"num_attention_heads", FieldRole::Used, "required", "query heads"},
    {"num_key_value_heads", FieldRole::Used,
     "`num_attention_heads` with `llama` and `granite`, else required",
     "key/value heads; must divide the query heads. `null` is "
     "`num_attention_heads`"},
    {"head_dim", FieldRole::Used, "`hidden_size` / heads; `qwen3` 128",
     "size of a head, even; heads need not add up to `hidden_size`"},
    {"max_position_embeddings", FieldRole::Used, "required",
     "trained length; the default context (times `factor` with dynamic RoPE)"},
    {"rms_norm_eps", FieldRole::Used, "1e-6",
     "added to the mean square in every norm; at least 2^-126, below 1"},
    {"hidden_act", FieldRole::Used, "`silu`",
     "`silu` (or `swish`), `gelu` (the erf form), `gelu_pytorch_tanh` (or "
     "`gelu_new`, `gelu_fast`), `relu`, `relu2`; others end with exit code 3"},
    {"tie_word_embeddings", FieldRole::Used, "false; `smollm3` true",
     "true: the embedding is the head. Then `lm_head.weight` may be stored "
     "only if it equals the embedding bit for bit"},
    {"attention_bias", FieldRole::Used, "false",
     "whether q, k, v and o have biases. Refused if true with `mistral` and "
     "with `qwen2`, where q, k and v always have some and o has none"},
    {"mlp_bias", FieldRole::Used, "false",
     "whether the MLP has biases. Refused if true with `mistral`, `qwen2` and "
     "`qwen3`"},
    {"sliding_window", FieldRole::Used,
     "`mistral` 4096; required with `use_sliding_window`, else none",
     "W: a token sees itself and W - 1 before it. With `qwen2`, `qwen3` and "
     "`smollm3` only if `use_sliding_window` is true. Refused unless it is "
     "null with `llama` and `granite`"},
    {"use_sliding_window", FieldRole::Used, "false",
     "`qwen2`, `qwen3`, `smollm3`: whether there is a window. Elsewhere true "
     "is refused"},
    {"max_window_layers", FieldRole::Used, "28",
     "`qwen2`, `qwen3`: the first layer that has the window, where "
     "`layer_types` does not say it. Elsewhere no effect"},
    {"layer_types", FieldRole::Used,
     "`mistral`: all layers have the window; `qwen2`, `qwen3`: by "
     "`max_window_layers`; `smollm3`: the layers without positions",
     "a word for each layer: `full_attention`, or `sliding_attention`, which "
     "is an error without a window; others end with exit code 3"},
    {"no_rope_layers", FieldRole::Used, "by the interval",
     "`smollm3`: a number for each layer, 1 where heads turn, 0 where they "
     "have no positions. Refused elsewhere"},
    {"no_rope_layer_interval", FieldRole::Used, "4",
     "`smollm3`: one layer in so many has no positions, where "
     "`no_rope_layers` does not say it. Refused elsewhere"},
    {"embedding_multiplier", FieldRole::Used, "1",
     "`granite`: factor of the embedding. Elsewhere only 1 is accepted"},
    {"residual_multiplier", FieldRole::Used, "1",
     "`granite`: factor of what a layer adds. Elsewhere only 1 is accepted"},
    {"attention_multiplier", FieldRole::Used, "1",
     "`granite`: factor of scores, in place of 1 / sqrt(head size). Refused "
     "elsewhere"},
    {"logits_scaling", FieldRole::Used, "1",
     "`granite`: what logits are divided by. Elsewhere only 1 is accepted"},
    {"rope_theta", FieldRole::Used, "10000; `smollm3` 2000000",
     "base of the rotary angles, at least 1, if the table below gives none"},
    {"rope_parameters", FieldRole::Used, "none", "a table of rotary fields"},
    {"rope_scaling", FieldRole::Used, "none",
     "its older name; if both are given it wins, and there is a warning"},
    {"original_max_position_embeddings", FieldRole::Used, "",
     "the same as the field of this name in the table, which must agree"},
    {"rope_parameters.rope_theta", FieldRole::Used, "`rope_theta`",
     "base of the rotary angles, at least 1"},
    {"rope_parameters.rope_type", FieldRole::Used, "`default`",
     "`default`, `dynamic`, `linear`, `llama3` or `yarn`; others, `longrope` "
     "among them, end with exit code 3"},
    {"rope_parameters.type", FieldRole::Used, "",
     "its older name; if both are given they must agree"},
    {"rope_parameters.factor", FieldRole::Used, "required",
     "by how much positions are stretched, at least 1; `default` has none"},
    {"rope_parameters.original_max_position_embeddings", FieldRole::Used,
     "`max_position_embeddings`",
     "`llama3`, `yarn`: trained length before stretching; no effect with "
     "`dynamic`, where another value gives a warning"},
    {"rope_parameters.low_freq_factor", FieldRole::Used, "required",
     "`llama3`: frequencies with fewer turns are stretched"},
    {"rope_parameters.high_freq_factor", FieldRole::Used, "required",
     "`llama3`: frequencies with more turns stay"},
    {"rope_parameters.beta_fast", FieldRole::Used, "32",
     "`yarn`: frequencies with more turns stay; not below `beta_slow`"},
    {"rope_parameters.beta_slow", FieldRole::Used, "1",
     "`yarn`: frequencies with fewer turns are stretched"},
    {"rope_parameters.truncate", FieldRole::Used, "true",
     "`yarn`: whether the places of both are whole numbers; `null` is false"},
    {"rope_parameters.attention_factor", FieldRole::Used,
     "from the two below, else 0.1 ln(factor) + 1",
     "`yarn`: factor of cosines and sines"},
    {"rope_parameters.mscale", FieldRole::Used, "",
     "`yarn`: with the next one, gives that factor"},
    {"rope_parameters.mscale_all_dim", FieldRole::Used, "",
     "`yarn`: see above"},
    {"bos_token_id", FieldRole::Used,
     "1; `qwen2`, `qwen3` none; `smollm3` 128000",
     "first token of a text; -1 is none"},
    {"eos_token_id", FieldRole::Used,
     "2; `qwen2`, `qwen3` none; `smollm3` 128001",
     "token, or list of tokens, that ends a text; when a model runs, "
     "`generation_config.json` goes first"},
    {"pad_token_id", FieldRole::Used, "none; `smollm3` 128004",
     "recorded, but never fed; -1 is none"},
    {"partial_rotary_factor", FieldRole::Refused, "1",
     "other than 1: heads would be rotated in part"},
    {"rope_parameters.partial_rotary_factor", FieldRole::Refused, "1",
     "the same"},
    {"rope_interleaved", FieldRole::Refused, "false",
     "true: neighbours would be paired, and not halves"},
    {"pretraining_tp", FieldRole::Harmless, "",
     "how products were split in training"},
    {"is_llama_config", FieldRole::Harmless, "", "who wrote the file"},
};

/// config.json of a model of this family.
struct LlamaFields {
  ModelDescription model; ///< all but layers and what tensors are called
  int64_t intermediate = 0, layers = 0;
  HeadFields heads = {};
  double epsilon = 1e-6, scale = 1.0, residualFactor = 1.0;
  Activation activation = Activation::SiLU;
  int64_t turned = 0; ///< numbers of a head
  bool tied = false, attentionBias = false, mlpBias = false;
  std::vector<std::optional<int64_t>> windows; ///< of layers
  std::vector<bool> rotary;                    ///< of layers
};

class LlamaReader {
public:
  LlamaReader(const FamilyInput &input, const LlamaKind &kind)
      : input(input), kind(kind), reader(input.config, input.file) {}

  llvm::Expected<LlamaFields> read() {
    refuseCommonFields(reader);
    if (reader.boolean("rope_interleaved") == true) {
      reader.refuse("rope_interleaved",
                    "true is not supported: halves of a head are paired");
    }
    readSizes();
    readAngles();
    readBiases();
    readPositions();
    readWindows(); // which may follow from positions
    readFactors();
    readTokenIds();
    if (llvm::Error error = reader.take()) {
      return std::move(error);
    }
    return std::move(result);
  }

private:
  int64_t required(llvm::StringRef name, int64_t low, int64_t high) {
    if (!reader.get(name)) {
      reader.fail(name, "is missing");
    }
    return reader.integer(name, low, high).value_or(std::max<int64_t>(low, 1));
  }
  /// A field that other models of the family have.
  void foreign(llvm::StringRef name) {
    reader.refuse(name, "is not supported with model_type '" + kind.modelType +
                            "', which has no such thing");
  }
  bool flag(llvm::StringRef name, bool known) {
    bool value = reader.boolean(name).value_or(false);
    if (value && !known) {
      foreign(name);
    }
    return value;
  }

  void readSizes() {
    ModelDescription &model = result.model;
    model.modelType = kind.modelType.str();
    model.vocabulary = required("vocab_size", 1, largestIndex);
    model.hidden = required("hidden_size", 1, largestSize);
    model.maxPositions = required("max_position_embeddings", 1, largestIndex);
    result.intermediate = required("intermediate_size", 1, largestSize);
    result.layers =
        required("num_hidden_layers", input.leastLayers, largestCount);
    required("num_attention_heads", 1, largestCount);
    if (!kind.keyHeadsMayLack && !reader.has("num_key_value_heads")) {
      reader.fail("num_key_value_heads", "is missing");
    }
    result.heads = readHeads(reader, model.hidden, 1, kind.headSize);
    checkEvenHeads(reader, result.heads, model.hidden);
    result.epsilon = readEpsilon(reader, "rms_norm_eps", 1e-6);
    result.activation = readActivation(reader, "hidden_act", "silu");
    result.tied = reader.boolean("tie_word_embeddings").value_or(kind.tied);
  }

  void readAngles() {
    RotaryFields fields;
    fields.file = input.file;
    fields.rows = llamaFields;
    fields.theta = kind.theta;
    fields.maxPositions = result.model.maxPositions;
    fields.uses = {{"a head_dim", result.heads.size}};
    fields.wholeHeads = true;
    fields.headSize = result.heads.size;
    ReadRotary found = readRotary(reader, fields, input.warn);
    result.model.rotary = {std::move(found.table)};
    result.turned = found.size;
  }

  void readBiases() {
    result.attentionBias = flag("attention_bias", kind.biasFields);
    result.mlpBias = flag("mlp_bias", kind.mlpBiasField);
  }

  /// A list with an entry for each layer, or null.
  const llvm::json::Array *layerList(llvm::StringRef name) {
    const llvm::json::Value *value = reader.get(name);
    const llvm::json::Array *list = value ? value->getAsArray() : nullptr;
    if (value &&
        (!list || static_cast<int64_t>(list->size()) != result.layers)) {
      reader.fail(name, "must list one entry for each of " +
                            llvm::Twine(result.layers) + " layers");
      return nullptr;
    }
    return list;
  }

  void readWindows() {
    std::optional<int64_t> window =
        reader.integer("sliding_window", 0, largestIndex);
    if (kind.window == LlamaKind::AllLayers && !reader.has("sliding_window")) {
      window = 4096;
    }
    bool used = flag("use_sliding_window", kind.window == LlamaKind::Switched);
    if (kind.window == LlamaKind::NoWindow && window) {
      foreign("sliding_window");
    }
    if (kind.window == LlamaKind::Switched && !used) {
      window.reset();
    }
    if (kind.window == LlamaKind::Switched && used &&
        !reader.has("sliding_window")) {
      reader.fail("sliding_window", "is missing; with use_sliding_window it "
                                    "says how many keys a token sees");
    }
    if (window && *window < 1) {
      reader.fail("sliding_window", "must be at least 1, or no query would see "
                                    "a key");
    }
    int64_t first =
        reader.integer("max_window_layers", 0, largestCount).value_or(28);
    auto slidesByItself = [&](int64_t layer) {
      return kind.someWithoutRotary
                 ? !result.rotary[layer]
                 : kind.window == LlamaKind::AllLayers || layer >= first;
    };
    const llvm::json::Array *types = layerList("layer_types");
    for (int64_t i = 0; i < result.layers; ++i) {
      bool slides = types ? readLayerType((*types)[i], window.has_value())
                          : slidesByItself(i);
      result.windows.push_back(slides ? window : std::nullopt);
    }
  }

  /// Whether a word of layer_types says that its layer has the window.
  bool readLayerType(const llvm::json::Value &word, bool windowed) {
    constexpr llvm::StringLiteral name = "layer_types",
                                  sliding = "sliding_attention";
    llvm::StringRef type = word.getAsString().value_or("");
    if (type != sliding && type != "full_attention") {
      reader.refuse(name, valueText(word) + " is not supported; "
                                            "'full_attention' and "
                                            "'sliding_attention' are");
    } else if (type == sliding && kind.window == LlamaKind::NoWindow) {
      reader.refuse(name, quoted(type) + " is not supported with model_type '" +
                              kind.modelType + "', which has no window");
    } else if (type == sliding && !windowed) {
      reader.fail(name, quoted(type) + " has no size; set sliding_window" +
                            (kind.window == LlamaKind::Switched
                                 ? " and use_sliding_window"
                                 : ""));
    }
    return type == sliding;
  }

  void readPositions() {
    for (llvm::StringRef name : {"no_rope_layers", "no_rope_layer_interval"}) {
      if (!kind.someWithoutRotary && reader.get(name)) {
        foreign(name);
      }
    }
    int64_t interval =
        reader.integer("no_rope_layer_interval", 1, largestCount).value_or(4);
    const llvm::json::Array *list = layerList("no_rope_layers");
    for (int64_t i = 0; i < result.layers; ++i) {
      bool turns = !kind.someWithoutRotary || (i + 1) % interval != 0;
      if (list) {
        std::optional<int64_t> entry = (*list)[i].getAsInteger();
        if (entry != 0 && entry != 1) {
          reader.fail("no_rope_layers",
                      "must list 0 and 1, found " + valueText((*list)[i]));
        }
        turns = entry != 0;
      }
      result.rotary.push_back(turns);
    }
  }

  double factor(llvm::StringRef name) {
    double value = reader.number(name).value_or(1.0);
    if (value != 1.0 && !kind.factors) {
      foreign(name);
    }
    if (std::abs(value) > 0x1p32) { // else squares leave f32 and all is NaN
      reader.fail(name, "must be between -2^32 and 2^32");
    }
    return value;
  }

  void readFactors() {
    ModelDescription &model = result.model;
    model.embeddingFactor = factor("embedding_multiplier");
    result.residualFactor = factor("residual_multiplier");
    double divisor = factor("logits_scaling");
    if (std::abs(divisor) < 0x1p-126) {
      reader.fail("logits_scaling", "must not be 0, nor nearer to it than "
                                    "2^-126");
    }
    model.logitFactor = 1.0 / divisor;
    result.scale = 1.0 / std::sqrt(static_cast<double>(result.heads.size));
    if (kind.factors) {
      result.scale = factor("attention_multiplier");
    } else if (reader.get("attention_multiplier")) {
      foreign("attention_multiplier");
    }
  }

  void readTokenIds() {
    ModelDescription &model = result.model;
    model.bosToken =
        readToken(reader, "bos_token_id", kind.bos, model.vocabulary);
    model.padToken =
        readToken(reader, "pad_token_id", kind.pad, model.vocabulary);
    model.eosTokens =
        readTokens(reader, "eos_token_id", kind.eos, model.vocabulary);
  }

  const FamilyInput &input;
  const LlamaKind &kind;
  ConfigReader reader;
  LlamaFields result;
};

/// Takes the tensors of layers.
struct LlamaBinding {
  Binder &binder;
  const LlamaKind &kind;
  const LlamaFields &read;

  llvm::Error attention(Attention &made, int64_t layer,
                        const std::string &prefix) {
    int64_t hidden = read.model.hidden, size = read.heads.size,
            queries = read.heads.heads * size,
            keys = read.heads.keyValueHeads * size;
    made.heads = read.heads.heads;
    made.keyValueHeads = read.heads.keyValueHeads;
    made.headSize = size;
    made.scale = read.scale;
    made.window = read.windows[layer];
    if (read.rotary[layer]) {
      made.rotary = RotaryUse{0, read.turned};
    }
    bool bias = read.attentionBias || kind.queryKeyBiases;
    llvm::StringRef why = read.attentionBias
                              ? "; config.json says attention_bias true"
                              : "; every qwen2 has it";
    llvm::Error error = binder.takeExactly(made.query, prefix + "q_proj",
                                           queries, hidden, bias, why);
    if (!error) {
      error = binder.takeExactly(made.key, prefix + "k_proj", keys, hidden,
                                 bias, why);
    }
    if (!error) {
      error = binder.takeExactly(made.value, prefix + "v_proj", keys, hidden,
                                 bias, why);
    }
    if (!error) {
      error = binder.takeExactly(made.output, prefix + "o_proj", hidden,
                                 queries, read.attentionBias, why);
    }
    if (error || !kind.norms) {
      return error;
    }
    made.queryNorm = Norm{prefix + "q_norm.weight", read.epsilon};
    made.keyNorm = Norm{prefix + "k_norm.weight", read.epsilon};
    if (llvm::Error missing = binder.take(made.queryNorm->weight, {size})) {
      return missing;
    }
    return binder.take(made.keyNorm->weight, {size});
  }

  llvm::Error mlp(MLP &made, const std::string &prefix) {
    int64_t hidden = read.model.hidden, inner = read.intermediate;
    constexpr llvm::StringLiteral why = "; config.json says mlp_bias true";
    made.activation = read.activation;
    llvm::Error error =
        binder.takeExactly(made.gate.emplace(), prefix + "gate_proj", inner,
                           hidden, read.mlpBias, why);
    if (!error) {
      error = binder.takeExactly(made.up, prefix + "up_proj", inner, hidden,
                                 read.mlpBias, why);
    }
    if (!error) {
      error = binder.takeExactly(made.down, prefix + "down_proj", hidden, inner,
                                 read.mlpBias, why);
    }
    return error;
  }

  llvm::Error layer(Layer &made, int64_t number) {
    std::string prefix = "model.layers." + std::to_string(number) + ".";
    Branch first, second;
    first.norm = {prefix + "input_layernorm.weight", read.epsilon};
    second.norm = {prefix + "post_attention_layernorm.weight", read.epsilon};
    first.residual.factor = second.residual.factor = read.residualFactor;
    llvm::Error error = binder.take(first.norm.weight, {read.model.hidden});
    if (!error) {
      error = attention(first.mixers.emplace_back().what.emplace<Attention>(),
                        number, prefix + "self_attn.");
    }
    if (!error) {
      error = binder.take(second.norm.weight, {read.model.hidden});
    }
    if (!error) {
      error = mlp(second.mixers.emplace_back().what.emplace<MLP>(),
                  prefix + "mlp.");
    }
    made.branches = {std::move(first), std::move(second)};
    return error;
  }
};

llvm::Expected<ModelDescription> describeLlama(const FamilyInput &input,
                                               Binder &binder) {
  const LlamaKind &kind =
      *llvm::find_if(llamaKinds, [&](const LlamaKind &each) {
        return each.modelType == input.modelType;
      });
  auto read = LlamaReader(input, kind).read();
  if (!read) {
    return read.takeError();
  }
  ModelDescription model = read->model;
  model.embedding = "model.embed_tokens.weight";
  model.finalNorm = {"model.norm.weight", read->epsilon};
  llvm::Error error =
      binder.take(model.embedding, {model.vocabulary, model.hidden});
  LlamaBinding binding{binder, kind, *read};
  for (int64_t i = 0; !error && i < read->layers; ++i) {
    error = binding.layer(model.layers.emplace_back(), i);
  }
  if (!error) {
    error = binder.take(model.finalNorm.weight, {model.hidden});
  }
  if (!error) {
    error = binder.takeHead(model, read->tied);
  }
  if (error) {
    return std::move(error);
  }
  return std::move(model);
}

} // namespace

const Family &llamaFamily() {
  static constexpr ModelKind kinds[] = {
      {"llama", "LlamaForCausalLM"},     {"mistral", "MistralForCausalLM"},
      {"qwen2", "Qwen2ForCausalLM"},     {"qwen3", "Qwen3ForCausalLM"},
      {"smollm3", "SmolLM3ForCausalLM"}, {"granite", "GraniteForCausalLM"}};
  static const llvm::ArrayRef<ConfigField> fields[] = {llamaFields};
  static const Family family = {"Llama", kinds, fields, describeLlama};
  return family;
}

} // namespace cheems
