// Writes a random checkpoint's config.json.
#include "test/unit/Support/RandomDraws.h"
#include <sstream>

namespace cheems::test {

/// Fields beyond those of a dense Doge with masks of kind bias.
static void writeLayers(std::ostream &json, const RandomCheckpoint &c) {
  using Mask = RandomCheckpoint::Mask;
  if (c.mask != Mask::Bias) {
    json << ", \"dynamic_mask_type\": \""
         << (c.mask == Mask::Scale ? "scale" : "threshold") << '"';
  }
  if (c.threshold != 1.0) {
    json << ", \"dynamic_mask_threshold\": " << c.threshold;
  }
  if (c.cheems) {
    json << ", \"ssd_chunk_size\": 256, \"attn_layer_period\": "
         << c.attentionPeriod
         << ", \"attn_layer_offset\": " << c.attentionOffset;
    if (c.stateSize != c.headDim) {
      json << ", \"ssd_state_size\": " << c.stateSize;
    }
  }
  json << ", \"is_moe\": " << (c.anyExperts() ? "true" : "false");
  if (!c.anyExperts()) {
    return;
  }
  if (c.authorNames) {
    json << ", \"num_cdmoe_experts\": " << c.experts
         << ", \"num_cdmoe_heads\": " << c.expertHeads
         << ", \"num_cdmoe_experts_per_head\": " << c.expertsPerHead
         << ", \"expert_retrieval_size\": " << c.retrievalSize;
  } else {
    json << ", \"num_experts\": " << c.experts
         << ", \"num_experts_per_tok\": " << c.expertsPerHead;
  }
  if (c.innerScore) {
    json << ", \"cdmoe_score\": \"inner\"";
  }
}

/// Layers of a SmolLM3 by turns: with positions, and a window if there is one;
/// and with neither.
static void writeTurns(std::ostream &json, const RandomCheckpoint &c) {
  std::ostringstream types, rotary;
  for (int64_t layer = 0; layer < c.layers; ++layer) {
    bool even = layer % 2 == 0;
    types << (layer ? ", " : "") << '"'
          << (even && c.window ? "sliding" : "full") << "_attention\"";
    rotary << (layer ? ", " : "") << (even ? 1 : 0);
  }
  json << ", \"no_rope_layers\": [" << rotary.str() << "], \"layer_types\": ["
       << types.str()
       << "], \"use_sliding_window\": " << (c.window ? "true" : "false")
       << ", \"sliding_window\": ";
  if (c.window) {
    json << c.window;
  } else {
    json << "null";
  }
}

static std::string architectureOf(const RandomCheckpoint &c) {
  return (c.plain == "llama"     ? "Llama"
          : c.plain == "qwen3"   ? "Qwen3"
          : c.plain == "smollm3" ? "SmolLM3"
          : c.cheems             ? "Cheems"
                                 : "Doge") +
         std::string("ForCausalLM");
}

std::string configText(const RandomCheckpoint &c) {
  std::ostringstream json;
  json.precision(17);
  auto flag = [](bool value) { return value ? "true" : "false"; };
  json << "{\"model_type\": \""
       << (!c.plain.empty() ? c.plain
           : c.cheems       ? "cheems"
                            : "doge")
       << "\", \"architectures\": [\"" << architectureOf(c)
       << "\"], \"vocab_size\": " << c.vocabulary
       << ", \"hidden_size\": " << c.hidden
       << ", \"intermediate_size\": " << c.intermediate
       << ", \"num_hidden_layers\": " << c.layers
       << ", \"num_attention_heads\": " << c.heads
       << ", \"num_key_value_heads\": " << c.keyValueHeads
       << ", \"max_position_embeddings\": " << c.maxPositions
       << ", \"hidden_act\": \"" << c.activation
       << "\", \"rms_norm_eps\": " << c.normEpsilon
       << ", \"tie_word_embeddings\": " << flag(c.tied)
       << ", \"bos_token_id\": 0, \"eos_token_id\": 1, \"pad_token_id\": 2";
  if (c.plain.empty()) {
    writeLayers(json, c);
  } else if (c.plain == "smollm3") {
    writeTurns(json, c);
  }
  if (c.keepWindow) {
    json << ", \"keep_window_size\": " << *c.keepWindow;
  }
  if (c.separateHead) {
    json << ", \"head_dim\": " << c.headDim;
  }
  if (c.authorNames) {
    json << ", \"hidden_bias\": " << flag(c.attentionBias)
         << ", \"dynamic_mask_ratio\": 0.0";
  } else {
    json << ", \"attention_bias\": " << flag(c.attentionBias)
         << ", \"mlp_bias\": " << flag(c.mlpBias);
  }
  std::ostringstream scaling;
  scaling.precision(17);
  scaling << "\"rope_type\": \"" << (c.dynamicRope ? "dynamic" : "default")
          << '"';
  if (c.dynamicRope) {
    scaling << ", \"factor\": " << c.factor
            << ", \"original_max_position_embeddings\": " << c.maxPositions;
  }
  if (!c.oldRopeFields) {
    json << ", \"rope_parameters\": {\"rope_theta\": " << c.theta << ", "
         << scaling.str() << '}';
  } else {
    json << ", \"rope_theta\": " << c.theta << ", \"rope_scaling\": ";
    json << (c.dynamicRope ? "{" + scaling.str() + "}" : "null");
  }
  json << "}\n";
  return json.str();
}

} // namespace cheems::test
