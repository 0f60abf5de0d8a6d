// The weights of a layer in order, and what makes two layers one kind.
#include "Layer.h"

namespace cheems {
using namespace mlir;

namespace {
struct Collector {
  const ModelTypes &types;
  SmallVector<LayerWeight> weights;

  void vector(const std::string &name, int64_t size) {
    weights.push_back({name, types.vector(size), {}, {}});
  }
  void vector(const std::optional<std::string> &name, int64_t size) {
    if (name) {
      vector(*name, size);
    }
  }
  /// Adds a weight that may be quantized.
  void projection(const Projection &p, int64_t out, int64_t in) {
    weights.push_back(
        {p.weight, types.matrix(out, in), {}, types.quantized(in)});
    vector(p.bias, out);
  }
  /// What a state, or which keys or experts are seen, depends on.
  void exactProjection(const Projection &p, int64_t out, int64_t in) {
    weights.push_back({p.weight, types.matrix(out, in), {}, {}});
    vector(p.bias, out);
  }
  void table(const std::string &name, int64_t rows, int64_t columns) {
    weights.push_back(
        {name, types.matrix(rows, columns), {}, types.quantizedTable()});
  }

  void attention(const AttentionTensors &a) {
    const ModelConfig &c = types.config;
    int64_t query = c.heads * c.headDim, keys = c.keyValueHeads * c.headDim;
    projection(a.query, query, c.hidden);
    projection(a.key, keys, c.hidden);
    c.masksChoose(a) ? exactProjection(a.value, keys, c.hidden)
                     : projection(a.value, keys, c.hidden);
    if (a.visibleHeads.empty()) {
      exactProjection(a.maskStep, c.maskHeads, keys);
      vector(a.maskA, c.maskHeads);
    }
    vector(a.queryNorm, c.headDim);
    vector(a.keyNorm, c.headDim);
    projection(a.output, c.hidden, query);
  }

  void ssd(const SSDTensors &s) {
    const ModelConfig &c = types.config;
    exactProjection(s.c, s.groups * c.ssdStateSize, c.hidden);
    exactProjection(s.b, s.groups * c.ssdStateSize, c.hidden);
    exactProjection(s.x, c.heads * c.headDim, c.hidden);
    exactProjection(s.step, c.heads, c.hidden);
    vector(s.a, c.heads);
    vector(s.skip, c.heads);
    projection(s.output, c.hidden, c.heads * c.headDim);
  }

  void experts(const ExpertTensors &x) {
    const ModelConfig &c = types.config;
    if (x.router) {
      exactProjection(*x.router, 2 * x.keyCount, c.hidden);
    } else {
      exactProjection(x.queries, 2 * c.expertHeads * x.keySize, c.hidden);
      // Stored [head, key, half, n]: the keys become the vector dimension.
      weights.push_back(
          {x.keys,
           RankedTensorType::get({2, c.expertHeads, x.keySize, x.keyCount},
                                 types.matrixElement()),
           {2, 0, 3, 1},
           {}});
    }
    table(x.down, c.experts, c.hidden);
    table(x.up, c.experts, c.hidden);
  }
};
} // namespace

bool seesNothing(const LayerTensors &layer) {
  return layer.attention && !layer.attention->visibleHeads.empty() &&
         llvm::none_of(layer.attention->visibleHeads,
                       [](bool visible) { return visible; });
}

SmallVector<LayerWeight> layerWeights(const ModelTypes &types,
                                      const LayerTensors &layer) {
  const ModelConfig &c = types.config;
  Collector weights{types, {}};
  if (seesNothing(layer)) {
    weights.vector(layer.attention->output.bias, c.hidden);
  } else {
    weights.vector(layer.sequenceNorm, c.hidden);
    layer.attention ? weights.attention(*layer.attention)
                    : weights.ssd(*layer.ssd);
  }
  weights.vector(layer.sequenceResidual, c.hidden);
  weights.vector(layer.stateNorm, c.hidden);
  if (layer.gate) {
    weights.projection(*layer.gate, c.intermediate, c.hidden);
  }
  weights.projection(layer.up, c.intermediate, c.hidden);
  weights.projection(layer.down, c.hidden, c.intermediate);
  if (layer.experts) {
    weights.experts(*layer.experts);
  }
  weights.vector(layer.stateResidual, c.hidden);
  return std::move(weights.weights);
}

std::string kindOf(const ModelTypes &types, const LayerTensors &layer) {
  std::string kind = layer.attention ? "attention" : "ssd";
  kind += layer.experts ? "_experts" : "_mlp";
  auto flag = [&](bool set, const Twine &name) {
    kind += set ? ("_" + name).str() : "";
  };
  flag(layer.gate.has_value(), "gated");
  SmallVector<std::pair<const Projection *, StringRef>> projections;
  if (seesNothing(layer)) {
    flag(true, "hidden");
    projections = {{&layer.attention->output, "o"}};
  } else if (const auto &a = layer.attention) {
    if (!a->visibleHeads.empty()) {
      std::string heads;
      for (bool visible : a->visibleHeads) {
        heads += visible ? '1' : '0';
      }
      flag(true, "visible" + heads);
    }
    flag(a->queryNorm.has_value(), "qnorm");
    flag(a->keyNorm.has_value(), "knorm");
    projections = {{&a->query, "q"}, {&a->key, "k"}, {&a->value, "v"}};
    if (a->visibleHeads.empty()) {
      projections.push_back({&a->maskStep, "dt"});
    }
    projections.push_back({&a->output, "o"});
  } else {
    const SSDTensors &s = *layer.ssd;
    flag(s.groups != types.config.heads, "groups" + Twine(s.groups));
    flag(s.logarithm, "log");
    flag(s.skip.has_value(), "skip");
    projections = {{&s.c, "c"},
                   {&s.b, "b"},
                   {&s.x, "x"},
                   {&s.step, "dt"},
                   {&s.output, "out"}};
  }
  if (const auto &x = layer.experts) {
    flag(x->router.has_value(), "router");
    flag(!x->router, "keys");
    projections.push_back({x->router ? &*x->router : &x->queries, "expert"});
  }
  if (layer.gate) {
    projections.push_back({&*layer.gate, "gate"});
  }
  projections.push_back({&layer.up, "up"});
  projections.push_back({&layer.down, "down"});
  auto biased = [](const auto &each) { return each.first->bias.has_value(); };
  if (llvm::all_of(projections, biased)) {
    flag(true, "biased");
  } else {
    for (const auto &each : projections) {
      flag(biased(each), each.second + "bias");
    }
  }
  return kind;
}
} // namespace cheems
