// x = embedding; every layer x = r1*x + attention(norm1(x)), x = r2*x +
// mlp(norm2(x)); logits = head(norm(x)).
#include "cheems/Reference/Doge.h"
#include "cheems/Reference/DynamicMask.h"
#include "cheems/Reference/DynamicMaskAttention.h"
#include "cheems/Reference/KeepThreshold.h"
#include "cheems/Reference/Linear.h"
#include "cheems/Reference/RMSNorm.h"
#include "cheems/Reference/Rotary.h"
#include <algorithm>
#include <limits>
#include <numeric>

namespace cheems::reference {
namespace {

class DogeEvaluator {
public:
  explicit DogeEvaluator(const Checkpoint &checkpoint)
      : checkpoint(checkpoint), config(checkpoint.config()) {}

  DogeEvaluation evaluate(llvm::ArrayRef<int64_t> ids) const;

private:
  Tensor load(const std::string &name) const {
    return Tensor::from(checkpoint.tensor(name));
  }
  LinearWeights load(const Projection &projection) const {
    LinearWeights weights{load(projection.weight), std::nullopt};
    if (projection.bias) {
      weights.bias = load(*projection.bias);
    }
    return weights;
  }

  Tensor embed(llvm::ArrayRef<int64_t> ids) const;
  Tensor attention(const Tensor &x, const LayerTensors &layer,
                   const RotaryTable &table, llvm::ArrayRef<int64_t> positions,
                   std::vector<double> &margins) const;
  Tensor feedForward(const Tensor &x, const LayerTensors &layer) const;

  const Checkpoint &checkpoint;
  const ModelConfig &config;
};

Tensor DogeEvaluator::embed(llvm::ArrayRef<int64_t> ids) const {
  Tensor table = load(config.embedding);
  Tensor x({static_cast<int64_t>(ids.size()), config.hidden});
  for (size_t t = 0; t < ids.size(); ++t) {
    assert(ids[t] >= 0 && ids[t] < config.vocabulary);
    for (int64_t d = 0; d < config.hidden; ++d) {
      x(t, d) = table(ids[t], d);
    }
  }
  return x;
}

Tensor DogeEvaluator::attention(const Tensor &x, const LayerTensors &layer,
                                const RotaryTable &table,
                                llvm::ArrayRef<int64_t> positions,
                                std::vector<double> &margins) const {
  int64_t rows = x.shape[0];
  Tensor q = linear(x, load(layer.attention->query))
                 .reshaped({rows, config.heads, config.headDim});
  Tensor k = linear(x, load(layer.attention->key))
                 .reshaped({rows, config.keyValueHeads, config.headDim});
  Tensor v = linear(x, load(layer.attention->value));
  if (layer.attention->queryNorm) {
    q = rmsNorm(q, load(*layer.attention->queryNorm), config.normEpsilon);
  }
  if (layer.attention->keyNorm) {
    k = rmsNorm(k, load(*layer.attention->keyNorm), config.normEpsilon);
  }
  Tensor mask = dynamicMask(linear(v, load(layer.attention->maskStep)),
                            load(layer.attention->maskA));
  MaskOptions options;
  options.window = config.keepWindow;
  if (options.window && *options.window < rows) {
    margins = keepMargins(mask, positions, positions, *options.window,
                          &layer == &config.layer.front());
  }
  Tensor y = dynamicMaskAttention(
      rotary(q, table), rotary(k, table),
      v.reshaped({rows, config.keyValueHeads, config.headDim}), mask, positions,
      positions, options);
  return linear(y.reshaped({rows, config.heads * config.headDim}),
                load(layer.attention->output));
}

Tensor DogeEvaluator::feedForward(const Tensor &x,
                                  const LayerTensors &layer) const {
  MLPWeights weights{std::nullopt, load(layer.up), load(layer.down)};
  if (layer.gate) {
    weights.gate = load(*layer.gate);
  }
  return mlp(x, weights, config.activation);
}

/// residual[d] * x[t, d] + y[t, d]
Tensor addResidual(const Tensor &x, const Tensor &residual, const Tensor &y) {
  Tensor sum(x.shape);
  for (int64_t t = 0; t < x.shape[0]; ++t) {
    for (int64_t d = 0; d < x.shape[1]; ++d) {
      sum(t, d) = residual(d) * x(t, d) + y(t, d);
    }
  }
  return sum;
}

DogeEvaluation DogeEvaluator::evaluate(llvm::ArrayRef<int64_t> ids) const {
  std::vector<int64_t> positions(ids.size());
  std::iota(positions.begin(), positions.end(), 0);
  RotaryTable table = rotaryTable(positions, config.headDim, config.rotary,
                                  static_cast<int64_t>(ids.size()));
  auto norm = [&](const Tensor &x, const std::string &name) {
    return rmsNorm(x, load(name), config.normEpsilon);
  };

  constexpr double unbounded = std::numeric_limits<double>::infinity();
  std::vector<double> firm(ids.size(), unbounded);
  Tensor x = embed(ids);
  for (const LayerTensors &layer : config.layer) {
    std::vector<double> margins(ids.size(), unbounded);
    x = addResidual(x, load(layer.sequenceResidual),
                    attention(norm(x, layer.sequenceNorm), layer, table,
                              positions, margins));
    for (size_t t = 0; t < firm.size(); ++t) {
      double before = t > 0 ? firm[t - 1] : unbounded;
      firm[t] = std::min({firm[t], margins[t], before});
    }
    x = addResidual(x, load(layer.stateResidual),
                    feedForward(norm(x, layer.stateNorm), layer));
  }
  LinearWeights head =
      config.head ? load(*config.head)
                  : LinearWeights{load(config.embedding), std::nullopt};
  return {linear(norm(x, config.finalNorm), head), std::move(firm)};
}

} // namespace

Tensor evaluateDoge(const Checkpoint &checkpoint, llvm::ArrayRef<int64_t> ids) {
  return DogeEvaluator(checkpoint).evaluate(ids).logits;
}

DogeEvaluation evaluateDogeWithMargins(const Checkpoint &checkpoint,
                                       llvm::ArrayRef<int64_t> ids) {
  return DogeEvaluator(checkpoint).evaluate(ids);
}

std::vector<int64_t> greedy(const Checkpoint &checkpoint,
                            llvm::ArrayRef<int64_t> ids, int64_t count) {
  std::vector<int64_t> sequence(ids.begin(), ids.end());
  for (int64_t i = 0; i < count; ++i) {
    Tensor logits = evaluateDoge(checkpoint, sequence);
    auto last = logits.data.end() - logits.shape[1];
    sequence.push_back(std::max_element(last, logits.data.end()) - last);
  }
  return {sequence.begin() + static_cast<int64_t>(ids.size()), sequence.end()};
}

} // namespace cheems::reference
