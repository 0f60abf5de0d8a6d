// y = x W^T + b, the activations, and the MLPs made of both.
#include "cheems/Reference/Linear.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <cmath>

namespace cheems::reference {

Tensor linear(const Tensor &x, const LinearWeights &w) {
  int64_t rows = x.shape[0], in = x.shape[1], out = w.weight.shape[0];
  assert(x.rank() == 2 && w.weight.shape[1] == in);
  Tensor y({rows, out});
  for (int64_t t = 0; t < rows; ++t) {
    const double *row = x.data.data() + t * in;
    for (int64_t n = 0; n < out; ++n) {
      const double *weights = w.weight.data.data() + n * in;
      double sum = w.bias ? (*w.bias)(n) : 0.0;
      for (int64_t i = 0; i < in; ++i) {
        sum += row[i] * weights[i];
      }
      y(t, n) = sum;
    }
  }
  return y;
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
  case Activation::ReLU:
    return std::max(x, 0.0);
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
