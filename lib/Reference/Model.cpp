// x = embedding; every branch of every layer x = r*x + sum of its mixers of
// norm(x); logits = head(norm(x)).
#include "cheems/Reference/Model.h"
#include "ModelLayers.h"
#include "cheems/Reference/RMSNorm.h"
#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

namespace cheems::reference {

Weights::Weights(const Checkpoint &checkpoint, Rounding rounding)
    : checkpoint(checkpoint),
      rounding(checkpoint.precision() == DType::BF16 ? rounding : Rounding{}) {
  this->rounding.int8 = rounding.int8;
  this->rounding.weightBits = rounding.weightBits;
  this->rounding.disturbance = rounding.disturbance;
  this->rounding.pattern = rounding.pattern;
  this->rounding.share = rounding.share;
  this->rounding.digits = rounding.digits;
}

Tensor Weights::load(const std::string &name) const {
  return Tensor::from(checkpoint.tensor(name));
}

LinearWeights Weights::exact(const Projection &projection) const {
  LinearWeights loaded{load(projection.weight), {}, false, {}};
  if (projection.bias) {
    loaded.bias = load(*projection.bias);
  }
  loaded.readsBF16 = rounding.products && loaded.weight.shape[1] % 2 == 0;
  loaded.step = {rounding.share, rounding.digits, rounding.pattern};
  return loaded;
}

LinearWeights Weights::rounded(const Projection &projection,
                               std::optional<QuantizedFormat> format) const {
  LinearWeights loaded = exact(projection);
  if (format) {
    loaded.codes = quantized(loaded.weight, *format);
  }
  return loaded;
}

LinearWeights Weights::load(const Projection &projection) const {
  int64_t columns = checkpoint.tensor(projection.weight).shape[1];
  return rounded(projection, matmulFormat(rounding.weightBits, columns));
}

LinearWeights Weights::head(const Projection &projection) const {
  return rounded(projection, headFormat(rounding.weightBits, model().hidden));
}

RotaryTable Rows::table(const RotaryUse &use) const {
  const RotaryRule &rule = model.rotary[use.table];
  if (const auto *list = std::get_if<RotaryList>(&rule)) {
    return rotaryTable(positions, *list);
  }
  return rotaryTable(positions, use.size, std::get<RotaryConfig>(rule),
                     static_cast<int64_t>(positions.size()));
}

QuantizedWeights quantized(const Tensor &matrix, QuantizedFormat format) {
  int64_t rows = matrix.shape[0], columns = matrix.shape[1],
          groups = format.groups(columns);
  QuantizedWeights w{Tensor({rows, columns}), Tensor({rows, groups})};
  std::vector<float> row(columns), scales(groups);
  std::vector<int8_t> codes(columns);
  for (int64_t n = 0; n < rows; ++n) {
    for (int64_t k = 0; k < columns; ++k) {
      row[k] = static_cast<float>(matrix(n, k));
    }
    [[maybe_unused]] bool finite = quantizeRow(row, format, codes, scales);
    assert(finite);
    std::copy(codes.begin(), codes.end(), &w.codes.data[n * columns]);
    std::copy(scales.begin(), scales.end(), &w.scales.data[n * groups]);
  }
  return w;
}

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

/// The last layer's output, how firmly its rows stand, and what was stored on
/// the way.
struct Hidden {
  Tensor x; ///< [T, hidden]
  std::vector<double> keepMargin, retrievalMargin;
  std::vector<Tensor> entries;
};

Tensor embed(const Weights &weights, llvm::ArrayRef<int64_t> ids) {
  const ModelDescription &model = weights.model();
  Tensor table = weights.load(model.embedding);
  Tensor x({static_cast<int64_t>(ids.size()), model.hidden});
  for (size_t t = 0; t < ids.size(); ++t) {
    assert(ids[t] >= 0 && ids[t] < model.vocabulary);
    for (int64_t d = 0; d < model.hidden; ++d) {
      x(t, d) = table(ids[t], d) * model.embeddingFactor;
    }
  }
  return x;
}

/// x with all numbers multiplied by `factor`.
Tensor times(Tensor x, double factor) {
  for (double &number : x.data) {
    number *= factor;
  }
  return x;
}

/// weight[d] * x[t, d] + factor * y[t, d]
Tensor addResidual(const Weights &weights, const Residual &residual,
                   const Tensor &x, const Tensor &y) {
  std::optional<Tensor> weight;
  if (residual.weight) {
    weight = weights.load(*residual.weight);
  }
  Tensor sum(x.shape);
  for (int64_t t = 0; t < x.shape[0]; ++t) {
    for (int64_t d = 0; d < x.shape[1]; ++d) {
      sum(t, d) =
          (weight ? (*weight)(d) : 1.0) * x(t, d) + residual.factor * y(t, d);
    }
  }
  return sum;
}

/// Moves every number by a share of it. No row or head repeats the signs.
class Disturbance {
public:
  explicit Disturbance(const Rounding &rounding)
      : relative(rounding.disturbance), random(rounding.pattern + 1) {}

