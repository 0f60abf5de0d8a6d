// y = x W^T + b, the activations, and the MLPs made of both.
#include "cheems/Reference/Linear.h"
#include "cheems/Reference/TieWatch.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <cmath>
#include <random>

namespace cheems::reference {

double bf16(double x, double scale, int64_t row) {
  constexpr int digits = 8;
  if (std::abs(x) < 0x1p-126) {
    return nearest(0.0, 1.0, row); // numbered as all are
  }
  int exponent = 0;
  double digitsOfX = std::ldexp(std::frexp(x, &exponent), digits);
  double digitsOfScale = std::ldexp(scale, digits - exponent);
  return std::ldexp(nearest(digitsOfX,
                            scale > 0.0 ? digitsOfScale : std::abs(digitsOfX),
                            row),
                    exponent - digits);
}

Tensor bf16(const Tensor &x) {
  Tensor rounded(x.shape);
  size_t size = static_cast<size_t>(x.shape.back());
  for (size_t from = 0; from < x.data.size(); from += size) {
    double greatest = 0.0;
    for (size_t i = from; i < from + size; ++i) {
      greatest = std::max(greatest, std::abs(x.data[i]));
    }
    auto row = static_cast<int64_t>(from * x.shape[0] / x.data.size());
    for (size_t i = from; i < from + size; ++i) {
      rounded.data[i] = bf16(x.data[i], greatest, row);
    }
  }
  return rounded;
}

Tensor stepTowardsRounded(Tensor x, const RoundingStep &step) {
  std::mt19937_64 random(step.pattern + 1);
  std::vector<double> begins(x.shape.back());
  for (double &begin : begins) {
    begin = std::uniform_real_distribution<double>()(random);
  }
  for (size_t i = 0; i < x.data.size(); ++i) {
    if (x.data[i] == 0.0) {
      continue; // which no rounding moves
    }
    int exponent = 0;
    double digits = std::ldexp(std::frexp(x.data[i], &exponent),
                               static_cast<int>(step.digits)),
           begin = begins[i % begins.size()],
           moved = std::nearbyint(digits + begin) - begin - digits;
    x.data[i] += std::ldexp(step.share * moved,
                            exponent - static_cast<int>(step.digits));
  }
  return x;
}

Tensor linear(const Tensor &x, const LinearWeights &w) {
  if (w.step.share != 0.0) {
    return linear(stepTowardsRounded(x, w.step),
                  {w.weight, w.bias, w.readsBF16, w.codes});
  }
  if (w.codes) {
    Tensor y = quantizedLinear(x, *w.codes);
    for (size_t i = 0; w.bias && i < y.data.size(); ++i) {
      y.data[i] += w.bias->data[i % w.bias->data.size()];
    }
    return y;
  }
  if (w.readsBF16) {
    return linear(bf16(x), {w.weight, w.bias});
  }
  int64_t rows = x.shape[0], in = x.shape[1], out = w.weight.shape[0];
  assert(x.rank() == 2 && w.weight.shape[1] == in);
  Tensor y({rows, out});
  constexpr int64_t sums = 4; // at once, which do not wait for each other
  for (int64_t t = 0; t < rows; t += sums) {
    const double *row[sums];
    for (int64_t j = 0; j < sums; ++j) {
      row[j] = x.data.data() + std::min(t + j, rows - 1) * in;
    }
    for (int64_t n = 0; n < out; ++n) {
      const double *weights = w.weight.data.data() + n * in;
      double sum[sums];
      std::fill_n(sum, sums, w.bias ? (*w.bias)(n) : 0.0);
      for (int64_t i = 0; i < in; ++i) {
        for (int64_t j = 0; j < sums; ++j) {
          sum[j] += row[j][i] * weights[i];
        }
      }
      for (int64_t j = 0; j < std::min(sums, rows - t); ++j) {
        y(t + j, n) = sum[j];
      }
    }
  }
  return y;
}

RoundedRows roundedRows(const Tensor &x) {
  int64_t rows = x.shape[0], size = x.shape[1];
  RoundedRows rounded{Tensor({rows, size}), Tensor({rows})};
  for (int64_t t = 0; t < rows; ++t) {
    float most = 0;
    for (int64_t k = 0; k < size; ++k) {
      most = std::max(most, std::abs(static_cast<float>(x(t, k))));
    }
    if (most < 0x1p-100F) {
      continue;
    }
    rounded.scales(t) = most / 127.0F;
    float inverse = 127.0F / most;
    for (int64_t k = 0; k < size; ++k) {
      rounded.codes(t, k) =
          nearest(static_cast<float>(x(t, k)) * inverse, 127.0, t);
    }
  }
  return rounded;
}

Tensor quantizedLinear(const Tensor &x, const QuantizedWeights &w) {
  int64_t rows = x.shape[0], size = x.shape[1], columns = w.codes.shape[0],
          groups = w.scales.shape[1], group = size / groups;
  RoundedRows rounded = roundedRows(x);
  Tensor y({rows, columns});
  for (int64_t t = 0; t < rows; ++t) {
    for (int64_t n = 0; n < columns; ++n) {
      double total = 0.0;
      for (int64_t g = 0; g < groups; ++g) {
        double sum = 0.0;
        for (int64_t k = g * group; k < (g + 1) * group; ++k) {
          sum += rounded.codes(t, k) * w.codes(n, k);
        }
        total += w.scales(n, g) * sum;
      }
      y(t, n) = rounded.scales(t) * total;
    }
  }
  return y;
}

Tensor quantizedMatmul(const RoundedRows &x, const QuantizedWeights &w) {
  int64_t rows = x.codes.shape[0], size = x.codes.shape[1],
          columns = w.codes.shape[0], groups = w.scales.shape[1],
          group = size / groups;
  Tensor y({rows, columns});
  for (int64_t t = 0; t < rows; ++t) {
    for (int64_t n = 0; n < columns; ++n) {
      float total = 0;
      for (int64_t g = 0; g < groups; ++g) {
        double sum = 0.0;
        for (int64_t k = g * group; k < (g + 1) * group; ++k) {
          sum += x.codes(t, k) * w.codes(n, k);
        }
        total = std::fma(static_cast<float>(sum),
                         static_cast<float>(w.scales(n, g)), total);
      }
      y(t, n) = static_cast<float>(x.scales(t)) * total;
    }
  }
  return y;
}

namespace {
/// Says where the integer of a column is: its byte of a row, and whether it is
/// the high half.
struct Half {
  int64_t byte;
  bool high;
  explicit Half(int64_t k)
      : byte(k / 128 * 64 + k / 4 % 4 * 16 + k / 32 % 4 * 4 + k % 4),
        high(k / 16 % 2 == 1) {}
};
} // namespace

Tensor codesOfNibbles(const Tensor &bytes, int64_t size) {
  Tensor codes({bytes.shape[0], size});
  for (int64_t n = 0; n < codes.shape[0]; ++n) {
    for (int64_t k = 0; k < size; ++k) {
      Half half(k);
      auto byte = static_cast<int64_t>(bytes(n, half.byte)) & 255;
      int64_t code = half.high ? byte >> 4 : byte & 15;
      codes(n, k) = static_cast<double>(code < 8 ? code : code - 16);
    }
  }
  return codes;
}

Tensor nibblesOf(const Tensor &codes) {
  Tensor bytes({codes.shape[0], (codes.shape[1] + 127) / 128 * 64});
  for (int64_t n = 0; n < codes.shape[0]; ++n) {
    for (int64_t k = 0; k < codes.shape[1]; ++k) {
      Half half(k);
      double &byte = bytes(n, half.byte);
      auto code = static_cast<int64_t>(codes(n, k)) & 15;
      auto bits = static_cast<int64_t>(byte) | (half.high ? code << 4 : code);
      byte = static_cast<double>(bits);
    }
  }
  for (double &byte : bytes.data) {
    byte -= byte < 128 ? 0 : 256;
  }
  return bytes;
}

double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

double activate(double x, Activation activation) {
  switch (activation) {
  case Activation::SiLU:
    return x / (1.0 + std::exp(-x));
  case Activation::GELU:
    return 0.5 * x * (1.0 + std::erf(x / std::sqrt(2.0)));
  case Activation::GELUTanh:
    return 0.5 * x *
           (1.0 +
            std::tanh(std::sqrt(2.0 / M_PI) * (x + 0.044715 * x * x * x)));
  case Activation::ReLU:
    return std::max(x, 0.0);
  case Activation::ReLU2:
    return std::max(x, 0.0) * std::max(x, 0.0);
  }
  llvm_unreachable("every activation is handled above");
}

Tensor mlp(const Tensor &x, const MLPWeights &w, Activation activation) {
  Tensor inner = linear(x, w.up);
  if (w.gate) {
    Tensor gate = linear(x, *w.gate);
    for (size_t i = 0; i < inner.data.size(); ++i) {
      inner.data[i] *= activate(gate.data[i], activation);
    }
  } else {
    for (double &value : inner.data) {
      value = activate(value, activation);
    }
  }
  return linear(inner, w.down);
}

} // namespace cheems::reference
