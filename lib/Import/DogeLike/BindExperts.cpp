// The tensors of the state part: a gated or plain MLP, with or without
// retrieved experts.
#include "lib/Import/DogeLike/Parts.h"
#include "lib/Import/Messages.h"
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
llvm::Error checkFields(const DogeLikeBinding &binding, int64_t keyCount) {
  const DogeLikeFields &read = binding.read;
  int64_t reached = keyCount * keyCount;
  if (read.expertsPerHead > reached) {
    return failed(llvm::Twine(read.file) + ": " + read.expertsPerHeadField +
                  " " + llvm::Twine(read.expertsPerHead) +
                  " is more than the " + llvm::Twine(reached) +
                  " experts that " + llvm::Twine(keyCount) +
                  " keys per half can reach (" + read.expertsField + " " +
                  llvm::Twine(read.experts) + ")");
  }
  if (!binding.kind.router && read.retrievalSize % 2 != 0) {
    return failed(llvm::Twine(read.file) + ": expert_retrieval_size " +
                  llvm::Twine(read.retrievalSize) +
                  " is odd; a query has two halves of one size");
  }
  return llvm::Error::success();
}

} // namespace

llvm::Error bindMLP(DogeLikeBinding &binding, MLP &mlp,
                    const std::string &prefix) {
  Binder &binder = binding.binder;
  const DogeLikeFields &read = binding.read;
  const Binder::Flag &flag = read.mlpBias;
  mlp.activation = read.activation;
  if (!binding.kind.plainMLP || binder.has(prefix + "gate_proj.weight")) {
    if (llvm::Error error =
            binder.take(mlp.gate.emplace(), prefix + "gate_proj",
                        read.intermediate, read.hidden, flag)) {
      return error;
    }
  }
  if (llvm::Error error = binder.take(mlp.up, prefix + "up_proj",
                                      read.intermediate, read.hidden, flag)) {
    return error;
  }
  return binder.take(mlp.down, prefix + "down_proj", read.hidden,
                     read.intermediate, flag);
}

llvm::Error bindExperts(DogeLikeBinding &binding,
                        std::optional<RetrievedExperts> &found,
                        const std::string &prefix) {
  Binder &binder = binding.binder;
  const DogeLikeFields &read = binding.read;
  bool router = binding.kind.router;
  std::string scores = prefix + (router ? "router_gate" : "queries"),
              keys = prefix + "keys", down = prefix + "down_embed.weight",
              up = prefix + "up_embed.weight";
  if (!binder.has(down) && !binder.has(up) && !binder.has(scores + ".weight") &&
      (router || !binder.has(keys))) {
    return llvm::Error::success();
  }
  binding.anyExperts = true;
  RetrievedExperts &experts = found.emplace();
  experts.experts = read.experts;
  experts.heads = read.expertHeads;
  experts.perHead = read.expertsPerHead;
  experts.placement = read.scorePlacement;
  experts.activation = read.activation;
  experts.keyCount = squareRoot(read.experts);
  if (llvm::Error error = checkFields(binding, experts.keyCount)) {
    return error;
  }
  if (router) {
    if (llvm::Error error = binder.take(experts.router.emplace(), scores,
                                        2 * experts.keyCount, read.hidden)) {
      return error;
    }
  } else {
    experts.keySize = read.retrievalSize / 2;
    if (llvm::Error error =
            binder.take(experts.queries, scores,
                        2 * experts.heads * experts.keySize, read.hidden)) {
      return error;
    }
    experts.keys = keys;
    if (llvm::Error error = binder.take(
            keys, {experts.heads, experts.keyCount, 2, experts.keySize})) {
      return error;
    }
  }
  experts.down = down;
  experts.up = up;
  if (llvm::Error error = binder.take(down, {read.experts, read.hidden})) {
    return error;
  }
  return binder.take(up, {read.experts, read.hidden});
}

void finishExperts(DogeLikeBinding &binding) {
  const DogeLikeFields &read = binding.read;
  bool any = binding.anyExperts;
  if (read.isMoE && *read.isMoE != any) {
    binding.binder.warn(read.file + ": is_moe is " + (any ? "false" : "true") +
                        ", but " + (any ? "some layer has" : "no layer has") +
                        " experts; the tensors decide");
  }
  if (!any) {
    return;
  }
  int64_t keyCount = squareRoot(read.experts);
  if (keyCount * keyCount != read.experts) {
    binding.binder.warn((llvm::Twine(read.file) + ": " + read.expertsField +
                         " " + llvm::Twine(read.experts) +
                         " is not a square: " + llvm::Twine(keyCount) +
                         " keys per half reach " +
                         llvm::Twine(keyCount * keyCount) +
                         " experts, and the rest is never used")
                            .str());
  }
}

} // namespace cheems
