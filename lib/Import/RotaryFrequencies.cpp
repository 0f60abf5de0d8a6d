// Scaled frequencies of rotary embedding.
#include "lib/Import/RotaryFrequencies.h"
#include <algorithm>
#include <cmath>

namespace cheems {
namespace {

constexpr double twoPi = 6.283185307179586;

/// For each frequency what `scaled(i, frequency)` makes of it.
template <typename Scaled>
std::vector<double> scaleEach(double theta, int64_t size, Scaled scaled) {
  std::vector<double> frequencies;
  for (int64_t i = 0; i < size / 2; ++i) {
    double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(size);
    frequencies.push_back(scaled(i, std::pow(theta, exponent)));
  }
  return frequencies;
}

/// Mixes a frequency, whose share is `keep`, with the stretched one.
double mix(double frequency, double factor, double keep) {
  return frequency * keep + frequency / factor * (1.0 - keep);
}

} // namespace

RotaryList linearFrequencies(double theta, int64_t size, double factor) {
  return {
      scaleEach(theta, size,
                [&](int64_t, double frequency) { return frequency / factor; }),
      1.0};
}

RotaryList llama3Frequencies(double theta, int64_t size,
                             const Llama3Scaling &scaling) {
  return {scaleEach(theta, size,
                    [&](int64_t, double frequency) {
                      double turns = scaling.trained * frequency / twoPi;
                      double keep = std::clamp((turns - scaling.low) /
                                                   (scaling.high - scaling.low),
                                               0.0, 1.0);
                      return mix(frequency, scaling.factor, keep);
                    }),
          1.0};
}

RotaryList yarnFrequencies(double theta, int64_t size,
                           const YarnScaling &scaling) {
  // where a frequency turns so often over the trained length
  auto place = [&](double turns) {
    return static_cast<double>(size) *
           std::log(scaling.trained / (turns * twoPi)) /
           (2.0 * std::log(theta));
  };
  double low = place(scaling.fast), high = place(scaling.slow);
  if (scaling.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, static_cast<double>(size - 1));
  RotaryList list;
  if (low > high) {
    return list;
  }
  double width = low == high ? 0.001 : high - low; // a step where they meet
  list.frequencies = scaleEach(theta, size, [&](int64_t i, double frequency) {
    double ramp = std::clamp((static_cast<double>(i) - low) / width, 0.0, 1.0);
    return mix(frequency, scaling.factor, 1.0 - ramp);
  });
  auto magnitude = [&](double scale) {
    return scaling.factor <= 1.0 ? 1.0
                                 : 0.1 * scale * std::log(scaling.factor) + 1.0;
  };
  if (scaling.attentionFactor) {
    list.factor = *scaling.attentionFactor;
  } else if (scaling.mscale != 0.0 && scaling.mscaleAllDim != 0.0) {
    list.factor = magnitude(scaling.mscale) / magnitude(scaling.mscaleAllDim);
  } else {
    list.factor = magnitude(1.0);
  }
  return list;
}

} // namespace cheems
