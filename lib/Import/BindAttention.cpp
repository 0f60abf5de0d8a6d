// The tensors of dynamic mask attention.
#include "lib/Import/Binder.h"
#include "lib/Import/Messages.h"

namespace cheems {
namespace {

/// Either every attention layer has both norms, or none has any. If one is
/// missing, the file is damaged. If one is there too many, it is left over and
/// refused.
llvm::Error bindNorms(Binder &binder, AttentionTensors &tensors,
                      const std::string &prefix) {
  std::string query = prefix + "q_norm.weight", key = prefix + "k_norm.weight";
  if (!binder.norms) {
    binder.norms = binder.has(query) || binder.has(key);
  }
  if (!*binder.norms) {
    return llvm::Error::success();
  }
  tensors.queryNorm = query;
  tensors.keyNorm = key;
  if (llvm::Error error = binder.take(query, {binder.model.headDim})) {
    return error;
  }
  return binder.take(key, {binder.model.headDim});
}

/// The first attention layer decides whose heads masks belong to.
llvm::Error bindMaskHeads(Binder &binder, const std::string &name) {
  using Shape = Binder::Shape;
  ModelConfig &model = binder.model;
  const TensorView *view = binder.find(name);
  if (model.maskHeads == 0 && view) {
    Shape shape = view->shape;
    if (shape != Shape{model.keyValueHeads} && shape != Shape{model.heads}) {
      return failed(binder.pathOf(name) + ": tensor " + quoted(name) +
                    " has shape " + shapeText(shape) +
                    ", but config.json asks for num_key_value_heads " +
                    shapeText({model.keyValueHeads}) +
                    " or num_attention_heads " + shapeText({model.heads}));
    }
    model.maskHeads = shape[0];
  }
  return binder.take(name,
                     {model.maskHeads ? model.maskHeads : model.keyValueHeads});
}

/// At a threshold of exactly 1, exp(A * softplus(...)) passes for every key or
/// for none, by the sign of A alone.
void foldHeads(const Binder &binder, AttentionTensors &tensors) {
  const ModelConfig &model = binder.model;
  if (model.maskKind != MaskKind::Threshold || model.maskThreshold != 1.0) {
    return;
  }
  const TensorView &view = *binder.find(tensors.maskA);
  for (int64_t head = 0; head < model.maskHeads; ++head) {
    tensors.visibleHeads.push_back(view.at(head) >= 0.0);
  }
}

} // namespace

llvm::Error bindAttention(Binder &binder, AttentionTensors &tensors,
                          const std::string &prefix) {
  const ModelConfig &model = binder.model;
  const Binder::Flag &flag = binder.read.attentionBias;
  int64_t queries = model.heads * model.headDim,
          keys = model.keyValueHeads * model.headDim;
  if (llvm::Error error = binder.take(tensors.query, prefix + "q_proj", queries,
                                      model.hidden, flag)) {
    return error;
  }
  if (llvm::Error error = binder.take(tensors.key, prefix + "k_proj", keys,
                                      model.hidden, flag)) {
    return error;
  }
  if (llvm::Error error = binder.take(tensors.value, prefix + "v_proj", keys,
                                      model.hidden, flag)) {
    return error;
  }
  tensors.maskA = prefix + "A";
  if (llvm::Error error = bindMaskHeads(binder, tensors.maskA)) {
    return error;
  }
  if (llvm::Error error = binder.take(tensors.maskStep, prefix + "dt_proj",
                                      model.maskHeads, keys, flag)) {
    return error;
  }
  if (llvm::Error error = binder.take(tensors.output, prefix + "o_proj",
                                      model.hidden, queries, flag)) {
    return error;
  }
  foldHeads(binder, tensors);
  return bindNorms(binder, tensors, prefix);
}

} // namespace cheems
