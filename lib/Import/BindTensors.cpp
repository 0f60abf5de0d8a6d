// Tensors by name, shape and type.
#include "lib/Import/BindTensors.h"
#include "lib/Import/Messages.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

namespace cheems {
namespace {

/// What the two name sets call the same thing; projections and q/k norms agree.
struct Names {
  llvm::StringLiteral embedding, finalNorm;
  llvm::StringLiteral sequenceNorm, sequenceResidual, stateNorm, stateResidual,
      mlp;
  bool plainMLP; ///< layers without gate_proj exist
};
constexpr Names transformersNames = {"model.embed_tokens.weight",
                                     "model.norm.weight",
                                     "input_layernorm.weight",
                                     "input_residual",
                                     "post_attention_layernorm.weight",
                                     "post_attention_residual",
                                     "mlp.",
                                     false};
constexpr Names authorNames = {
    "model.word_embed.weight", "model.final_layernorm.weight",
    "pre_layernorm.weight",    "pre_residual.weight",
    "post_layernorm.weight",   "post_residual.weight",
    "feed_forward.",           true};

class Binder {
public:
  Binder(CheckpointConfig read, NameSet names, const WeightFiles &weights,
         WarningHandler warn)
      : read(std::move(read)),
        names(names == NameSet::Transformers ? transformersNames : authorNames),
        weights(weights), warn(warn) {}

  llvm::Expected<BoundModel> bind();

private:
  using Shape = llvm::ArrayRef<int64_t>;
  using Flag = std::optional<CheckpointConfig::BiasFlag>;

  bool has(const std::string &name) const {
    return weights.tensors.contains(name);
  }
  llvm::Error take(const std::string &name, Shape shape,
                   llvm::StringRef why = "");
  llvm::Error take(Projection &projection, const std::string &name, int64_t out,
                   int64_t in, const Flag &flag);
  llvm::Error bindNorms(AttentionTensors &tensors, const std::string &prefix,
                        int64_t layer);
  llvm::Error bindMaskHeads(const std::string &name);
  llvm::Error bindAttention(AttentionTensors &tensors,
                            const std::string &prefix, int64_t layer);
  llvm::Error bindLayer(int64_t layer);
  llvm::Error bindHead();
  llvm::Error checkLeftOver() const;

