// Small checkpoints of Llama and its kin for the importer's tests.
#ifndef CHEEMS_TEST_UNIT_IMPORT_LLAMAFOLDER_H
#define CHEEMS_TEST_UNIT_IMPORT_LLAMAFOLDER_H

#include "test/unit/Import/ModelFolder.h"

namespace cheems::test {

/// vocab 11, hidden 16, intermediate 12, 3 layers, 4 heads over 2, head size 4;
/// tied, with what each type of model has besides.
struct LlamaFolder : ModelFolder {
  explicit LlamaFolder(const std::string &type, int64_t headSize = 4) {
    config = llvm::json::Object{{"model_type", type},
                                {"vocab_size", 11},
                                {"hidden_size", 16},
                                {"intermediate_size", 12},
                                {"num_hidden_layers", 3},
                                {"num_attention_heads", 4},
                                {"num_key_value_heads", 2},
                                {"head_dim", headSize},
                                {"max_position_embeddings", 64},
                                {"tie_word_embeddings", true}};
    tensors.clear();
    add("model.embed_tokens.weight", patterned({11, 16}));
    add("model.norm.weight", patterned({16}));
    for (int64_t i = 0; i < 3; ++i) {
      std::string layer = prefix(i);
      add(layer + "input_layernorm.weight", patterned({16}));
      add(layer + "post_attention_layernorm.weight", patterned({16}));
      add(layer + "self_attn.q_proj.weight", patterned({4 * headSize, 16}));
      add(layer + "self_attn.k_proj.weight", patterned({2 * headSize, 16}));
      add(layer + "self_attn.v_proj.weight", patterned({2 * headSize, 16}));
      add(layer + "self_attn.o_proj.weight", patterned({16, 4 * headSize}));
      add(layer + "mlp.gate_proj.weight", patterned({12, 16}));
      add(layer + "mlp.up_proj.weight", patterned({12, 16}));
      add(layer + "mlp.down_proj.weight", patterned({16, 12}));
      if (type == "qwen2") {
        addBias(layer + "self_attn.q_proj", 4 * headSize);
        addBias(layer + "self_attn.k_proj", 2 * headSize);
        addBias(layer + "self_attn.v_proj", 2 * headSize);
      }
      if (type == "qwen3") {
        add(layer + "self_attn.q_norm.weight", patterned({headSize}));
        add(layer + "self_attn.k_norm.weight", patterned({headSize}));
      }
    }
  }
  static std::string prefix(int64_t layer) {
    return "model.layers." + std::to_string(layer) + ".";
  }
  void addBias(const std::string &projection, int64_t size) {
    add(projection + ".bias", patterned({size}));
  }
};

inline constexpr const char *kinTypes[] = {"llama", "mistral", "qwen2",
                                           "qwen3", "smollm3", "granite"};

} // namespace cheems::test

#endif
