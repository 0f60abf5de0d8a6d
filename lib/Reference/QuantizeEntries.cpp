// Quantized keys and values, by the operations that define them.
#include "cheems/Reference/QuantizeEntries.h"
#include "cheems/Reference/TieWatch.h"
#include <algorithm>
#include <cmath>

namespace cheems::reference {

Tensor QuantizedEntries::values() const {
  Tensor result = codes;
  size_t size = static_cast<size_t>(codes.shape.back());
  for (size_t i = 0; i < result.data.size(); ++i) {
    result.data[i] *= scales.data[i / size];
  }
  return result;
}

QuantizedEntries quantizeEntries(const Tensor &x) {
  QuantizedEntries result{Tensor(x.shape),
                          Tensor(llvm::ArrayRef<int64_t>(x.shape).drop_back())};
  size_t size = static_cast<size_t>(x.shape.back());
  for (size_t row = 0; row < result.scales.data.size(); ++row) {
    const double *from = &x.data[row * size];
    float largest = 0;
    for (size_t p = 0; p < size; ++p) {
      largest = std::max(largest, std::abs(static_cast<float>(from[p])));
    }
    if (largest < 0x1p-100F) {
      continue; // zeros
    }
    result.scales.data[row] = largest / 127.0F;
    float factor = 127.0F / largest;
    for (size_t p = 0; p < size; ++p) {
      float code = static_cast<float>(from[p]) * factor;
      result.codes.data[row * size + p] = nearest(
          code, 127.0,
          static_cast<int64_t>(row * x.shape[0] / result.scales.data.size()));
    }
  }
  return result;
}

} // namespace cheems::reference
