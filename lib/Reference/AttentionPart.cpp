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
static Tensor masks(double threshold, const Tensor &step, const Tensor &a,
                    bool bySign) {
  Tensor mask = dynamicMask(step, a);
  for (int64_t m = 0; bySign && m < mask.shape[0]; ++m) {
    for (int64_t n = 0; n < mask.shape[1]; ++n) {
      mask(m, n) = a(m) >= 0.0 ? threshold : 0.0;
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

/// The mask of every key, and what it does. Attention without masks is that of
/// kind bias with zeros.
static std::pair<Tensor, MaskOptions>
maskOf(const Weights &weights, const Attention &attention, const Tensor &v,
       const Rows &rows, bool exactTies, std::vector<double> &margins) {
  int64_t count = v.shape[0];
  MaskOptions options;
  options.roundsWeights = weights.rounding.attention;
  options.scale = attention.scale;
  options.age = attention.window;
  if (!attention.mask) {
    return {Tensor({1, count}), options};
  }
  const DynamicMask &dynamic = *attention.mask;
  options.kind = dynamic.kind;
  options.window = dynamic.keep;
  options.threshold = dynamic.threshold;
  bool hides = options.kind == MaskKind::Threshold;
  bool bySign = hides && options.threshold == 1.0;
  Tensor flat =
      v.reshaped({count, attention.keyValueHeads * attention.headSize});
  Tensor mask =
      masks(options.threshold, linear(flat, weights.exact(dynamic.step)),
            weights.load(dynamic.a), bySign);
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
  return {std::move(mask), options};
}

Tensor attentionPart(const Weights &weights, const Attention &attention,
                     const Tensor &x, const Rows &rows, bool exactTies,
                     std::vector<double> &margins,
                     std::vector<Tensor> &entries) {
  int64_t count = x.shape[0];
  auto project = [&](const LinearWeights &projection, int64_t heads,
                     const std::optional<Norm> &norm) {
    Tensor y =
        linear(x, projection).reshaped({count, heads, attention.headSize});
    return norm ? rmsNorm(y, weights.load(norm->weight), norm->epsilon) : y;
  };
  Tensor q = project(weights.load(attention.query), attention.heads,
                     attention.queryNorm);
  Tensor k = project(weights.load(attention.key), attention.keyValueHeads,
                     attention.keyNorm);
  Tensor v = project(attention.masksChoose() ? weights.exact(attention.value)
                                             : weights.load(attention.value),
                     attention.keyValueHeads, std::nullopt);
  auto [mask, options] =
      maskOf(weights, attention, v, rows, exactTies, margins);

  if (attention.rotary) {
    RotaryTable table = rows.table(*attention.rotary);
    q = rotary(q, table);
    k = rotary(k, table);
  }
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
  return linear(y.reshaped({count, attention.heads * attention.headSize}),
                weights.load(attention.output));
}

} // namespace cheems::reference
