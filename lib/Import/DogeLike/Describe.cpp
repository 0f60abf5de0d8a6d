// A Doge or a Cheems, layer by layer.
#include "lib/Import/DogeLike/Parts.h"
#include "lib/Import/Messages.h"

namespace cheems {
namespace {

/// The sequence part. If a model may have both kinds, the configuration says
/// which kind this layer is. Tensors of the other kind are then an error.
llvm::Error bindSequence(DogeLikeBinding &binding, Mixer &mixer, int64_t layer,
                         const std::string &prefix) {
  const DogeLikeKind &kind = binding.kind;
  Binder &binder = binding.binder;
  bool attention = binding.read.isAttention(layer);
  if (kind.hybrid()) {
    std::string why =
        "layer " + std::to_string(layer) +
        (attention ? " is an attention layer" : " is an SSD layer") +
        " by attn_layer_period " +
        std::to_string(binding.read.attentionPeriod) +
        " and attn_layer_offset " +
        std::to_string(binding.read.attentionOffset);
    llvm::StringRef other = binder.firstWith(
        prefix + (attention ? kind.ssd : kind.attention).str());
    if (!other.empty()) {
      return failed(binder.pathOf(other) + ": tensor " + quoted(other) +
                    " does not belong to its layer: " + why);
    }
    binder.reason = "; " + why;
  }
  llvm::Error error =
      attention ? bindAttention(binding, mixer.what.emplace<Attention>(),
                                prefix + kind.attention.str())
                : bindSSD(binding, mixer.what.emplace<SSD>(),
                          prefix + kind.ssd.str());
  binder.reason.clear();
  return error;
}

llvm::Error bindLayer(DogeLikeBinding &binding, Layer &layer, int64_t number) {
  const DogeLikeKind &kind = binding.kind;
  std::string prefix = "model.layers." + std::to_string(number) + ".",
              mlp = prefix + kind.mlp.str();
  Branch sequence, state;
  const std::pair<std::string *, llvm::StringRef> vectors[] = {
      {&sequence.norm.weight, kind.sequenceNorm},
      {&sequence.residual.weight.emplace(), kind.sequenceResidual},
      {&state.norm.weight, kind.stateNorm},
      {&state.residual.weight.emplace(), kind.stateResidual}};
  for (const auto &[place, suffix] : vectors) {
    *place = prefix + suffix.str();
    if (llvm::Error error =
            binding.binder.take(*place, {binding.read.hidden})) {
      return error;
    }
  }
  sequence.norm.epsilon = state.norm.epsilon = binding.read.normEpsilon;
  if (llvm::Error error = bindSequence(binding, sequence.mixers.emplace_back(),
                                       number, prefix)) {
    return error;
  }
  if (llvm::Error error = bindMLP(
          binding, state.mixers.emplace_back().what.emplace<MLP>(), mlp)) {
    return error;
  }
  std::optional<RetrievedExperts> experts;
  if (llvm::Error error = bindExperts(binding, experts, mlp)) {
    return error;
  }
  if (experts) {
    state.mixers.push_back({std::move(*experts)});
  }
  layer.branches = {std::move(sequence), std::move(state)};
  return llvm::Error::success();
}

llvm::Error bindModel(DogeLikeBinding &binding, ModelDescription &model) {
  Binder &binder = binding.binder;
  if (llvm::Error error =
          binder.take(model.embedding, {model.vocabulary, model.hidden})) {
    return error;
  }
  for (int64_t layer = 0; layer < binding.read.layers; ++layer) {
    if (llvm::Error error =
            bindLayer(binding, model.layers.emplace_back(), layer)) {
      return error;
    }
  }
  if (llvm::Error error = binder.take(model.finalNorm.weight, {model.hidden})) {
    return error;
  }
  return binder.takeHead(model, binding.read.tied);
}

} // namespace

llvm::Expected<ModelDescription> describeDogeLike(const FamilyInput &input,
                                                  Binder &binder) {
  auto kind = findDogeLikeKind(binder, input.modelType, input.file);
  if (!kind) {
    return kind.takeError();
  }
  auto read = readDogeLike(input, **kind);
  if (!read) {
    return read.takeError();
  }
  ModelDescription model;
  model.modelType = (*kind)->modelType.str();
  model.vocabulary = read->vocabulary;
  model.hidden = read->hidden;
  model.maxPositions = read->maxPositions;
  model.embedding = (*kind)->embedding.str();
  model.rotary = {read->rotary};
  model.finalNorm = {(*kind)->finalNorm.str(), read->normEpsilon};
  model.bosToken = read->bosToken;
  model.padToken = read->padToken;
  model.eosTokens = read->eosTokens;
  DogeLikeBinding binding{binder, **kind, *read};
  if (llvm::Error error = bindModel(binding, model)) {
    return std::move(error);
  }
  finishExperts(binding);
  return std::move(model);
}

} // namespace cheems
