// What a layer does to each token by itself: an MLP, and retrieved experts.
#include "ModelLayers.h"
#include "cheems/Reference/Experts.h"
#include <algorithm>
#include <cmath>

namespace cheems::reference {

/// Scores [T, 2, H, K] of both halves' keys.
static Tensor halfScores(const Weights &weights,
                         const RetrievedExperts &tensors, const Tensor &x) {
  int64_t count = x.shape[0], keyCount = tensors.keyCount;
  if (tensors.router) {
    return linear(x, weights.exact(*tensors.router))
        .reshaped({count, 2, 1, keyCount});
  }
  int64_t heads = tensors.heads, size = tensors.keySize;
  Tensor queries = linear(x, weights.exact(tensors.queries))
                       .reshaped({count, 2, heads, size});
  if (weights.rounding.products && size % 2 == 0) {
    queries = bf16(queries); // as inputs of matmuls
  }
  Tensor keys = weights.load(tensors.keys); // [heads, K, 2, n]
  Tensor scores({count, 2, heads, keyCount});
  for (int64_t t = 0; t < count; ++t) {
    for (int64_t half = 0; half < 2; ++half) {
      for (int64_t h = 0; h < heads; ++h) {
        for (int64_t i = 0; i < keyCount; ++i) {
          for (int64_t n = 0; n < size; ++n) {
            scores(t, half, h, i) +=
                queries(t, half, h, n) * keys(h, i, half, n);
          }
        }
      }
    }
  }
  return scores;
}

static double rootMeanSquare(const Tensor &x) {
  double squares = 0.0;
  for (double value : x.data) {
    squares += value * value;
  }
  return std::sqrt(squares / static_cast<double>(x.data.size()));
}

Tensor mlpPart(const Weights &weights, const MLP &tensors, const Tensor &x) {
  MLPWeights ofMLP{std::nullopt, weights.load(tensors.up),
                   weights.load(tensors.down)};
  if (tensors.gate) {
    ofMLP.gate = weights.load(*tensors.gate);
  }
  return mlp(x, ofMLP, tensors.activation);
}

Tensor expertsPart(const Weights &weights, const RetrievedExperts &experts,
                   const Tensor &x, std::vector<double> &margins) {
  Tensor scores = halfScores(weights, experts, x);
  std::vector<double> least = retrievalMargins(scores, experts.perHead);
  // scores that are all zero tie whatever is rounded: their margin stays zero
  double unit = std::max(rootMeanSquare(scores), 0x1p-1000);
  for (size_t t = 0; t < least.size(); ++t) {
    margins[t] = std::min(margins[t], least[t] / unit);
  }
  Retrieval retrieval = retrieveExperts(scores, experts.perHead);
  Tensor down = weights.load(experts.down), up = weights.load(experts.up);
  std::optional<QuantizedFormat> format =
      tableFormat(weights.rounding.weightBits);
  return format ? mixExperts(x, retrieval, quantized(down, *format),
                             quantized(up, *format), experts.placement,
                             experts.activation)
                : mixExperts(x, retrieval, down, up, experts.placement,
                             experts.activation);
}

} // namespace cheems::reference
