// Tensor names of transformers' Doge, the author's Doge and Cheems.
#include "lib/Import/NameSets.h"
#include "lib/Import/Messages.h"
#include "llvm/ADT/STLExtras.h"

namespace cheems {
namespace {

constexpr Names transformersNames = {"model.embed_tokens.weight",
                                     "model.norm.weight",
                                     "input_layernorm.weight",
                                     "input_residual",
                                     "post_attention_layernorm.weight",
                                     "post_attention_residual",
                                     "self_attn.",
                                     "",
                                     "mlp.",
                                     /*plainMLP=*/false,
                                     /*router=*/true};
constexpr Names authorNames = {"model.word_embed.weight",
                               "model.final_layernorm.weight",
                               "pre_layernorm.weight",
                               "pre_residual.weight",
                               "post_layernorm.weight",
                               "post_residual.weight",
                               "self_attn.",
                               "",
                               "feed_forward.",
                               /*plainMLP=*/true,
                               /*router=*/false};
constexpr Names cheemsNames = {"model.word_embed.weight",
                               "model.final_layernorm.weight",
                               "pre_sequence_layernorm.weight",
                               "post_sequence_residual.weight",
                               "pre_state_layernorm.weight",
                               "post_state_residual.weight",
                               "attn.",
                               "ssd.",
                               "feed_forward.",
                               /*plainMLP=*/true,
                               /*router=*/false};

/// What follows "model.layers.N."; empty for other names.
llvm::StringRef partOfLayer(llvm::StringRef name) {
  if (!name.consume_front("model.layers.")) {
    return "";
  }
  return name.split('.').second;
}

/// The alphabetically first tensor of a layer whose name these names have and
/// `others` have not; empty where there is none.
llvm::StringRef evidence(llvm::ArrayRef<llvm::StringRef> sorted,
                         const Names &names, const Names &others) {
  llvm::SmallVector<llvm::StringRef> telling;
  const std::pair<llvm::StringRef, llvm::StringRef> parts[] = {
      {names.sequenceNorm, others.sequenceNorm},
      {names.sequenceResidual, others.sequenceResidual},
      {names.stateNorm, others.stateNorm},
      {names.stateResidual, others.stateResidual},
      {names.attention, others.attention},
      {names.ssd, others.ssd}};
  for (auto [mine, other] : parts) {
    if (!mine.empty() && mine != other) {
      telling.push_back(mine);
    }
  }
  for (llvm::StringRef name : sorted) {
    if (llvm::any_of(telling, [&](llvm::StringRef start) {
          return partOfLayer(name).starts_with(start);
        })) {
      return name;
    }
  }
  return "";
}

/// The author's two models share the embedding's name; their layers differ.
llvm::Expected<NameSet> detectAuthorsModel(const WeightFiles &weights,
                                           llvm::StringRef modelType,
                                           llvm::StringRef file) {
  // ordered, so that messages do not depend on hashing
  std::vector<llvm::StringRef> sorted;
  for (const auto &entry : weights.tensors) {
    sorted.push_back(entry.first());
  }
  llvm::sort(sorted);
  llvm::StringRef doge = evidence(sorted, authorNames, cheemsNames),
                  cheems = evidence(sorted, cheemsNames, authorNames);
  auto pathOf = [&](llvm::StringRef name) {
    return weights.pathOf(weights.tensors.find(name)->second);
  };
  if (!doge.empty() && !cheems.empty()) {
    return failed(pathOf(cheems) + ": tensor " + quoted(cheems) +
                  " is named as in a Cheems, " + quoted(doge) +
                  " as in a Doge; a checkpoint is one of them");
  }
  if (modelType == "doge" && !cheems.empty()) {
    return failed(pathOf(cheems) + ": tensor " + quoted(cheems) +
                  " is named as in a Cheems, but " + file +
                  " says model_type 'doge'");
  }
  if (modelType == "cheems" && !doge.empty()) {
    return failed(pathOf(doge) + ": tensor " + quoted(doge) +
                  " is named as in a Doge, but " + file +
                  " says model_type 'cheems'");
  }
  return modelType == "cheems" ? NameSet::Cheems : NameSet::Author;
}

} // namespace

const Names &namesOf(NameSet names) {
  switch (names) {
  case NameSet::Transformers:
    return transformersNames;
  case NameSet::Author:
    return authorNames;
  case NameSet::Cheems:
    return cheemsNames;
  }
  llvm_unreachable("unknown name set");
}

llvm::Expected<NameSet> detectNameSet(const WeightFiles &weights,
                                      llvm::StringRef modelType,
                                      llvm::StringRef file) {
  bool transformers = weights.tensors.contains(transformersNames.embedding);
  bool author = weights.tensors.contains(authorNames.embedding);
  if (transformers == author) {
    return failed(
        weights.name + ": " + (author ? "both" : "neither") +
        " tensor 'model.embed_tokens.weight' " + (author ? "and" : "nor") +
        " 'model.word_embed.weight' " + (author ? "are" : "is") +
        " there; exactly one of them must be, and tells which names are used");
  }
  if (author) {
    return detectAuthorsModel(weights, modelType, file);
  }
  if (modelType == "cheems") {
    return failed(
        weights.pathOf(
            weights.tensors.find(transformersNames.embedding)->second) +
        ": tensor 'model.embed_tokens.weight' is named as in "
        "transformers' Doge, but " +
        file + " says model_type 'cheems'");
  }
  return NameSet::Transformers;
}

} // namespace cheems
