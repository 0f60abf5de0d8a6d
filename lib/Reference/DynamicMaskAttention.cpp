// Dense softmax attention under a dynamic mask, one query and head at a time.
#include "cheems/Reference/DynamicMaskAttention.h"
#include "cheems/Reference/KeepThreshold.h"
#include "cheems/Reference/Linear.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace cheems::reference {

/// Exponentials of the scores and their sum, all divided by a power of two;
/// hidden keys have the score -inf. All hidden: all zero, and the sum one.
static std::pair<std::vector<double>, double>
softmax(const std::vector<double> &scores) {
  std::vector<double> exponentials(scores.size(), 0.0);
  double highest = *std::max_element(scores.begin(), scores.end());
  if (highest == -std::numeric_limits<double>::infinity()) {
    return {exponentials, 1.0};
  }
  double origin = std::round(highest / std::log(2.0)) * std::log(2.0);
  double sum = 0.0;
  for (size_t n = 0; n < scores.size(); ++n) {
    exponentials[n] = std::exp(scores[n] - origin);
    sum += exponentials[n];
  }
  return {exponentials, sum};
}

Tensor dynamicMaskAttention(const Tensor &q, const Tensor &k, const Tensor &v,
                            const Tensor &mask,
                            llvm::ArrayRef<int64_t> queryPositions,
                            llvm::ArrayRef<int64_t> keyPositions,
                            const MaskOptions &options) {
  int64_t queries = q.shape[0], heads = q.shape[1], dim = q.shape[2];
  int64_t keys = k.shape[0], valueDim = v.shape[2];
  assert(heads % k.shape[1] == 0 && heads % mask.shape[0] == 0);
  assert(v.shape[0] == keys && mask.shape[1] == keys);
  int64_t headsPerKey = heads / k.shape[1],
          headsPerMask = heads / mask.shape[0];
  Tensor y({queries, heads, valueDim});
  if (keys == 0) {
    return y;
  }

  const Tensor &rank = options.ranks ? *options.ranks : mask;
  std::optional<KeepThreshold> kept;
  if (options.kind == MaskKind::Bias && options.window) {
    kept = keepThreshold(rank, keyPositions, queryPositions, *options.window);
  }
  for (int64_t h = 0; h < heads; ++h) {
    int64_t g = h / headsPerKey, m = h / headsPerMask;
    for (int64_t t = 0; t < queries; ++t) {
      std::vector<double> scores(keys,
                                 -std::numeric_limits<double>::infinity());
      for (int64_t n = 0; n < keys; ++n) {
        bool visible = keyPositions[n] <= queryPositions[t] &&
                       (!options.age ||
                        queryPositions[t] - keyPositions[n] < *options.age);
        if (kept) {
          visible = visible && kept->keeps(m, t, rank(m, n), keyPositions[n]);
        }
        if (options.kind == MaskKind::Threshold) {
          visible = visible && rank(m, n) >= options.threshold;
        }
        if (!visible) {
          continue;
        }
        double dot = 0.0;
        for (int64_t p = 0; p < dim; ++p) {
          dot += q(t, h, p) * k(n, g, p);
        }
        scores[n] = options.scale ? dot * *options.scale
                                  : dot / std::sqrt(static_cast<double>(dim));
        if (options.kind == MaskKind::Bias) {
          scores[n] += mask(m, n);
        }
      }
      auto [weights, sum] = softmax(scores);
      for (int64_t n = 0; n < keys; ++n) {
        double weight = weights[n];
        if (options.kind == MaskKind::Scale) {
          weight *= mask(m, n);
        }
        if (options.valueScales) {
          weight *= (*options.valueScales)(n, g);
        }
        weight = (options.roundsWeights ? bf16(weight, 0.0, t) : weight) / sum;
        for (int64_t p = 0; p < valueDim; ++p) {
          y(t, h, p) += weight * v(n, g, p);
        }
      }
    }
  }
  return y;
}

} // namespace cheems::reference
