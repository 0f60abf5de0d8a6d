// The fields of config.json and what becomes of each.
#include "lib/Import/Config.h"

namespace cheems {

llvm::ArrayRef<ConfigField> configFields() {
  using Role = FieldRole;
  static constexpr ConfigField fields[] = {
      {"model_type", Role::Used},
      {"vocab_size", Role::Used},
      {"hidden_size", Role::Used},
      {"intermediate_size", Role::Used},
      {"num_hidden_layers", Role::Used},
      {"num_attention_heads", Role::Used},
      {"num_key_value_heads", Role::Used},
      {"head_dim", Role::Used},
      {"max_position_embeddings", Role::Used},
      {"rms_norm_eps", Role::Used},
      {"hidden_act", Role::Used},
      {"keep_window_size", Role::Used},
      {"dynamic_mask_type", Role::Used},
      {"dynamic_mask_threshold", Role::Used},
      {"attn_layer_period", Role::Used},
      {"attn_layer_offset", Role::Used},
      {"ssd_state_size", Role::Used},
      {"is_moe", Role::Used},
      {"num_experts", Role::Used},
      {"num_experts_per_tok", Role::Used},
      {"num_cdmoe_experts", Role::Used},
      {"num_cdmoe_heads", Role::Used},
      {"num_cdmoe_experts_per_head", Role::Used},
      {"num_cdmmoe_experts", Role::Used},
      {"num_cdmmoe_heads", Role::Used},
      {"num_cdmmoe_experts_per_head", Role::Used},
      {"expert_retrieval_size", Role::Used},
      {"cdmoe_score", Role::Used},
      {"tie_word_embeddings", Role::Used},
      {"attention_bias", Role::Used},
      {"mlp_bias", Role::Used},
      {"hidden_bias", Role::Used},
      {"rope_theta", Role::Used},
      {"rope_parameters", Role::Used},
      {"rope_scaling", Role::Used},
      {"rope_parameters.rope_theta", Role::Used},
      {"rope_parameters.rope_type", Role::Used},
      {"rope_parameters.type", Role::Used},
      {"rope_parameters.factor", Role::Used},
      {"rope_parameters.original_max_position_embeddings", Role::Used},
      {"bos_token_id", Role::Used},
      {"eos_token_id", Role::Used},
      {"pad_token_id", Role::Used},

      {"dynamic_mask_ratio", Role::Refused},
      {"sliding_window", Role::Refused},
      {"partial_rotary_factor", Role::Refused},
      {"rope_parameters.partial_rotary_factor", Role::Refused},
      {"is_causal", Role::Refused},
      {"quantization_config", Role::Refused},
      {"per_layer_config", Role::Refused},

      // training only
      {"hidden_dropout", Role::Harmless},
      {"attention_dropout", Role::Harmless},
      {"initializer_range", Role::Harmless},
      {"router_aux_loss_coef", Role::Harmless},
      {"output_router_logits", Role::Harmless},
      // the weights of the kept experts are a softmax, whose sum is 1 already
      {"norm_topk_prob", Role::Harmless},
      // how a scan is cut never changes its result
      {"ssd_chunk_size", Role::Harmless},
      // inputs other than text
      {"num_channels", Role::Harmless},
      {"patch_size", Role::Harmless},
      // about the file or the calling program; types are read from the tensors
      {"architectures", Role::Harmless},
      {"auto_map", Role::Harmless},
      {"torch_dtype", Role::Harmless},
      {"dtype", Role::Harmless},
      {"transformers_version", Role::Harmless},
      {"_name_or_path", Role::Harmless},
      {"_attn_implementation", Role::Harmless},
      {"_attn_implementation_autoset", Role::Harmless},
      {"attn_implementation", Role::Harmless},
      {"use_cache", Role::Harmless},
      {"return_dict", Role::Harmless},
      {"output_attentions", Role::Harmless},
      {"output_hidden_states", Role::Harmless},
      {"tie_last_hidden_states", Role::Harmless},
      {"chunk_size_feed_forward", Role::Harmless},
      {"is_encoder_decoder", Role::Harmless},
      {"id2label", Role::Harmless},
      {"label2id", Role::Harmless},
      {"num_labels", Role::Harmless},
      {"problem_type", Role::Harmless},
      {"tokenizer_class", Role::Harmless},
  };
  return fields;
}

} // namespace cheems
