// Tensors by name, shape and type.
#include "lib/Import/Binder.h"
#include "lib/Import/Messages.h"
#include "llvm/ADT/STLExtras.h"

namespace cheems {

Binder::Binder(const WeightFiles &weights, WarningHandler warn)
    : weights(weights), warn(warn) {
  for (const auto &entry : weights.tensors) {
    sorted.push_back(entry.first());
  }
  llvm::sort(sorted);
}

const TensorView *Binder::find(llvm::StringRef name) const {
  auto found = weights.tensors.find(name);
  return found == weights.tensors.end() ? nullptr : found->second.view;
}

llvm::StringRef Binder::pathOf(llvm::StringRef name) const {
  return weights.pathOf(weights.tensors.find(name)->second);
}

llvm::StringRef Binder::firstWith(llvm::StringRef prefix) const {
  auto first = llvm::lower_bound(sorted, prefix);
  return first != sorted.end() && first->starts_with(prefix) ? *first : "";
}

llvm::Error Binder::check(const std::string &name, Shape shape,
                          llvm::StringRef why) {
  const TensorView *view = find(name);
  if (!view) {
    return failed(weights.name + ": tensor " + quoted(name) + " of shape " +
                  shapeText(shape) + " is missing" + why + reason);
  }
  llvm::StringRef path = pathOf(name);
  if (Shape(view->shape) != shape) {
    return failed(path + ": tensor " + quoted(name) + " has shape " +
                  shapeText(view->shape) + ", but config.json asks for " +
                  shapeText(shape));
  }
  if (view->type != DType::F32 && view->type != DType::BF16 &&
      view->type != DType::F16) {
    return unsupported(path + ": tensor " + quoted(name) + " has dtype " +
                       spelling(view->type) +
                       "; weights can be F32, BF16 or F16");
  }
  return llvm::Error::success();
}

llvm::Error Binder::take(const std::string &name, Shape shape,
                         llvm::StringRef why) {
  if (llvm::Error error = check(name, shape, why)) {
    return error;
  }
  taken.insert(name);
  views.push_back(*find(name));
  return llvm::Error::success();
}

llvm::Error Binder::takeRows(std::string &reference, const std::string &name,
                             Shape shape, int64_t first, int64_t count) {
  if (llvm::Error error = check(name, shape, "")) {
    return error;
  }
  taken.insert(name);
  TensorView rows = *find(name);
  int64_t columns = shape.back(), bytes = columns * byteSize(rows.type);
  assert(first >= 0 && count >= 0 &&
         (first + count) * columns <= rows.elements());
  rows.name = reference = rowsOf(name, first, count);
  rows.shape = {count, columns};
  rows.bytes = rows.bytes.slice(first * bytes, count * bytes);
  views.push_back(std::move(rows));
  return llvm::Error::success();
}

llvm::Error Binder::take(Projection &projection, const std::string &name,
                         int64_t out, int64_t in, const Flag &flag) {
  projection.weight = name + ".weight";
  projection.out = out;
  projection.in = in;
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
          quoted(bias) + "; the stored biases are used")
             .str());
  }
  projection.bias = bias;
  return take(bias, {out});
}

llvm::Error Binder::takeExactly(Projection &projection, const std::string &name,
                                int64_t out, int64_t in, bool bias,
                                llvm::StringRef why) {
  projection.weight = name + ".weight";
  projection.out = out;
  projection.in = in;
  if (llvm::Error error = take(projection.weight, {out, in})) {
    return error;
  }
  if (!bias) {
    return llvm::Error::success();
  }
  projection.bias = name + ".bias";
  return take(*projection.bias, {out}, why);
}

llvm::Error Binder::takeHead(ModelDescription &model, bool tied) {
  const std::string name = "lm_head.weight";
  if (!tied) {
    model.head = Projection{name, std::nullopt, model.vocabulary, model.hidden};
    return take(name, {model.vocabulary, model.hidden},
                "; only a model with tie_word_embeddings true has none");
  }
  const TensorView *stored = find(name);
  if (!stored) {
    return llvm::Error::success();
  }
  const TensorView &embedding = *find(model.embedding);
  if (stored->type != embedding.type || stored->shape != embedding.shape ||
      stored->bytes != embedding.bytes) {
    return failed(pathOf(name) + ": tensor 'lm_head.weight' differs from '" +
                  model.embedding +
                  "', but config.json (or its default) says "
                  "tie_word_embeddings true; set it to false or remove the "
                  "tensor");
  }
  accept(name);
  return llvm::Error::success();
}

DType Binder::precision() const {
  // vectors and scalars a head are read in f32 whatever their type
  bool allBF16 = llvm::all_of(views, [](const TensorView &view) {
    return view.shape.size() < 2 || view.type == DType::BF16;
  });
  return allBF16 ? DType::BF16 : DType::F32;
}

llvm::Error Binder::checkLeftOver() const {
  std::vector<llvm::StringRef> left;
  for (llvm::StringRef name : sorted) {
    // a table computed from the configuration, which old versions stored
    if (!taken.contains(name) && !name.ends_with("rotary_emb.inv_freq")) {
      left.push_back(name);
    }
  }
  if (left.empty()) {
    return llvm::Error::success();
  }
  std::string others =
      left.size() > 1 ? " (and " + std::to_string(left.size() - 1) + " more)"
                      : "";
  return unsupported(
      pathOf(left.front()) + ": tensor " + quoted(left.front()) + others +
      " does not belong to the model that config.json describes; "
      "ignoring it could change the results");
}

} // namespace cheems
