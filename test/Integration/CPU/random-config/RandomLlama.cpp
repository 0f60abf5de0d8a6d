// Draws models of Llama and its kin, and writes them.
#include "RandomLlama.h"
#include "test/unit/Support/RandomDraws.h"
#include <cmath>
#include <sstream>

namespace cheems::test {

std::string RandomLlama::describe() const {
  std::ostringstream text;
  text << type << ", seed " << seed << ", hidden " << hidden << ", inner "
       << intermediate << ", heads " << heads << " over " << keyValueHeads
       << " of " << headDim << ", " << activation << ", rope " << rope
       << (tied ? ", tied" : "") << (attentionBias ? ", biases" : "")
       << (mlpBias ? ", MLP biases" : "");
  return text.str();
}

RandomLlama drawLlama(uint64_t seed) {
  const char *types[] = {"llama", "mistral", "qwen2",
                         "qwen3", "smollm3", "granite"};
  Random random(seed ^ 0x11a3a);
  RandomLlama c;
  c.seed = seed;
  c.type = types[seed % std::size(types)];
  c.hidden = 8 * random.integer(2, 9);
  c.intermediate = 8 * random.integer(2, 12);
  c.keyValueHeads = random.integer(1, 3);
  c.heads = c.keyValueHeads * random.integer(1, 4);
  c.headDim = random.pick<int64_t>({8, 10, 16, 20, 32, 64});
  c.tied = random.chance(0.5);
  bool fields = c.type == "llama" || c.type == "smollm3" || c.type == "granite";
  c.attentionBias = c.type == "qwen2" || (fields && random.chance(0.4));
  c.mlpBias = fields && random.chance(0.4);
  c.activation =
      random.pick<const char *>({"silu", "gelu", "gelu_pytorch_tanh", "relu2"});
  c.rope = random.pick<const char *>({"default", "linear", "llama3", "yarn"});
  return c;
}

namespace {

std::string configOf(const RandomLlama &c) {
  std::ostringstream text;
  text << "{\"model_type\": \"" << c.type
       << "\", \"vocab_size\": " << c.vocabulary
       << ", \"hidden_size\": " << c.hidden
       << ", \"intermediate_size\": " << c.intermediate
       << ", \"num_hidden_layers\": " << c.layers
       << ", \"num_attention_heads\": " << c.heads
       << ", \"num_key_value_heads\": " << c.keyValueHeads
       << ", \"head_dim\": " << c.headDim << ", \"hidden_act\": \""
       << c.activation
       << "\", \"tie_word_embeddings\": " << (c.tied ? "true" : "false")
       << ", \"max_position_embeddings\": 512, \"sliding_window\": null";
  auto flag = [&](const char *name, bool value) {
    if (value) {
      text << ", \"" << name << "\": true";
    }
  };
  flag("attention_bias", c.attentionBias && c.type != "qwen2");
  flag("mlp_bias", c.mlpBias);
  if (c.type == "smollm3") {
    text << ", \"no_rope_layer_interval\": 2";
  }
  if (c.type == "granite") {
    text << ", \"embedding_multiplier\": 3.5, \"residual_multiplier\": 0.6, "
            "\"attention_multiplier\": 0.3, \"logits_scaling\": 1.7";
  }
  if (c.rope != "default") {
    text << ", \"rope_scaling\": {\"rope_type\": \"" << c.rope
         << "\", \"factor\": 4.0";
    if (c.rope != "linear") {
      text << ", \"original_max_position_embeddings\": 64";
    }
    if (c.rope == "llama3") {
      text << ", \"low_freq_factor\": 1.0, \"high_freq_factor\": 4.0";
    }
    text << "}";
  }
  text << "}";
  return text.str();
}

struct LlamaWeights {
  const RandomLlama &c;
  Random random;
  std::vector<RandomTensor> tensors = {};

  /// middle + deviation * normal.
  void add(const std::string &name, std::vector<int64_t> shape, double middle,
           double deviation) {
    RandomTensor tensor{name, "F32", std::move(shape), ""};
    int64_t count = 1;
    for (int64_t extent : tensor.shape) {
      count *= extent;
    }
    for (int64_t i = 0; i < count; ++i) {
      appendF32(tensor.bytes, middle + deviation * random.normal());
    }
    tensors.push_back(std::move(tensor));
  }
  void norm(const std::string &name, int64_t size) {
    add(name + ".weight", {size}, 1, 0.1);
  }
  void projection(const std::string &name, int64_t out, int64_t in, bool bias) {
    add(name + ".weight", {out, in}, 0, 1 / std::sqrt(double(in)));
    if (bias) {
      add(name + ".bias", {out}, 0, 0.3);
    }
  }

  void layer(const std::string &prefix) {
    int64_t queries = c.heads * c.headDim, keys = c.keyValueHeads * c.headDim;
    std::string attention = prefix + "self_attn.";
    norm(prefix + "input_layernorm", c.hidden);
    projection(attention + "q_proj", queries, c.hidden, c.attentionBias);
    projection(attention + "k_proj", keys, c.hidden, c.attentionBias);
    projection(attention + "v_proj", keys, c.hidden, c.attentionBias);
    projection(attention + "o_proj", c.hidden, queries,
               c.attentionBias && c.type != "qwen2");
    if (c.type == "qwen3") {
      norm(attention + "q_norm", c.headDim);
      norm(attention + "k_norm", c.headDim);
    }
    norm(prefix + "post_attention_layernorm", c.hidden);
    projection(prefix + "mlp.gate_proj", c.intermediate, c.hidden, c.mlpBias);
    projection(prefix + "mlp.up_proj", c.intermediate, c.hidden, c.mlpBias);
    projection(prefix + "mlp.down_proj", c.hidden, c.intermediate, c.mlpBias);
  }

  void model() {
    add("model.embed_tokens.weight", {c.vocabulary, c.hidden}, 0, 1);
    for (int64_t i = 0; i < c.layers; ++i) {
      layer("model.layers." + std::to_string(i) + ".");
    }
    norm("model.norm", c.hidden);
    if (!c.tied) {
      projection("lm_head", c.vocabulary, c.hidden, false);
    }
  }
};
} // namespace

void writeLlama(const RandomLlama &drawn, const std::filesystem::path &folder) {
  std::filesystem::create_directories(folder);
  writeFile(folder / "config.json", configOf(drawn));
  LlamaWeights weights{drawn, Random(drawn.seed ^ 0x3e1646)};
  weights.model();
  saveTensors(folder / "model.safetensors", weights.tensors);
}

} // namespace cheems::test
