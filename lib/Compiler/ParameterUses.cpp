// Walks a model's tensors. Whatever is not a matrix or a table is a vector.
#include "ParameterUses.h"

namespace cheems {
namespace {
struct Uses {
  llvm::StringMap<llvm::StringRef> uses;

  void set(const std::string &name, llvm::StringRef use) { uses[name] = use; }
  void vector(const std::optional<std::string> &name) {
    if (name) {
      set(*name, "vector");
    }
  }
  void product(const Projection &projection) {
    if (!projection.weight.empty()) { // the importer leaves absent ones empty
      set(projection.weight, "product");
      vector(projection.bias);
    }
  }

  void norm(const std::optional<Norm> &norm) {
    if (norm) {
      set(norm->weight, "vector");
    }
  }

  void add(const Attention &a) {
    for (const Projection *each : {&a.query, &a.key, &a.value, &a.output}) {
      product(*each);
    }
    if (a.mask) {
      product(a.mask->step);
      set(a.mask->a, "vector");
    }
    norm(a.queryNorm);
    norm(a.keyNorm);
  }
  void add(const SSD &s) {
    for (const Projection *each : {&s.c, &s.b, &s.x, &s.step, &s.output}) {
      product(*each);
    }
    set(s.a, "vector");
    vector(s.skip);
  }
  void add(const MLP &m) {
    if (m.gate) {
      product(*m.gate);
    }
    product(m.up);
    product(m.down);
  }
  void add(const RetrievedExperts &x) {
    if (x.router) {
      product(*x.router);
    } else {
      product(x.queries);
      set(x.keys, "expert_keys");
    }
    set(x.down, "experts");
    set(x.up, "experts");
  }
  void add(const Branch &branch) {
    norm(branch.norm);
    vector(branch.residual.weight);
    for (const Mixer &mixer : branch.mixers) {
      std::visit([&](const auto &what) { add(what); }, mixer.what);
    }
  }
};
} // namespace

llvm::StringMap<llvm::StringRef> parameterUses(const ModelDescription &model) {
  Uses all;
  all.set(model.embedding, "embedding");
  all.norm(model.finalNorm);
  for (const Layer &layer : model.layers) {
    for (const Branch &branch : layer.branches) {
      all.add(branch);
    }
  }
  if (model.head) {
    all.set(model.head->weight, "head");
    if (model.head->bias) {
      all.set(*model.head->bias, "head_bias");
    }
  }
  return std::move(all.uses);
}

} // namespace cheems
