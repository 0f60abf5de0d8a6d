// A model's tensors, layer by layer.
#include "lib/Import/BindTensors.h"
#include "lib/Import/Binder.h"
#include "lib/Import/Messages.h"
#include "llvm/ADT/STLExtras.h"

namespace cheems {
namespace {

/// The sequence part. If a model may have both kinds, the configuration says
/// which kind this layer is. Tensors of the other kind are then an error.
llvm::Error bindSequence(Binder &binder, LayerTensors &tensors, int64_t layer,
                         const std::string &prefix) {
  const Names &names = binder.names;
  bool attention = binder.read.isAttention(layer);
  if (!names.ssd.empty()) {
    std::string why =
        "layer " + std::to_string(layer) +
        (attention ? " is an attention layer" : " is an SSD layer") +
        " by attn_layer_period " + std::to_string(binder.read.attentionPeriod) +
        " and attn_layer_offset " + std::to_string(binder.read.attentionOffset);
    llvm::StringRef other = binder.firstWith(
        prefix + (attention ? names.ssd : names.attention).str());
    if (!other.empty()) {
      return failed(binder.pathOf(other) + ": tensor " + quoted(other) +
                    " does not belong to its layer: " + why);
    }
    binder.reason = "; " + why;
  }
  llvm::Error error =
      attention
          ? bindAttention(binder, tensors.attention.emplace(),
                          prefix + names.attention.str())
          : bindSSD(binder, tensors.ssd.emplace(), prefix + names.ssd.str());
  binder.reason.clear();
  return error;
}

llvm::Error bindLayer(Binder &binder, int64_t layer) {
  const Names &names = binder.names;
  std::string prefix = "model.layers." + std::to_string(layer) + ".",
              mlp = prefix + names.mlp.str();
  LayerTensors tensors;
  const std::pair<std::string *, llvm::StringRef> vectors[] = {
      {&tensors.sequenceNorm, names.sequenceNorm},
      {&tensors.sequenceResidual, names.sequenceResidual},
      {&tensors.stateNorm, names.stateNorm},
      {&tensors.stateResidual, names.stateResidual}};
  for (const auto &[place, suffix] : vectors) {
    *place = prefix + suffix.str();
    if (llvm::Error error = binder.take(*place, {binder.model.hidden})) {
      return error;
    }
  }
  if (llvm::Error error = bindSequence(binder, tensors, layer, prefix)) {
    return error;
  }
  if (llvm::Error error = bindMLP(binder, tensors, mlp)) {
    return error;
  }
  if (llvm::Error error = bindExperts(binder, tensors.experts, mlp)) {
    return error;
  }
  binder.model.layer.push_back(std::move(tensors));
  return llvm::Error::success();
}

llvm::Error bindHead(Binder &binder) {
  ModelConfig &model = binder.model;
  const std::string name = "lm_head.weight";
  if (!binder.read.tied) {
    model.head = Projection{name, std::nullopt};
    return binder.take(name, {model.vocabulary, model.hidden},
                       "; only a model with tie_word_embeddings true has none");
  }
  const TensorView *stored = binder.find(name);
  if (!stored) {
    return llvm::Error::success();
  }
  const TensorView &embedding = *binder.find(model.embedding);
  if (stored->type != embedding.type || stored->shape != embedding.shape ||
      stored->bytes != embedding.bytes) {
    return failed(binder.pathOf(name) +
                  ": tensor 'lm_head.weight' differs from '" + model.embedding +
                  "', but config.json (or its default) says "
                  "tie_word_embeddings true; set it to false or remove the "
                  "tensor");
  }
  binder.accept(name);
  return llvm::Error::success();
}

llvm::Error bindModel(Binder &binder) {
  ModelConfig &model = binder.model;
  model.embedding = binder.names.embedding.str();
  model.finalNorm = binder.names.finalNorm.str();
  if (llvm::Error error =
          binder.take(model.embedding, {model.vocabulary, model.hidden})) {
    return error;
  }
  for (int64_t layer = 0; layer < model.layers; ++layer) {
    if (llvm::Error error = bindLayer(binder, layer)) {
      return error;
    }
  }
  if (llvm::Error error = binder.take(model.finalNorm, {model.hidden})) {
    return error;
  }
  if (llvm::Error error = bindHead(binder)) {
    return error;
  }
  return binder.checkLeftOver();
}

} // namespace

llvm::Expected<BoundModel> bindTensors(CheckpointConfig config, NameSet names,
                                       const WeightFiles &weights,
                                       WarningHandler warn) {
  Binder binder(std::move(config), names, weights, warn);
  if (llvm::Error error = bindModel(binder)) {
    return std::move(error);
  }
  finishExperts(binder);
  ModelConfig &model = binder.model;
  if (model.maskHeads == 0) { // no attention layer decided
    model.maskHeads = model.keyValueHeads;
  }
  // vectors and scalars a head are read in f32 whatever their type
  bool allBF16 = llvm::all_of(binder.used, [](const TensorView *view) {
    return view->shape.size() < 2 || view->type == DType::BF16;
  });
  return BoundModel{std::move(model), std::move(binder.used),
                    allBF16 ? DType::BF16 : DType::F32};
}

} // namespace cheems
