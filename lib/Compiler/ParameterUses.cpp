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

  void attention(const AttentionTensors &a) {
    for (const Projection *each :
         {&a.query, &a.key, &a.value, &a.maskStep, &a.output}) {
      product(*each);
    }
    vector(a.maskA);
    vector(a.queryNorm);
    vector(a.keyNorm);
  }
  void ssd(const SSDTensors &s) {
    for (const Projection *each : {&s.c, &s.b, &s.x, &s.step, &s.output}) {
      product(*each);
    }
    vector(s.a);
    vector(s.skip);
  }
  void experts(const ExpertTensors &x) {
    if (x.router) {
      product(*x.router);
    } else {
      product(x.queries);
      set(x.keys, "expert_keys");
    }
    set(x.down, "experts");
    set(x.up, "experts");
  }
  void layer(const LayerTensors &layer) {
    for (const std::string *each :
         {&layer.sequenceNorm, &layer.sequenceResidual, &layer.stateNorm,
          &layer.stateResidual}) {
      vector(*each);
    }
    if (layer.attention) {
      attention(*layer.attention);
    }
    if (layer.ssd) {
      ssd(*layer.ssd);
    }
    if (layer.gate) {
      product(*layer.gate);
    }
    product(layer.up);
    product(layer.down);
    if (layer.experts) {
      experts(*layer.experts);
    }
  }
};
} // namespace

llvm::StringMap<llvm::StringRef> parameterUses(const ModelConfig &config) {
  Uses all;
  all.set(config.embedding, "embedding");
  all.vector(config.finalNorm);
  for (const LayerTensors &layer : config.layer) {
    all.layer(layer);
  }
  if (config.head) {
    all.set(config.head->weight, "head");
    if (config.head->bias) {
      all.set(*config.head->bias, "head_bias");
    }
  }
  return std::move(all.uses);
}

} // namespace cheems
