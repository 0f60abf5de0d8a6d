// Turns a small Doge into a Cheems, and gives layers experts.
#include "test/unit/Import/ModelFolder.h"

namespace cheems::test {

static std::string layerPrefix(int64_t layer) {
  return "model.layers." + std::to_string(layer) + ".";
}

ModelFolder &ModelFolder::makeCheems(int64_t layers, int64_t period,
                                     int64_t offset) {
  useAuthorNames();
  const std::pair<const char *, const char *> renamed[] = {
      {"pre_layernorm.", "pre_sequence_layernorm."},
      {"pre_residual.", "post_sequence_residual."},
      {"post_layernorm.", "pre_state_layernorm."},
      {"post_residual.", "post_state_residual."},
      {"self_attn.", "attn."},
      {"feed_forward.", "feed_forward."}};
  const std::pair<const char *, std::vector<int64_t>> states[] = {
      {"c_proj.weight", {16, 16}},   {"b_proj.weight", {16, 16}},
      {"x_proj.weight", {16, 16}},   {"dt_proj.weight", {4, 16}},
      {"out_proj.weight", {16, 16}}, {"A", {4}}};
  TensorMap old = std::move(tensors);
  tensors.clear();
  for (const auto &[name, tensor] : old) {
    if (!llvm::StringRef(name).starts_with("model.layers.")) {
      tensors[name] = tensor;
      continue;
    }
    llvm::StringRef part = name;
    if (!part.consume_front(layerPrefix(0))) {
      continue;
    }
    for (const auto &[from, to] : renamed) {
      llvm::StringRef rest = part;
      if (!rest.consume_front(from)) {
        continue;
      }
      for (int64_t layer = 0; layer < layers; ++layer) {
        if (layer % period == offset || llvm::StringRef(to) != "attn.") {
          tensors[layerPrefix(layer) + to + rest.str()] = tensor;
        }
      }
    }
  }
  for (int64_t layer = 0; layer < layers; ++layer) {
    for (const auto &[name, shape] : states) {
      if (layer % period != offset) {
        tensors[layerPrefix(layer) + "ssd." + name] =
            patterned(shape, "F32", static_cast<int>(layer));
      }
    }
  }
  return set("model_type", "cheems")
      .set("num_hidden_layers", layers)
      .set("attn_layer_period", period)
      .set("attn_layer_offset", offset)
      .set("rope_scaling", nullptr);
}

ModelFolder &ModelFolder::addExperts(int64_t layer) {
  bool author = tensors.count("model.word_embed.weight") > 0;
  std::string mlp = layerPrefix(layer) + (author ? "feed_forward." : "mlp.");
  add(mlp + "down_embed.weight", patterned({4, 16}, "F32", 1));
  add(mlp + "up_embed.weight", patterned({4, 16}, "F32", 2));
  set("is_moe", true);
  if (!author) {
    return add(mlp + "router_gate.weight", patterned({4, 16}))
        .set("num_experts", 4)
        .set("num_experts_per_tok", 3);
  }
  return add(mlp + "queries.weight", patterned({8, 16}))
      .add(mlp + "keys", patterned({2, 2, 2, 2}))
      .set("num_cdmoe_experts", 4)
      .set("num_cdmoe_heads", 2)
      .set("num_cdmoe_experts_per_head", 3)
      .set("expert_retrieval_size", 4);
}

} // namespace cheems::test
