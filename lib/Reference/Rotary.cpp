// Rotary position embedding with halves paired (i, i + R/2).
#include "cheems/Reference/Rotary.h"
#include <cmath>

namespace cheems::reference {

double rotaryBase(const RotaryConfig &config, int64_t dim, int64_t length) {
  if (!config.dynamic || length <= config.trainedPositions) {
    return config.theta;
  }
  double stretch = config.factor * static_cast<double>(length) /
                       static_cast<double>(config.trainedPositions) -
                   (config.factor - 1.0);
  return config.theta * std::pow(stretch, static_cast<double>(dim) /
                                              static_cast<double>(dim - 2));
}

RotaryTable rotaryTable(llvm::ArrayRef<int64_t> positions, int64_t dim,
                        const RotaryConfig &config, int64_t length) {
  assert(dim % 2 == 0);
  double base = rotaryBase(config, dim, length);
  int64_t rows = static_cast<int64_t>(positions.size());
  RotaryTable table{Tensor({rows, dim / 2}), Tensor({rows, dim / 2})};
  for (int64_t t = 0; t < rows; ++t) {
    for (int64_t i = 0; i < dim / 2; ++i) {
      double exponent = 2.0 * static_cast<double>(i) / static_cast<double>(dim);
      double angle =
          static_cast<double>(positions[t]) / std::pow(base, exponent);
      table.cosine(t, i) = std::cos(angle);
      table.sine(t, i) = std::sin(angle);
    }
  }
  return table;
}

RotaryTable rotaryTable(llvm::ArrayRef<int64_t> positions,
                        const RotaryList &list) {
  int64_t rows = static_cast<int64_t>(positions.size()),
          pairs = static_cast<int64_t>(list.frequencies.size());
  RotaryTable table{Tensor({rows, pairs}), Tensor({rows, pairs})};
  for (int64_t t = 0; t < rows; ++t) {
    for (int64_t i = 0; i < pairs; ++i) {
      double angle = static_cast<double>(positions[t]) * list.frequencies[i];
      table.cosine(t, i) = std::cos(angle) * list.factor;
      table.sine(t, i) = std::sin(angle) * list.factor;
    }
  }
  return table;
}

Tensor rotary(const Tensor &x, const RotaryTable &table) {
  int64_t rows = x.shape[0], heads = x.shape[1], half = table.cosine.shape[1];
  assert(x.rank() == 3 && table.cosine.shape[0] == rows &&
         2 * half <= x.shape[2]);
  Tensor y = x;
  for (int64_t t = 0; t < rows; ++t) {
    for (int64_t h = 0; h < heads; ++h) {
      for (int64_t i = 0; i < half; ++i) {
        double a = x(t, h, i), b = x(t, h, i + half);
        double cosine = table.cosine(t, i), sine = table.sine(t, i);
        y(t, h, i) = a * cosine - b * sine;
        y(t, h, i + half) = b * cosine + a * sine;
      }
    }
  }
  return y;
}

} // namespace cheems::reference
