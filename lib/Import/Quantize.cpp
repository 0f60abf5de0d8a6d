// Quantizes rows of weights, with scales.
#include "cheems/Import/Quantize.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cassert>

// The same bits whatever machine the compiler was built for.
#pragma STDC FP_CONTRACT OFF

namespace cheems {
namespace {
constexpr int64_t kTogether = 16;
/// Number i of it sums numbers i, i + 16, ... of a row. So the order is the
/// same in registers of any width.
using Numbers = float __attribute__((vector_size(kTogether * sizeof(float))));

constexpr float kLeastMagnitude = 0x1p-100F;
constexpr uint32_t kInfinity = 0x7f800000;

uint32_t magnitudeBits(float value) {
  return llvm::bit_cast<uint32_t>(value) & 0x7fffffff;
}

/// Bits of the greatest magnitude: they are ordered as the numbers are, with
/// infinities and NaN on top.
uint32_t greatest(llvm::ArrayRef<float> row) {
  uint32_t most = 0;
  for (float value : row) {
    most = std::max(most, magnitudeBits(value));
  }
  return most;
}

/// Ties to even, for |value| < 2^22, without an instruction that not every
/// machine has.
template <typename Number> Number nearest(Number value) {
  constexpr float kUnit = 0x1.8p23F; // its last place is 1
  return (value + kUnit) - kUnit;
}

template <typename Number> Number codeOf(Number scaled, float low, float high) {
  return nearest(__builtin_elementwise_min(
      __builtin_elementwise_max(scaled, Number{} + low), Number{} + high));
}

/// The nearest bf16, of two the even one.
float brain(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  return llvm::bit_cast<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000);
}

void round(llvm::ArrayRef<float> row, float scale, float low, float high,
           llvm::MutableArrayRef<int8_t> codes) {
  float inverse = scale == 0 ? 0 : 1 / scale;
  for (size_t k = 0; k < row.size(); ++k) {
    codes[k] = static_cast<int8_t>(codeOf(row[k] * inverse, low, high));
  }
}

constexpr float kLow = -8, kHigh = 7;

Numbers numbersOf(const float *from) {
  Numbers values;
  __builtin_memcpy(&values, from, sizeof values);
  return values;
}

float sum(Numbers numbers) {
  float total = 0;
  for (int64_t i = 0; i < kTogether; ++i) {
    total += numbers[i];
  }
  return total;
}

/// Sum of squares of what a scale errs by.
float errorOf(llvm::ArrayRef<float> group, float scale) {
  float inverse = 1 / scale;
  Numbers squares{};
  for (size_t k = 0; k < group.size(); k += kTogether) {
    Numbers values = numbersOf(&group[k]);
    Numbers rest = values - codeOf(values * inverse, kLow, kHigh) * scale;
    squares += rest * rest;
  }
  return sum(squares);
}

/// What minimises the error of the quantized values that `scale` gives.
float leastSquares(llvm::ArrayRef<float> group, float scale) {
  float inverse = 1 / scale;
  Numbers products{}, squares{};
  for (size_t k = 0; k < group.size(); k += kTogether) {
    Numbers values = numbersOf(&group[k]);
    Numbers codes = codeOf(values * inverse, kLow, kHigh);
    products += values * codes;
    squares += codes * codes;
  }
  return sum(products) / sum(squares);
}

/// A scale is of the sign that takes the greatest magnitude to the negative
/// quantized values, which reach further.
float scaleOf(llvm::ArrayRef<float> group, float most) {
  if (most < kLeastMagnitude) {
    return 0;
  }
  float extreme = llvm::is_contained(group, -most) ? -most : most;
  float best = 0, least = 0;
  auto consider = [&](float candidate) {
    float scale = brain(candidate);
    if (magnitudeBits(scale) == 0) {
      return;
    }
    float error = errorOf(group, scale);
    if (best == 0 || error < least) {
      best = scale;
      least = error;
    }
  };
  // From where the extreme is a code to where it is clamped for the others'
  // sake.
  constexpr int kFirst = 28, kLast = 36; // quarters of a code
  for (int quarters = kFirst; quarters <= kLast; ++quarters) {
    consider(-extreme / (static_cast<float>(quarters) / 4));
  }
  consider(leastSquares(group, best));
  return best;
}
} // namespace

std::optional<QuantizedFormat> matmulFormat(int64_t bits, int64_t columns) {
  constexpr int64_t kMost = 65536; // of which sums of products fit 32 bits
  if (bits == 0 || columns % 4 != 0 || columns > kMost) {
    return std::nullopt;
  }
  for (int64_t group : {64, 32}) {
    if (bits == 4 && columns % group == 0) {
      return QuantizedFormat{4, group};
    }
  }
  return QuantizedFormat{8, 0};
}

std::optional<QuantizedFormat> headFormat(int64_t bits, int64_t columns) {
  return matmulFormat(bits == 0 ? 0 : 8, columns);
}

std::optional<QuantizedFormat> tableFormat(int64_t bits) {
  return bits == 0 ? std::nullopt : std::optional(QuantizedFormat{8, 0});
}

bool quantizeRow(llvm::ArrayRef<float> row, QuantizedFormat format,
                 llvm::MutableArrayRef<int8_t> codes,
                 llvm::MutableArrayRef<float> scales) {
  uint32_t bits = greatest(row);
  if (bits >= kInfinity) {
    return false;
  }
  if (format.bits == 8) {
    // Rows that stand beside others are told by their length.
    assert(format.group == 0 ||
           format.group == static_cast<int64_t>(row.size()));
    float most = llvm::bit_cast<float>(bits);
    scales[0] = most < kLeastMagnitude ? 0 : most / 127;
    round(row, scales[0], -127, 127, codes);
    return true;
  }
  assert(format.bits == 4 && format.group % kTogether == 0);
  for (size_t g = 0; g < scales.size(); ++g) {
    llvm::ArrayRef<float> group = row.slice(g * format.group, format.group);
    scales[g] = scaleOf(group, llvm::bit_cast<float>(greatest(group)));
    round(group, scales[g], kLow, kHigh,
          codes.slice(g * format.group, format.group));
  }
  return true;
}

} // namespace cheems
