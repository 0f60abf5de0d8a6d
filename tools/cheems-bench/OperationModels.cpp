#include "OperationModels.h"
#include "runtime/Json/Json.h"

namespace cheems::bench {

namespace {

using nlohmann::json;

/// Rows of the embedding: enough that few rows of a step are equal.
constexpr int64_t vocabulary = 16384;

json common(int64_t hidden) {
  return {{"vocab_size", vocabulary},        {"hidden_size", hidden},
          {"intermediate_size", mlpSize},    {"num_hidden_layers", 1},
          {"max_position_embeddings", 4096}, // sessions ask for more
          {"rope_theta", 10000.0},           {"tie_word_embeddings", true}};
}

void addMLP(std::vector<RandomTensor> &tensors, const std::string &prefix,
            int64_t hidden) {
  tensors.push_back(matrix(prefix + "gate_proj.weight", mlpSize, hidden));
  tensors.push_back(matrix(prefix + "up_proj.weight", mlpSize, hidden));
  tensors.push_back(matrix(prefix + "down_proj.weight", hidden, mlpSize));
}

} // namespace

RandomModel cheemsModel(int64_t hidden, const SSDSizes &sizes,
                        const json &fields,
                        const std::vector<RandomTensor> &more) {
  json config = common(hidden);
  config.update({{"model_type", "cheems"},
                 {"rope_scaling", nullptr},
                 {"num_attention_heads", sizes.heads},
                 {"num_key_value_heads", sizes.heads},
                 {"head_dim", sizes.size},
                 {"ssd_state_size", sizes.state},
                 {"attn_layer_period", 2},
                 {"attn_layer_offset", 1}});
  config.update(fields);
  RandomModel model{printJson(config), {}};
  std::vector<RandomTensor> &tensors = model.tensors;
  std::string layer = "model.layers.0.", ssd = layer + "ssd.";
  int64_t width = sizes.heads * sizes.size, states = sizes.groups * sizes.state;
  tensors.push_back({"model.word_embed.weight", {vocabulary, hidden}});
  tensors.push_back(nearOne("model.final_layernorm.weight", hidden));
  for (const char *name : {"pre_sequence_layernorm", "post_sequence_residual",
                           "pre_state_layernorm", "post_state_residual"}) {
    tensors.push_back(nearOne(layer + name + ".weight", hidden));
  }
  tensors.push_back(matrix(ssd + "c_proj.weight", states, hidden));
  tensors.push_back(matrix(ssd + "b_proj.weight", states, hidden));
  tensors.push_back(matrix(ssd + "x_proj.weight", width, hidden));
  tensors.push_back(matrix(ssd + "dt_proj.weight", sizes.heads, hidden));
  tensors.push_back(matrix(ssd + "out_proj.weight", hidden, width));
  // Below zero: states decay.
  tensors.push_back({ssd + "A", {sizes.heads}, 0.02F, -0.5F});
  tensors.push_back(nearOne(ssd + "D", sizes.heads));
  addMLP(tensors, layer + "feed_forward.", hidden);
  tensors.insert(tensors.end(), more.begin(), more.end());
  return model;
}

RandomModel dogeModel(int64_t hidden, int64_t heads, int64_t size,
                      int64_t window) {
  json config = common(hidden);
  config.update(
      {{"model_type", "doge"},
       {"num_attention_heads", heads},
       {"num_key_value_heads", heads},
       {"head_dim", size},
       {"keep_window_size", window == 0 ? json(nullptr) : json(window)}});
  RandomModel model{printJson(config), {}};
  std::vector<RandomTensor> &tensors = model.tensors;
  std::string layer = "model.layers.0.", attention = layer + "self_attn.";
  int64_t width = heads * size;
  tensors.push_back({"model.embed_tokens.weight", {vocabulary, hidden}});
  tensors.push_back(nearOne("model.norm.weight", hidden));
  for (const char *name :
       {"input_layernorm.weight", "input_residual",
        "post_attention_layernorm.weight", "post_attention_residual"}) {
    tensors.push_back(nearOne(layer + name, hidden));
  }
  for (const char *name : {"q", "k", "v"}) {
    tensors.push_back(matrix(attention + name + "_proj.weight", width, hidden));
  }
  tensors.push_back(matrix(attention + "o_proj.weight", hidden, width));
  tensors.push_back(matrix(attention + "dt_proj.weight", heads, width));
  // Both signs are possible; below zero masks are below one.
  tensors.push_back({attention + "A", {heads}, 0.02F, -0.5F});
  tensors.push_back(nearOne(attention + "q_norm.weight", size));
  tensors.push_back(nearOne(attention + "k_norm.weight", size));
  addMLP(tensors, layer + "mlp.", hidden);
  return model;
}

} // namespace cheems::bench
