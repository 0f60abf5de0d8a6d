// y = o(attention(rotary(norm(q(x))), rotary(norm(k(x))), v(x))) under the
// mask exp(A * softplus(dt(v(x)))).
#include "ModelLayers.h"
#include "cheems/Reference/DynamicMask.h"
#include "cheems/Reference/DynamicMaskAttention.h"
#include "cheems/Reference/KeepThreshold.h"
#include "cheems/Reference/QuantizeEntries.h"
#include "cheems/Reference/RMSNorm.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace cheems::reference {

/// Mask values [M, T]. At threshold 1.0 the sign of A decides, because softplus
/// is positive. The exponential is not asked there: for a tiny product it is
/// 1.0 in double.
static Tensor masks(const ModelConfig &config, const Tensor &step,
                    const Tensor &a, bool bySign) {
  Tensor mask = dynamicMask(step, a);
  for (int64_t m = 0; bySign && m < mask.shape[0]; ++m) {
    for (int64_t n = 0; n < mask.shape[1]; ++n) {
      mask(m, n) = a(m) >= 0.0 ? config.maskThreshold : 0.0;
    }
  }
  return mask;
}

/// Returns by how much the masks of a key and all before it miss the threshold:
/// other keys would be hidden.
static std::vector<double> hideMargins(const Tensor &mask, double threshold) {
  std::vector<double> margins;
  for (int64_t n = 0; n < mask.shape[1]; ++n) {
    margins.push_back(n > 0 ? margins.back()
                            : std::numeric_limits<double>::infinity());
    for (int64_t m = 0; m < mask.shape[0]; ++m) {
      margins[n] = std::min(margins[n], std::abs(mask(m, n) - threshold));
    }
  }
  return margins;
}

Tensor attentionPart(const Weights &weights, const AttentionTensors &tensors,
                     const Tensor &x, const Rows &rows, bool exactTies,
                     std::vector<double> &margins,
                     std::vector<Tensor> &entries) {
  const ModelConfig &config = weights.config();
  int64_t count = x.shape[0];
  auto project = [&](const LinearWeights &projection, int64_t heads,
                     const std::optional<std::string> &norm) {
    Tensor y = linear(x, projection).reshaped({count, heads, config.headDim});
    return norm ? rmsNorm(y, weights.load(*norm), config.normEpsilon) : y;
  };
  Tensor q =
      project(weights.load(tensors.query), config.heads, tensors.queryNorm);
  Tensor k =
      project(weights.load(tensors.key), config.keyValueHeads, tensors.keyNorm);
  Tensor v = project(config.masksChoose(tensors) ? weights.exact(tensors.value)
                                                 : weights.load(tensors.value),
                     config.keyValueHeads, std::nullopt);

  MaskOptions options{config.maskKind, config.keepWindow, config.maskThreshold,
                      weights.rounding.attention};
  bool hides = options.kind == MaskKind::Threshold;
  bool bySign = hides && options.threshold == 1.0;
  Tensor flat = v.reshaped({count, config.keyValueHeads * config.headDim});
  Tensor mask = masks(config, linear(flat, weights.exact(tensors.maskStep)),
                      weights.load(tensors.maskA), bySign);
  std::vector<double> least;
  if (hides && !bySign) {
    least = hideMargins(mask, options.threshold);
  } else if (!hides && options.window && *options.window < count) {
    least = keepMargins(mask, rows.positions, rows.positions, *options.window,
                        exactTies);
  }
  for (size_t t = 0; t < least.size(); ++t) {
    margins[t] = std::min(margins[t], least[t]);
  }

  q = rotary(q, rows.head);
  k = rotary(k, rows.head);
  if (weights.rounding.attention) {
    q = bf16(q);
  }
  if (weights.rounding.int8) {
    k = quantizeEntries(k).values();
    QuantizedEntries values = quantizeEntries(v);
    entries.insert(entries.end(), {k, values.values()});
    v = values.codes;
    options.valueScales = values.scales;
  } else {
    if (weights.rounding.state) {
      k = bf16(k);
      v = bf16(v);
    }
    entries.insert(entries.end(), {k, v});
  }
  Tensor y = dynamicMaskAttention(q, k, v, mask, rows.positions, rows.positions,
                                  options);
  return linear(y.reshaped({count, config.heads * config.headDim}),
                weights.load(tensors.output));
}

} // namespace cheems::reference