  CheckpointConfig read;
  const Names &names;
  const WeightFiles &weights;
  WarningHandler warn;
  BoundModel bound;
  ModelConfig &model = read.model;
  llvm::StringSet<> taken, contradicted;
  bool norms = false; ///< decided by the first layer
};

llvm::Error Binder::take(const std::string &name, Shape shape,
                         llvm::StringRef why) {
  auto found = weights.tensors.find(name);
  if (found == weights.tensors.end()) {
    return failed(weights.name + ": tensor " + quoted(name) + " of shape " +
                  shapeText(shape) + " is missing" + why);
  }
  const TensorView &view = *found->second.view;
  llvm::StringRef path = weights.pathOf(found->second);
  if (Shape(view.shape) != shape) {
    return failed(path + ": tensor " + quoted(name) + " has shape " +
                  shapeText(view.shape) + ", but config.json asks for " +
                  shapeText(shape));
  }
  if (view.type != DType::F32 && view.type != DType::BF16 &&
      view.type != DType::F16) {
    return unsupported(path + ": tensor " + quoted(name) + " has dtype " +
                       spelling(view.type) +
                       "; weights can be F32, BF16 or F16");
  }
  taken.insert(name);
  bound.used.push_back(&view);
  return llvm::Error::success();
}

llvm::Error Binder::take(Projection &projection, const std::string &name,
                         int64_t out, int64_t in, const Flag &flag) {
  projection.weight = name + ".weight";
  if (llvm::Error error = take(projection.weight, {out, in})) {
    return error;
  }
  std::string bias = name + ".bias";
  if (!has(bias)) {
    return flag && flag->value
               ? failed(weights.name + ": tensor " + quoted(bias) +
                        " is missing; config.json says " + flag->field +
                        " true")
               : llvm::Error::success();
  }
  if (flag && !flag->value && contradicted.insert(flag->field).second) {
    warn(("config.json says " + flag->field + " false, but there is a tensor " +
          quoted(bias) + "; biases are used where they are stored")
             .str());
  }
  projection.bias = bias;
  return take(bias, {out});
}

/// Either every layer has both norms or none has any: one that is missing is
/// damage, one too many is left over.
llvm::Error Binder::bindNorms(AttentionTensors &tensors,
                              const std::string &prefix, int64_t layer) {
  std::string query = prefix + "q_norm.weight", key = prefix + "k_norm.weight";
  if (layer == 0) {
    norms = has(query) || has(key);
  }
  if (!norms) {
    return llvm::Error::success();
  }
  tensors.queryNorm = query;
  tensors.keyNorm = key;
  if (llvm::Error error = take(query, {model.headDim})) {
    return error;
  }
  return take(key, {model.headDim});
}

llvm::Error Binder::bindMaskHeads(const std::string &name) {
  auto found = weights.tensors.find(name);
  if (model.maskHeads == 0 && found != weights.tensors.end()) {
    Shape shape = found->second.view->shape;
    if (shape != Shape{model.keyValueHeads} && shape != Shape{model.heads}) {
      return failed(weights.pathOf(found->second) + ": tensor " + quoted(name) +
                    " has shape " + shapeText(shape) +
                    ", but config.json asks for num_key_value_heads " +
                    shapeText({model.keyValueHeads}) +
                    " or num_attention_heads " + shapeText({model.heads}));
    }
    model.maskHeads = shape[0];
  }
  return take(name, {model.maskHeads ? model.maskHeads : model.keyValueHeads});
}

llvm::Error Binder::bindAttention(AttentionTensors &tensors,
                                  const std::string &prefix, int64_t layer) {
  int64_t queries = model.heads * model.headDim,
          keys = model.keyValueHeads * model.headDim;
  const Flag &flag = read.attentionBias;
  tensors.maskA = prefix + "A";
  if (llvm::Error error =
          take(tensors.query, prefix + "q_proj", queries, model.hidden, flag)) {
    return error;
  }
  if (llvm::Error error =
          take(tensors.key, prefix + "k_proj", keys, model.hidden, flag)) {
    return error;
  }
  if (llvm::Error error =
          take(tensors.value, prefix + "v_proj", keys, model.hidden, flag)) {
    return error;
  }
  if (llvm::Error error = bindMaskHeads(tensors.maskA)) {
    return error;
  }
  if (llvm::Error error = take(tensors.maskStep, prefix + "dt_proj",
                               model.maskHeads, keys, flag)) {
    return error;
  }
  if (llvm::Error error = take(tensors.output, prefix + "o_proj", model.hidden,
                               queries, flag)) {
    return error;
  }
  return bindNorms(tensors, prefix, layer);
}

llvm::Error Binder::bindLayer(int64_t layer) {
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
    if (llvm::Error error = take(*place, {model.hidden})) {
      return error;
    }
  }
  if (llvm::Error error = bindAttention(tensors.attention.emplace(),
                                        prefix + "self_attn.", layer)) {
    return error;
  }
  if (!names.plainMLP || has(mlp + "gate_proj.weight")) {
    tensors.gate.emplace();
    if (llvm::Error error =
            take(*tensors.gate, mlp + "gate_proj", model.intermediate,
                 model.hidden, read.mlpBias)) {
      return error;
    }
  }
  if (llvm::Error error = take(tensors.up, mlp + "up_proj", model.intermediate,
                               model.hidden, read.mlpBias)) {
    return error;
  }
  if (llvm::Error error = take(tensors.down, mlp + "down_proj", model.hidden,
                               model.intermediate, read.mlpBias)) {
    return error;
  }
  model.layer.push_back(std::move(tensors));
  return llvm::Error::success();
}

llvm::Error Binder::bindHead() {
  const std::string name = "lm_head.weight";
  if (!read.tied) {
    model.head = Projection{name, std::nullopt};
    return take(name, {model.vocabulary, model.hidden},
                "; only a model with tie_word_embeddings true has none");
  }
  auto head = weights.tensors.find(name);
  if (head == weights.tensors.end()) {
    return llvm::Error::success();
  }
  const TensorView &stored = *head->second.view,
                   &embedding =
                       *weights.tensors.find(model.embedding)->second.view;
  if (stored.type != embedding.type || stored.shape != embedding.shape ||
      stored.bytes != embedding.bytes) {
    return failed(weights.pathOf(head->second) +
                  ": tensor 'lm_head.weight' differs from '" + model.embedding +
                  "', but config.json (or its default) says "
                  "tie_word_embeddings true; set it to false or remove the "
                  "tensor");
  }
  taken.insert(name);
  return llvm::Error::success();
}

llvm::Error Binder::checkLeftOver() const {
  std::vector<llvm::StringRef> left;
  for (const auto &entry : weights.tensors) {
    // a table computed from the configuration, which old versions stored
    if (!taken.contains(entry.first()) &&
        !entry.first().ends_with("rotary_emb.inv_freq")) {
      left.push_back(entry.first());
    }
  }
  if (left.empty()) {
    return llvm::Error::success();
  }
  llvm::StringRef first = *llvm::min_element(left);
  std::string others =
      left.size() > 1 ? " (and " + std::to_string(left.size() - 1) + " more)"
                      : "";
  return unsupported(weights.pathOf(weights.tensors.find(first)->second) +
                     ": tensor " + quoted(first) + others +
                     " is no part of the model that config.json describes; "
                     "ignoring it could change the results");
}

llvm::Expected<BoundModel> Binder::bind() {
  model.embedding = names.embedding.str();
  model.finalNorm = names.finalNorm.str();
  if (llvm::Error error =
          take(model.embedding, {model.vocabulary, model.hidden})) {
    return std::move(error);
  }
  for (int64_t layer = 0; layer < model.layers; ++layer) {
    if (llvm::Error error = bindLayer(layer)) {
      return std::move(error);
    }
  }
  if (llvm::Error error = take(model.finalNorm, {model.hidden})) {
    return std::move(error);
  }
  if (llvm::Error error = bindHead()) {
    return std::move(error);
  }
  if (llvm::Error error = checkLeftOver()) {
    return std::move(error);
  }
  bool allBF16 = llvm::all_of(bound.used, [](const TensorView *view) {
    return view->shape.size() != 2 || view->type == DType::BF16;
  });
  bound.precision = allBF16 ? DType::BF16 : DType::F32;
  bound.config = std::move(model);
  return std::move(bound);
}

} // namespace

