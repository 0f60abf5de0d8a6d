// The weights of a layer, in order.
#include "Layer.h"

namespace cheems {
using namespace mlir;

namespace {
struct Collector {
  const ModelTypes &types;
  SmallVector<LayerWeight> weights = {};

  void vector(const std::string &name, int64_t size) {
    weights.push_back({name, types.vector(size), {}, {}});
  }
  void vector(const std::optional<std::string> &name, int64_t size) {
    if (name) {
      vector(*name, size);
    }
  }
  void norm(const std::optional<Norm> &norm, int64_t size) {
    if (norm) {
      vector(norm->weight, size);
    }
  }
  /// Adds a weight that may be quantized.
  void projection(const Projection &p) {
    weights.push_back(
        {p.weight, types.matrix(p.out, p.in), {}, types.quantized(p.in)});
    vector(p.bias, p.out);
  }
  /// What a state, or which keys or experts are seen, depends on.
  void exactProjection(const Projection &p) {
    weights.push_back({p.weight, types.matrix(p.out, p.in), {}, {}});
    vector(p.bias, p.out);
  }
  void table(const std::string &name, int64_t rows, int64_t columns) {
    weights.push_back(
        {name, types.matrix(rows, columns), {}, types.quantizedTable()});
  }

  void add(const Attention &a) {
    if (a.seesNothing()) {
      vector(a.output.bias, a.output.out);
      return;
    }
    projection(a.query);
    projection(a.key);
    a.masksChoose() ? exactProjection(a.value) : projection(a.value);
    if (a.computesMasks()) {
      exactProjection(a.mask->step);
      vector(a.mask->a, a.mask->heads);
    }
    norm(a.queryNorm, a.headSize);
    norm(a.keyNorm, a.headSize);
    projection(a.output);
  }

  void add(const SSD &s) {
    exactProjection(s.c);
    exactProjection(s.b);
    exactProjection(s.x);
    exactProjection(s.step);
    vector(s.a, s.heads);
    vector(s.skip, s.heads);
    projection(s.output);
  }

  void add(const MLP &m) {
    if (m.gate) {
      projection(*m.gate);
    }
    projection(m.up);
    projection(m.down);
  }

  void add(const RetrievedExperts &x) {
    if (x.router) {
      exactProjection(*x.router);
    } else {
      exactProjection(x.queries);
      // Stored [head, key, half, n]: the keys become the vector dimension.
      weights.push_back(
          {x.keys,
           RankedTensorType::get({2, x.heads, x.keySize, x.keyCount},
                                 types.matrixElement()),
           {2, 0, 3, 1},
           {}});
    }
    table(x.down, x.experts, types.model.hidden);
    table(x.up, x.experts, types.model.hidden);
  }
};
} // namespace

SmallVector<LayerWeight> layerWeights(const ModelTypes &types,
                                      const Layer &layer) {
  int64_t hidden = types.model.hidden;
  Collector weights{types};
  for (const Branch &branch : layer.branches) {
    if (readsNorm(branch)) {
      weights.vector(branch.norm.weight, hidden);
    }
    for (const Mixer &mixer : branch.mixers) {
      std::visit([&](const auto &what) { weights.add(what); }, mixer.what);
    }
    weights.vector(branch.residual.weight, hidden);
  }
  return std::move(weights.weights);
}
} // namespace cheems