  void operator()(Tensor &x) {
    for (double &number : x.data) {
      number *= 1.0 + (random() % 2 ? relative : -relative);
    }
  }

private:
  double relative;
  std::mt19937_64 random;
};

/// A later row or layer sees what an earlier one chose.
void accumulate(std::vector<double> &margins) {
  for (size_t t = 1; t < margins.size(); ++t) {
    margins[t] = std::min(margins[t], margins[t - 1]);
  }
}

/// What a mixer adds to its branch. `exactTies` is as in attentionPart.
Tensor evaluateMixer(const Weights &weights, const Mixer &mixer,
                     const Tensor &x, const Rows &rows, bool exactTies,
                     Hidden &hidden) {
  if (const auto *attention = std::get_if<Attention>(&mixer.what)) {
    return attentionPart(weights, *attention, x, rows, exactTies,
                         hidden.keepMargin, hidden.entries);
  }
  if (const auto *ssd = std::get_if<SSD>(&mixer.what)) {
    return ssdPart(weights, *ssd, x, rows);
  }
  if (const auto *mlp = std::get_if<MLP>(&mixer.what)) {
    return mlpPart(weights, *mlp, x);
  }
  return expertsPart(weights, std::get<RetrievedExperts>(mixer.what), x,
                     hidden.retrievalMargin);
}

Hidden evaluateLayers(const Weights &weights, llvm::ArrayRef<int64_t> ids) {
  const ModelDescription &model = weights.model();
  Rows rows{model, std::vector<int64_t>(ids.size())};
  std::iota(rows.positions.begin(), rows.positions.end(), 0);
  auto norm = [&](const Tensor &x, const Norm &by) {
    return rmsNorm(x, weights.load(by.weight), by.epsilon);
  };

  Hidden hidden{embed(weights, ids),
                std::vector<double>(ids.size(), unbounded),
                std::vector<double>(ids.size(), unbounded),
                {}};
  Tensor &x = hidden.x;
  Disturbance disturb(weights.rounding);
  disturb(x);
  for (const Layer &layer : model.layers) {
    // values, and so masks, of the first layer do not depend on the position
    bool exactTies = &layer == &model.layers.front();
    for (const Branch &branch : layer.branches) {
      Tensor input = norm(x, branch.norm), sum(x.shape);
      for (const Mixer &mixer : branch.mixers) {
        Tensor y =
            evaluateMixer(weights, mixer, times(input, mixer.inputFactor), rows,
                          exactTies, hidden);
        for (size_t i = 0; i < y.data.size(); ++i) {
          sum.data[i] += y.data[i] * mixer.outputFactor;
        }
      }
      disturb(sum);
      x = addResidual(weights, branch.residual, x, sum);
    }
    accumulate(hidden.keepMargin);
    accumulate(hidden.retrievalMargin);
  }
  x = norm(x, model.finalNorm);
  return hidden;
}

Tensor logitsOf(const Weights &weights, const Tensor &x) {
  const ModelDescription &model = weights.model();
  Projection tied{model.embedding, std::nullopt, model.vocabulary,
                  model.hidden};
  return times(linear(x, weights.head(model.head.value_or(tied))),
               model.logitFactor);
}

} // namespace

Tensor evaluateModel(const Checkpoint &checkpoint, llvm::ArrayRef<int64_t> ids,
                     Rounding rounding) {
  Weights weights(checkpoint, rounding);
  return logitsOf(weights, evaluateLayers(weights, ids).x);
}

ModelEvaluation evaluateModelWithMargins(const Checkpoint &checkpoint,
                                         llvm::ArrayRef<int64_t> ids,
                                         Rounding rounding) {
  Weights weights(checkpoint, rounding);
  Hidden hidden = evaluateLayers(weights, ids);
  return {logitsOf(weights, hidden.x), std::move(hidden.keepMargin),
          std::move(hidden.retrievalMargin), std::move(hidden.entries)};
}

std::vector<int64_t> greedy(const Checkpoint &checkpoint,
                            llvm::ArrayRef<int64_t> ids, int64_t count) {
  Weights weights(checkpoint, {});
  std::vector<int64_t> sequence(ids.begin(), ids.end());
  for (int64_t i = 0; i < count; ++i) {
    Tensor x = evaluateLayers(weights, sequence).x;
    Tensor last({1, x.shape[1]}, {x.data.end() - x.shape[1], x.data.end()});
    std::vector<double> logits = logitsOf(weights, last).data;
    sequence.push_back(std::max_element(logits.begin(), logits.end()) -
                       logits.begin());
  }
  return {sequence.begin() + static_cast<int64_t>(ids.size()), sequence.end()};
}

} // namespace cheems::reference