llvm::Expected<NameSet> detectNameSet(const WeightFiles &weights) {
  // ordered, so that the message does not depend on hashing
  std::vector<llvm::StringRef> all;
  for (const auto &entry : weights.tensors) {
    all.push_back(entry.first());
  }
  llvm::sort(all);
  for (llvm::StringRef name : all) {
    const char *part = nullptr;
    if (name.contains(".ssd.")) {
      part = "state-space (SSD) layers";
    } else if (name.contains(".router_gate.") ||
               name.contains(".down_embed.") || name.contains(".up_embed.") ||
               name.contains(".feed_forward.queries.") ||
               name.ends_with(".feed_forward.keys")) {
      part = "experts";
    }
    if (part) {
      return unsupported(weights.pathOf(weights.tensors.find(name)->second) +
                         ": tensor " + quoted(name) + ": " + part +
                         " are not supported yet by this version");
    }
  }
  bool transformers = weights.tensors.contains(transformersNames.embedding);
  bool author = weights.tensors.contains(authorNames.embedding);
  if (transformers == author) {
    return failed(weights.name + ": " + (author ? "both" : "neither") +
                  " tensor 'model.embed_tokens.weight' " +
                  (author ? "and" : "nor") + " 'model.word_embed.weight' " +
                  (author ? "are" : "is") +
                  " there; one of them tells whose tensor names these are");
  }
  return author ? NameSet::Author : NameSet::Transformers;
}

llvm::Expected<BoundModel> bindTensors(CheckpointConfig config, NameSet names,
                                       const WeightFiles &weights,
                                       WarningHandler warn) {
  return Binder(std::move(config), names, weights, warn).bind();
}

} // namespace cheems
