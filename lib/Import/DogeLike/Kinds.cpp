// Which of the three kinds a checkpoint is, by the names of its tensors.
#include "lib/Import/DogeLike/DogeLike.h"
#include "lib/Import/Messages.h"
#include "llvm/ADT/STLExtras.h"

namespace cheems {
namespace {

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
                         const DogeLikeKind &names,
                         const DogeLikeKind &others) {
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
llvm::Expected<const DogeLikeKind *> findAuthorsKind(const Binder &binder,
                                                     llvm::StringRef modelType,
                                                     llvm::StringRef file) {
  llvm::ArrayRef<llvm::StringRef> sorted = binder.names();
  llvm::StringRef doge = evidence(sorted, authorsDogeKind(), cheemsKind()),
                  cheems = evidence(sorted, cheemsKind(), authorsDogeKind());
  if (!doge.empty() && !cheems.empty()) {
    return failed(binder.pathOf(cheems) + ": tensor " + quoted(cheems) +
                  " is named as in a Cheems, " + quoted(doge) +
                  " as in a Doge; a checkpoint is one of them");
  }
  if (modelType == "doge" && !cheems.empty()) {
    return failed(binder.pathOf(cheems) + ": tensor " + quoted(cheems) +
                  " is named as in a Cheems, but " + file +
                  " says model_type 'doge'");
  }
  if (modelType == "cheems" && !doge.empty()) {
    return failed(binder.pathOf(doge) + ": tensor " + quoted(doge) +
                  " is named as in a Doge, but " + file +
                  " says model_type 'cheems'");
  }
  return modelType == "cheems" ? &cheemsKind() : &authorsDogeKind();
}

} // namespace

llvm::Expected<const DogeLikeKind *> findDogeLikeKind(const Binder &binder,
                                                      llvm::StringRef modelType,
                                                      llvm::StringRef file) {
  llvm::StringRef embedding = dogeKind().embedding;
  bool transformers = binder.has(embedding),
       author = binder.has(authorsDogeKind().embedding);
  if (transformers == author) {
    return failed(
        binder.weights.name + ": " + (author ? "both" : "neither") +
        " tensor 'model.embed_tokens.weight' " + (author ? "and" : "nor") +
        " 'model.word_embed.weight' " + (author ? "are" : "is") +
        " there; exactly one of them must be, and tells which names are used");
  }
  if (author) {
    return findAuthorsKind(binder, modelType, file);
  }
  if (modelType == "cheems") {
    return failed(binder.pathOf(embedding) +
                  ": tensor 'model.embed_tokens.weight' is named as in "
                  "transformers' Doge, but " +
                  file + " says model_type 'cheems'");
  }
  return &dogeKind();
}

} // namespace cheems
