// The rows of docs/config.md that Doge and Cheems have in common.
#include "lib/Import/DogeLike/DogeLike.h"

namespace cheems {

llvm::ArrayRef<ConfigField> dogeLikeFields() {
  static constexpr ConfigField fields[] = {
      {"vocab_size", FieldRole::Used, "32768", "rows of the embedding"},
      {"hidden_size", FieldRole::Used, "1024",
       "width of the residual stream, at most 2^24"},
      {"num_attention_heads", FieldRole::Used, "8",
       "query heads, and heads of an SSD layer"},
      {"num_key_value_heads", FieldRole::Used, "`num_attention_heads`",
       "key/value heads; must divide the query heads"},
      {"head_dim", FieldRole::Used, "`hidden_size` / heads",
       "size of a head; it must be even if there is an attention layer"},
      {"max_position_embeddings", FieldRole::Used, "2048",
       "trained length; the default context (times `factor` with dynamic "
       "RoPE)"},
      {"rms_norm_eps", FieldRole::Used, "1e-6",
       "added to the mean square in every norm; at least 2^-126, below 1"},
      {"hidden_act", FieldRole::Used, "`silu`",
       "`silu` (or `swish`), `gelu` (the erf form), `gelu_pytorch_tanh` (or "
       "`gelu_new`, `gelu_fast`), `relu`, `relu2`; others end with exit code "
       "3"},
      {"dynamic_mask_type", FieldRole::Used, "`bias`",
       "what a mask value does: `bias` is added to the score, `threshold` "
       "hides keys below `dynamic_mask_threshold`, `scale` multiplies the "
       "weight; others end with exit code 3"},
      {"dynamic_mask_threshold", FieldRole::Used, "1",
       "a finite number; only kind `threshold` reads it. At 1, a head with `A "
       "< 0` sees nothing, and a head with `A >= 0` sees everything"},
      {"is_moe", FieldRole::Used, "the tensors decide",
       "the tensors decide, layer by layer; true with no layer of experts, or "
       "false with one, gives a warning"},
      {"num_cdmoe_heads", FieldRole::Used, "4",
       "how many heads retrieve experts"},
      {"num_cdmoe_experts_per_head", FieldRole::Used, "8",
       "experts that a head retrieves, at most K * K"},
      {"num_cdmmoe_experts", FieldRole::Used, "",
       "an early spelling; it is an error if the later spelling is there with "
       "another value"},
      {"num_cdmmoe_heads", FieldRole::Used, "", "the same"},
      {"num_cdmmoe_experts_per_head", FieldRole::Used, "", "the same"},
      {"expert_retrieval_size", FieldRole::Used, "64",
       "size of a query for experts, both halves together; it must be even"},
      {"cdmoe_score", FieldRole::Used, "`softmax`",
       "where a score acts. `softmax`: the softmax over a head's experts "
       "multiplies the activation. `inner`: the score multiplies the "
       "activation's input. Others end with exit code 3"},
      {"attention_bias", FieldRole::Used, "tensors decide",
       "true: every attention projection, also `dt_proj`, must have a bias. "
       "false: if biases are stored, there is a warning, and they are used"},
      {"mlp_bias", FieldRole::Used, "tensors decide", "the same for the MLP"},
      {"hidden_bias", FieldRole::Used, "tensors decide",
       "the author's name for both, and the name for SSD layers; the two "
       "fields above go first. Biases of `router_gate` and `queries` are used "
       "if they are stored"},
      {"rope_theta", FieldRole::Used, "10000",
       "base of the rotary angles, at least 1, if the table below gives none"},
      {"rope_parameters", FieldRole::Used, "none", "a table of rotary fields"},
      {"rope_parameters.rope_theta", FieldRole::Used, "`rope_theta`",
       "base of the rotary angles, at least 1"},
      {"rope_parameters.rope_type", FieldRole::Used, "`default`",
       "`default` or `dynamic`; others end with exit code 3"},
      {"rope_parameters.type", FieldRole::Used, "",
       "its older name; if both are given they must agree"},
      {"rope_parameters.factor", FieldRole::Used, "required",
       "with `dynamic`: by how much positions are stretched past "
       "`max_position_embeddings`, at least 1"},
      {"rope_parameters.original_max_position_embeddings", FieldRole::Used, "",
       "with `dynamic`: no effect, as in transformers, which stretches past "
       "`max_position_embeddings`; another value gives a warning"},
      {"dynamic_mask_ratio", FieldRole::Refused, "0",
       "above 0: it ranks keys among later keys, so a token would depend on "
       "its future"},
      {"sliding_window", FieldRole::Refused, "null",
       "it drops keys by age. Here keys are dropped for good by their mask, "
       "and for this every earlier key must be compared"},
      {"partial_rotary_factor", FieldRole::Refused, "1",
       "other than 1: heads would be rotated in part"},
      {"rope_parameters.partial_rotary_factor", FieldRole::Refused, "1",
       "the same"},
      {"router_aux_loss_coef", FieldRole::Harmless, "", "training only"},
      {"output_router_logits", FieldRole::Harmless, "", "training only"},
      {"norm_topk_prob", FieldRole::Harmless, "",
       "the weights are a softmax over the retrieved experts, so their sum is "
       "1 already"},
      {"ssd_chunk_size", FieldRole::Harmless, "",
       "the size of chunks is no part of the meaning"},
      {"num_channels", FieldRole::Harmless, "", "for images"},
      {"patch_size", FieldRole::Harmless, "", "for images"},
  };
  return fields;
}

} // namespace cheems
