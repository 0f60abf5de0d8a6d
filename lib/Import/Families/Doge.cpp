// Doge, as transformers has it and as its author first wrote it. The names of
// the tensors tell which, and absent fields take that code's defaults.
#include "lib/Import/DogeLike/DogeLike.h"

namespace cheems {

const DogeLikeKind &dogeKind() {
  static constexpr DogeLikeKind kind = {
      /*modelType=*/"doge",
      /*embedding=*/"model.embed_tokens.weight",
      /*finalNorm=*/"model.norm.weight",
      /*sequenceNorm=*/"input_layernorm.weight",
      /*sequenceResidual=*/"input_residual",
      /*stateNorm=*/"post_attention_layernorm.weight",
      /*stateResidual=*/"post_attention_residual",
      /*attention=*/"self_attn.",
      /*ssd=*/"",
      /*mlp=*/"mlp.",
      /*plainMLP=*/false,
      /*router=*/true,
      /*vocabulary=*/32768,
      /*hidden=*/1024,
      /*intermediate=*/2048,
      /*layers=*/32,
      /*heads=*/8,
      /*tied=*/false,
      /*keepWindow=*/2048,
      /*bos=*/std::nullopt,
      /*eos=*/std::nullopt,
      /*pad=*/std::nullopt,
      /*rotaryFactor=*/0.0};
  return kind;
}

const DogeLikeKind &authorsDogeKind() {
  static constexpr DogeLikeKind kind = {
      /*modelType=*/"doge",
      /*embedding=*/"model.word_embed.weight",
      /*finalNorm=*/"model.final_layernorm.weight",
      /*sequenceNorm=*/"pre_layernorm.weight",
      /*sequenceResidual=*/"pre_residual.weight",
      /*stateNorm=*/"post_layernorm.weight",
      /*stateResidual=*/"post_residual.weight",
      /*attention=*/"self_attn.",
      /*ssd=*/"",
      /*mlp=*/"feed_forward.",
      /*plainMLP=*/true,
      /*router=*/false,
      /*vocabulary=*/32768,
      /*hidden=*/1024,
      /*intermediate=*/4096,
      /*layers=*/16,
      /*heads=*/8,
      /*tied=*/true,
      /*keepWindow=*/std::nullopt,
      /*bos=*/0,
      /*eos=*/1,
      /*pad=*/2,
      /*rotaryFactor=*/0.0};
  return kind;
}

static constexpr ConfigField dogeFields[] = {
    {"intermediate_size", FieldRole::Used, "2048; author 4096",
     "width inside the MLP, at most 2^24"},
    {"num_hidden_layers", FieldRole::Used, "32; author 16",
     "layers, at most 65536"},
    {"keep_window_size", FieldRole::Used, "2048; author none",
     "how many keys a head of `A` keeps, at least 1; an explicit `null` keeps "
     "all. 0 is an error, because no query would see a key. With a mask kind "
     "other than `bias` it has no effect, and there is a warning"},
    {"num_experts", FieldRole::Used, "16384",
     "rows of `down_embed`. With K = floor(sqrt) keys per half, K * K of them "
     "can be reached; if some cannot, there is a warning. Transformers alone"},
    {"num_experts_per_tok", FieldRole::Used, "64",
     "experts that a token retrieves, at most K * K. Transformers alone"},
    {"num_cdmoe_experts", FieldRole::Used, "16348, as written there",
     "the author's `num_experts`"},
    {"tie_word_embeddings", FieldRole::Used, "false; author true",
     "true: the embedding is the head. Then `lm_head.weight` may be stored "
     "only if it equals the embedding bit for bit"},
    {"rope_scaling", FieldRole::Used, "none",
     "its older name; if both are given it wins, and there is a warning"},
    {"bos_token_id", FieldRole::Used, "none; author 0",
     "first token of a text; -1 is none"},
    {"eos_token_id", FieldRole::Used, "none; author 1",
     "token, or list of tokens, that ends a text; when a model runs, "
     "`generation_config.json` goes first"},
    {"pad_token_id", FieldRole::Used, "none; author 2",
     "recorded, but never fed; -1 is none"},
    {"attn_layer_period", FieldRole::Harmless, "",
     "every layer of a Doge is attention"},
    {"attn_layer_offset", FieldRole::Harmless, "", "the same"},
    {"ssd_state_size", FieldRole::Harmless, "", "the same"},
};

const Family &dogeFamily() {
  static constexpr ModelKind kinds[] = {
      {"doge", "DogeForCausalLM", "model.layers.0.input_residual"},
      {"doge", "DogeForCausalLM", "model.layers.0.pre_residual.weight"}};
  static const llvm::ArrayRef<ConfigField> fields[] = {dogeFields,
                                                       dogeLikeFields()};
  static const Family family = {"Doge", kinds, fields, describeDogeLike};
  return family;
}

} // namespace cheems
