// The tensors of dynamic mask attention.
#include "lib/Import/DogeLike/Parts.h"
#include "lib/Import/Messages.h"
#include <cmath>

namespace cheems {
namespace {

/// Either every attention layer has both norms, or none has any. If one is
/// missing, the file is damaged. If one is there too many, it is left over and
/// refused.
llvm::Error bindNorms(DogeLikeBinding &binding, Attention &attention,
                      const std::string &prefix) {
  Binder &binder = binding.binder;
  const DogeLikeFields &read = binding.read;
  std::string query = prefix + "q_norm.weight", key = prefix + "k_norm.weight";
  if (!binding.norms) {
    binding.norms = binder.has(query) || binder.has(key);
  }
  if (!*binding.norms) {
    return llvm::Error::success();
  }
  attention.queryNorm = Norm{query, read.normEpsilon};
  attention.keyNorm = Norm{key, read.normEpsilon};
  if (llvm::Error error = binder.take(query, {read.headDim})) {
    return error;
  }
  return binder.take(key, {read.headDim});
}

/// The first attention layer decides whose heads masks belong to.
llvm::Error bindMaskHeads(DogeLikeBinding &binding, const std::string &name) {
  using Shape = Binder::Shape;
  Binder &binder = binding.binder;
  const DogeLikeFields &read = binding.read;
  const TensorView *view = binder.find(name);
  if (binding.maskHeads == 0 && view) {
    Shape shape = view->shape;
    if (shape != Shape{read.keyValueHeads} && shape != Shape{read.heads}) {
      return failed(binder.pathOf(name) + ": tensor " + quoted(name) +
                    " has shape " + shapeText(shape) +
                    ", but config.json asks for num_key_value_heads " +
                    shapeText({read.keyValueHeads}) +
                    " or num_attention_heads " + shapeText({read.heads}));
    }
    binding.maskHeads = shape[0];
  }
  return binder.take(
      name, {binding.maskHeads ? binding.maskHeads : read.keyValueHeads});
}

/// At a threshold of exactly 1, exp(A * softplus(...)) passes for every key or
/// for none, by the sign of A alone.
void foldHeads(const Binder &binder, DynamicMask &mask) {
  if (mask.kind != MaskKind::Threshold || mask.threshold != 1.0) {
    return;
  }
  const TensorView &view = *binder.find(mask.a);
  for (int64_t head = 0; head < mask.heads; ++head) {
    mask.visibleHeads.push_back(view.at(head) >= 0.0);
  }
}

} // namespace

llvm::Error bindAttention(DogeLikeBinding &binding, Attention &attention,
                          const std::string &prefix) {
  Binder &binder = binding.binder;
  const DogeLikeFields &read = binding.read;
  const Binder::Flag &flag = read.attentionBias;
  int64_t queries = read.heads * read.headDim,
          keys = read.keyValueHeads * read.headDim;
  attention.heads = read.heads;
  attention.keyValueHeads = read.keyValueHeads;
  attention.headSize = read.headDim;
  attention.scale = 1.0 / std::sqrt(static_cast<double>(read.headDim));
  attention.rotary = RotaryUse{0, read.headDim};
  if (llvm::Error error = binder.take(attention.query, prefix + "q_proj",
                                      queries, read.hidden, flag)) {
    return error;
  }
  if (llvm::Error error = binder.take(attention.key, prefix + "k_proj", keys,
                                      read.hidden, flag)) {
    return error;
  }
  if (llvm::Error error = binder.take(attention.value, prefix + "v_proj", keys,
                                      read.hidden, flag)) {
    return error;
  }
  DynamicMask &mask = attention.mask.emplace();
  mask.kind = read.maskKind;
  mask.threshold = read.maskThreshold;
  mask.keep = read.keepWindow;
  mask.a = prefix + "A";
  if (llvm::Error error = bindMaskHeads(binding, mask.a)) {
    return error;
  }
  mask.heads = binding.maskHeads;
  if (llvm::Error error =
          binder.take(mask.step, prefix + "dt_proj", mask.heads, keys, flag)) {
    return error;
  }
  if (llvm::Error error = binder.take(attention.output, prefix + "o_proj",
                                      read.hidden, queries, flag)) {
    return error;
  }
  foldHeads(binder, mask);
  return bindNorms(binding, attention, prefix);
}

} // namespace cheems
