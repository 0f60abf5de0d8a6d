// The parts of a layer of Doge or Cheems, as their tensors are taken.
#ifndef CHEEMS_LIB_IMPORT_DOGELIKE_PARTS_H
#define CHEEMS_LIB_IMPORT_DOGELIKE_PARTS_H

#include "lib/Import/DogeLike/DogeLike.h"

namespace cheems {

/// What all layers of a model are bound with.
struct DogeLikeBinding {
  Binder &binder;
  const DogeLikeKind &kind;
  const DogeLikeFields &read;
  // decided by the first attention layer
  std::optional<bool> norms = std::nullopt;
  int64_t maskHeads = 0;
  bool anyExperts = false;
};

// `prefix` leads the names of the part's tensors.
llvm::Error bindAttention(DogeLikeBinding &binding, Attention &attention,
                          const std::string &prefix);
llvm::Error bindSSD(DogeLikeBinding &binding, SSD &ssd,
                    const std::string &prefix);
llvm::Error bindMLP(DogeLikeBinding &binding, MLP &mlp,
                    const std::string &prefix);
/// Leaves `experts` empty where the layer has none.
llvm::Error bindExperts(DogeLikeBinding &binding,
                        std::optional<RetrievedExperts> &experts,
                        const std::string &prefix);
/// Once all layers are bound: what config.json says of experts without effect.
void finishExperts(DogeLikeBinding &binding);

} // namespace cheems

#endif
