// The tensors of the state part: a gated or plain MLP, with or without
// retrieved experts.
#include "lib/Import/Binder.h"
#include "lib/Import/Messages.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

namespace cheems {
namespace {

/// The largest integer whose square is at most `value`.
int64_t squareRoot(int64_t value) {
  auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(value)));
  while (root * root > value) {
    --root;
  }
  while ((root + 1) * (root + 1) <= value) {
    ++root;
  }
  return root;
}

/// The fields of config.json against each other; only a layer with experts
/// makes them matter.
llvm::Error checkFields(const Binder &binder, int64_t keyCount) {
  const CheckpointConfig &read = binder.read;
  const ModelConfig &model = binder.model;
  int64_t reached = keyCount * keyCount;
  if (model.expertsPerHead > reached) {
    return failed(llvm::Twine(read.file) + ": " + read.expertsPerHeadField +
                  " " + llvm::Twine(model.expertsPerHead) +
                  " is more than the " + llvm::Twine(reached) +
                  " experts that " + llvm::Twine(keyCount) +
                  " keys per half can reach (" + read.expertsField + " " +
                  llvm::Twine(model.experts) + ")");
  }
  if (!binder.names.router && read.retrievalSize % 2 != 0) {
    return failed(llvm::Twine(read.file) + ": expert_retrieval_size " +
                  llvm::Twine(read.retrievalSize) +
                  " is odd; a query has two halves of one size");
  }
  return llvm::Error::success();
}

} // namespace

llvm::Error bindMLP(Binder &binder, LayerTensors &layer,
                    const std::string &prefix) {
  const ModelConfig &model = binder.model;
  const Binder::Flag &flag = binder.read.mlpBias;
  if (!binder.names.plainMLP || binder.has(prefix + "gate_proj.weight")) {
    if (llvm::Error error =
            binder.take(layer.gate.emplace(), prefix + "gate_proj",
                        model.intermediate, model.hidden, flag)) {
      return error;
    }
  }
  if (llvm::Error error = binder.take(layer.up, prefix + "up_proj",
                                      model.intermediate, model.hidden, flag)) {
    return error;
  }
  return binder.take(layer.down, prefix + "down_proj", model.hidden,
                     model.intermediate, flag);
}

llvm::Error bindExperts(Binder &binder, std::optional<ExpertTensors> &experts,
                        const std::string &prefix) {
  const ModelConfig &model = binder.model;
  bool router = binder.names.router;
  std::string scores = prefix + (router ? "router_gate" : "queries"),
              keys = prefix + "keys", down = prefix + "down_embed.weight",
              up = prefix + "up_embed.weight";
  if (!binder.has(down) && !binder.has(up) && !binder.has(scores + ".weight") &&
      (router || !binder.has(keys))) {
    return llvm::Error::success();
  }
  ExpertTensors &tensors = experts.emplace();
  tensors.keyCount = squareRoot(model.experts);
  if (llvm::Error error = checkFields(binder, tensors.keyCount)) {
    return error;
  }
  if (router) {
    if (llvm::Error error = binder.take(tensors.router.emplace(), scores,
                                        2 * tensors.keyCount, model.hidden)) {
      return error;
    }
  } else {
    tensors.keySize = binder.read.retrievalSize / 2;
    if (llvm::Error error = binder.take(tensors.queries, scores,
                                        2 * model.expertHeads * tensors.keySize,
                                        model.hidden)) {
      return error;
    }
    tensors.keys = keys;
    if (llvm::Error error = binder.take(
            keys, {model.expertHeads, tensors.keyCount, 2, tensors.keySize})) {
      return error;
    }
  }
  tensors.down = down;
  tensors.up = up;
  if (llvm::Error error = binder.take(down, {model.experts, model.hidden})) {
    return error;
  }
  return binder.take(up, {model.experts, model.hidden});
}

void finishExperts(Binder &binder) {
  const CheckpointConfig &read = binder.read;
  ModelConfig &model = binder.model;
  bool any = llvm::any_of(model.layer, [](const LayerTensors &layer) {
    return layer.experts.has_value();
  });
  if (read.isMoE && *read.isMoE != any) {
    binder.warn(read.file + ": is_moe is " + (any ? "false" : "true") +
                ", but " + (any ? "some layer has" : "no layer has") +
                " experts; the tensors decide");
  }
  if (!any) {
    model.experts = model.expertHeads = model.expertsPerHead = 0;
    return;
  }
  int64_t keyCount = squareRoot(model.experts);
  if (keyCount * keyCount != model.experts) {
    binder.warn((llvm::Twine(read.file) + ": " + read.expertsField + " " +
                 llvm::Twine(model.experts) +
                 " is not a square: " + llvm::Twine(keyCount) +
                 " keys per half reach " + llvm::Twine(keyCount * keyCount) +
                 " experts, and the rest is never used")
                    .str());
  }
}

} // namespace cheems
