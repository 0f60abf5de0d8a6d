// Matmuls with panels, and their epilogues.
#include "cheems/Reference/PackedLinear.h"

namespace cheems::reference {

Tensor unpacked(const Tensor &panels, int64_t columns) {
  int64_t height = panels.shape[2], pair = panels.shape[3];
  Tensor w({columns, panels.shape[1] * pair});
  for (int64_t n = 0; n < columns; ++n) {
    for (int64_t k = 0; k < w.shape[1]; ++k) {
      w(n, k) = panels(n / height, k / pair, n % height, k % pair);
    }
  }
  return w;
}

QuantizedWeights unpacked(const Tensor &panels, const Tensor &scales,
                          int64_t columns, int64_t size, int64_t bits) {
  int64_t height = panels.shape[2], groups = scales.shape[1];
  QuantizedWeights w{Tensor({columns, size}), Tensor({columns, groups})};
  for (int64_t n = 0; n < columns; ++n) {
    for (int64_t k = 0; k < size; ++k) {
      auto at = [&](int64_t pair) {
        return static_cast<int>(
            panels(n / height, k / pair, n % height, k % 4));
      };
      w.codes(n, k) =
          bits == 8 ? at(4) - 128 : (at(8) >> (k % 8 / 4 * 4) & 15) - 8;
    }
    for (int64_t g = 0; g < groups; ++g) {
      w.scales(n, g) = scales(n / height, g, n % height);
    }
  }
  return w;
}

/// y[t, n] = epilogue(sums[0][t, n], ..., with[0][t, n] or with[0][n], ...)
static Tensor withEpilogue(llvm::ArrayRef<Tensor> sums,
                           llvm::ArrayRef<Tensor> with, int64_t columns,
                           Epilogue epilogue) {
  Tensor y({sums[0].shape[0], columns});
  for (int64_t t = 0; t < y.shape[0]; ++t) {
    for (int64_t n = 0; n < columns; ++n) {
      std::vector<double> own, others;
      for (const Tensor &sum : sums) {
        own.push_back(sum(t, n));
      }
      for (const Tensor &operand : with) {
        others.push_back(operand.rank() == 1 ? operand(n) : operand(t, n));
      }
      y(t, n) = epilogue(own, others);
    }
  }
  return y;
}

Tensor linear(const Tensor &x, llvm::ArrayRef<Tensor> panels,
              llvm::ArrayRef<Tensor> with, int64_t columns, Epilogue epilogue) {
  std::vector<Tensor> sums;
  for (const Tensor &weight : panels) {
    sums.push_back(linear(x, {unpacked(weight, columns), std::nullopt}));
  }
  return withEpilogue(sums, with, columns, epilogue);
}

Tensor linear(const Tensor &x, llvm::ArrayRef<QuantizedWeights> weights,
              llvm::ArrayRef<Tensor> with, int64_t columns, Epilogue epilogue) {
  std::vector<Tensor> sums;
  for (const QuantizedWeights &weight : weights) {
    sums.push_back(quantizedLinear(x, weight));
  }
  return withEpilogue(sums, with, columns, epilogue);
}

} // namespace cheems::reference
