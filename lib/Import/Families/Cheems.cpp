// Cheems: layers of SSD and of attention, as its author wrote it.
#include "lib/Import/DogeLike/DogeLike.h"

namespace cheems {

const DogeLikeKind &cheemsKind() {
  static constexpr DogeLikeKind kind = {
      /*modelType=*/"cheems",
      /*embedding=*/"model.word_embed.weight",
      /*finalNorm=*/"model.final_layernorm.weight",
      /*sequenceNorm=*/"pre_sequence_layernorm.weight",
      /*sequenceResidual=*/"post_sequence_residual.weight",
      /*stateNorm=*/"pre_state_layernorm.weight",
      /*stateResidual=*/"post_state_residual.weight",
      /*attention=*/"attn.",
      /*ssd=*/"ssd.",
      /*mlp=*/"feed_forward.",
      /*plainMLP=*/true,
      /*router=*/false,
      /*vocabulary=*/32768,
      /*hidden=*/1024,
      /*intermediate=*/2048,
      /*layers=*/32,
      /*heads=*/8,
      /*tied=*/true,
      /*keepWindow=*/std::nullopt,
      /*bos=*/0,
      /*eos=*/1,
      /*pad=*/2,
      /*rotaryFactor=*/4.0};
  return kind;
}

static constexpr ConfigField cheemsFields[] = {
    {"intermediate_size", FieldRole::Used, "2048",
     "width inside the MLP, at most 2^24"},
    {"num_hidden_layers", FieldRole::Used, "32", "layers, at most 65536"},
    {"attn_layer_period", FieldRole::Used, "8",
     "layer i is attention if i % period = offset, else SSD; the tensors must "
     "agree"},
    {"attn_layer_offset", FieldRole::Used, "7",
     "see above; if the offset is the period or more, every layer is SSD"},
    {"ssd_state_size", FieldRole::Used, "the head size",
     "size of an SSD state; it must be even. The rows of `b_proj` divided by "
     "it are the groups, and the groups must divide the heads"},
    {"keep_window_size", FieldRole::Used, "none",
     "how many keys a head of `A` keeps, at least 1; an explicit `null` keeps "
     "all. 0 is an error, because no query would see a key. With a mask kind "
     "other than `bias` it has no effect, and there is a warning"},
    {"num_cdmoe_experts", FieldRole::Used, "16348, as written there",
     "rows of `down_embed`. With K = floor(sqrt) keys per half, K * K of them "
     "can be reached; if some cannot, there is a warning"},
    {"tie_word_embeddings", FieldRole::Used, "true",
     "true: the embedding is the head. Then `lm_head.weight` may be stored "
     "only if it equals the embedding bit for bit"},
    {"rope_scaling", FieldRole::Used,
     "`dynamic` with factor 4 if `rope_parameters` is absent, too; none if it "
     "is `null`",
     "its older name; if both are given it wins, and there is a warning"},
    {"bos_token_id", FieldRole::Used, "0", "first token of a text; -1 is none"},
    {"eos_token_id", FieldRole::Used, "1",
     "token, or list of tokens, that ends a text; when a model runs, "
     "`generation_config.json` goes first"},
    {"pad_token_id", FieldRole::Used, "2",
     "recorded, but never fed; -1 is none"},
    {"num_experts", FieldRole::Harmless, "",
     "the author writes `num_cdmoe_experts`"},
    {"num_experts_per_tok", FieldRole::Harmless, "",
     "the author writes `num_cdmoe_experts_per_head`"},
};

const Family &cheemsFamily() {
  static constexpr ModelKind kinds[] = {
      {"cheems", "CheemsForCausalLM",
       "model.layers.0.pre_sequence_layernorm.weight"}};
  static const llvm::ArrayRef<ConfigField> fields[] = {cheemsFields,
                                                       dogeLikeFields()};
  static const Family family = {"Cheems", kinds, fields, describeDogeLike};
  return family;
}

} // namespace cheems
