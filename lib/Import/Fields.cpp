// What is read alike in all families.
#include "lib/Import/Fields.h"
#include "lib/Import/Messages.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

namespace cheems {

llvm::ArrayRef<ConfigField> commonFields() {
  static constexpr ConfigField fields[] = {
      {"model_type", FieldRole::Used,
       "`architectures`, or the names of tensors",
       "which family it is; [the families](#families) are below, and all "
       "others are refused"},
      {"architectures", FieldRole::Used, "",
       "says the same where `model_type` is missing; elsewhere it is not read"},
      {"is_causal", FieldRole::Refused, "true",
       "false: a token is generated from the tokens before it, so attention "
       "must be causal"},
      {"quantization_config", FieldRole::Refused, "null",
       "weights must be stored as F32, BF16 or F16"},
      {"per_layer_config", FieldRole::Refused, "null",
       "the fields above must hold for all layers"},
      {"hidden_dropout", FieldRole::Harmless, "", "training only"},
      {"attention_dropout", FieldRole::Harmless, "", "training only"},
      {"initializer_range", FieldRole::Harmless, "", "training only"},
      {"auto_map", FieldRole::Harmless, "", "class names in Python"},
      {"torch_dtype", FieldRole::Harmless, "",
       "the types are read from the tensors"},
      {"dtype", FieldRole::Harmless, "", "the types are read from the tensors"},
      {"transformers_version", FieldRole::Harmless, "", "who wrote the file"},
      {"_name_or_path", FieldRole::Harmless, "", "who wrote the file"},
      {"_attn_implementation", FieldRole::Harmless, "",
       "choice of kernel in Python"},
      {"_attn_implementation_autoset", FieldRole::Harmless, "",
       "choice of kernel in Python"},
      {"attn_implementation", FieldRole::Harmless, "",
       "choice of kernel in Python"},
      {"use_cache", FieldRole::Harmless, "", "a state is always kept"},
      {"return_dict", FieldRole::Harmless, "",
       "an argument of the Python call"},
      {"output_attentions", FieldRole::Harmless, "",
       "an argument of the Python call"},
      {"output_hidden_states", FieldRole::Harmless, "",
       "an argument of the Python call"},
      {"tie_last_hidden_states", FieldRole::Harmless, "",
       "an argument of the Python call"},
      {"chunk_size_feed_forward", FieldRole::Harmless, "",
       "memory in training"},
      {"is_encoder_decoder", FieldRole::Harmless, "",
       "both models are decoders"},
      {"id2label", FieldRole::Harmless, "", "for classifiers"},
      {"label2id", FieldRole::Harmless, "", "for classifiers"},
      {"num_labels", FieldRole::Harmless, "", "for classifiers"},
      {"problem_type", FieldRole::Harmless, "", "for classifiers"},
      {"tokenizer_class", FieldRole::Harmless, "",
       "`tokenizer.json` says which tokenizer it is"},
  };
  return fields;
}

void warnOfUnknownFields(const llvm::json::Object &config,
                         llvm::ArrayRef<ConfigField> fields,
                         llvm::StringRef file, WarningHandler warn) {
  llvm::StringSet<> known;
  for (const ConfigField &field : fields) {
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

void refuseCommonFields(ConfigReader &reader) {
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

double readEpsilon(ConfigReader &reader, llvm::StringRef name,
                   double otherwise) {
  double epsilon = reader.number(name).value_or(otherwise);
  // Norms add it as a normal f32: a smaller one may be zero to them.
  if (epsilon < 0x1p-126 || epsilon >= 1.0) {
    reader.fail(name, "must be at least 2^-126 and below 1");
  }
  return epsilon;
}

Activation readActivation(ConfigReader &reader, llvm::StringRef name,
                          llvm::StringRef otherwise) {
  llvm::StringRef given = reader.string(name).value_or(otherwise);
  std::optional<Activation> activation =
      llvm::StringSwitch<std::optional<Activation>>(given)
          .Cases({"silu", "swish"}, Activation::SiLU)
          .Case("gelu", Activation::GELU)
          .Cases({"gelu_pytorch_tanh", "gelu_new", "gelu_fast"},
                 Activation::GELUTanh)
          .Case("relu", Activation::ReLU)
          .Case("relu2", Activation::ReLU2)
          .Default(std::nullopt);
  if (!activation) {
    reader.refuse(name, quoted(given) +
                            " is not supported; 'silu', 'gelu', "
                            "'gelu_pytorch_tanh', 'relu' and 'relu2' are");
  }
  return activation.value_or(Activation::SiLU);
}

std::optional<int64_t> readToken(ConfigReader &reader, llvm::StringRef name,
                                 std::optional<int64_t> otherwise,
                                 int64_t vocabulary) {
  if (!reader.has(name)) {
    return otherwise && *otherwise < vocabulary ? otherwise : std::nullopt;
  }
  std::optional<int64_t> id = reader.integer(name, -1, vocabulary - 1);
  return id == -1 ? std::nullopt : id;
}

std::vector<int64_t> readTokens(ConfigReader &reader, llvm::StringRef name,
                                std::optional<int64_t> otherwise,
                                int64_t vocabulary) {
  std::vector<int64_t> tokens;
  const llvm::json::Value *given = reader.get(name);
  const llvm::json::Array *list = given ? given->getAsArray() : nullptr;
  if (!list) {
    if (std::optional<int64_t> id =
            readToken(reader, name, otherwise, vocabulary)) {
      tokens.push_back(*id);
    }
    return tokens;
  }
  for (const llvm::json::Value &value : *list) {
    std::optional<int64_t> id = value.getAsInteger();
    if (!id || *id < 0 || *id >= vocabulary) {
      reader.fail(name, "must list integers from 0 to " +
                            llvm::Twine(vocabulary - 1) + ", found " +
                            valueText(value));
      return tokens;
    }
    tokens.push_back(*id);
  }
  return tokens;
}

HeadFields readHeads(ConfigReader &reader, int64_t hidden, int64_t defaultHeads,
                     int64_t otherwise) {
  HeadFields found;
  found.heads = reader.integer("num_attention_heads", 1, largestCount)
                    .value_or(defaultHeads);
  found.keyValueHeads = reader.integer("num_key_value_heads", 1, largestCount)
                            .value_or(found.heads);
  if (found.heads % found.keyValueHeads != 0) {
    reader.fail("num_key_value_heads",
                llvm::Twine(found.keyValueHeads) +
                    " does not divide num_attention_heads " +
                    llvm::Twine(found.heads));
  }
  std::optional<int64_t> size = reader.integer("head_dim", 1, largestCount);
  if (!size && otherwise == 0 && hidden % found.heads != 0) {
    reader.fail("num_attention_heads",
                llvm::Twine(found.heads) + " does not divide hidden_size " +
                    llvm::Twine(hidden) + ", and head_dim is not given");
  }
  found.size = size.value_or(otherwise != 0 ? otherwise : hidden / found.heads);
  found.sizeGiven = size.has_value();
  return found;
}

void checkEvenHeads(ConfigReader &reader, const HeadFields &found,
                    int64_t hidden) {
  if (found.size % 2 == 0) {
    return;
  }
  reader.fail(found.sizeGiven ? "head_dim" : "hidden_size",
              found.sizeGiven
                  ? llvm::Twine(found.size) +
                        " is odd; rotary embedding pairs the halves of a head"
                  : llvm::Twine(hidden) +
                        " over num_attention_heads gives an odd head size " +
                        llvm::Twine(found.size) +
                        "; rotary embedding pairs the halves of a head");
}

} // namespace cheems
