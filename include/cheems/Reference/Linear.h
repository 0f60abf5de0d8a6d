// Projections, activations and the two MLP forms, evaluated in double.
#ifndef CHEEMS_REFERENCE_LINEAR_H
#define CHEEMS_REFERENCE_LINEAR_H

#include "cheems/Dialect/Cheems/IR/CheemsEnums.h"
#include "cheems/Reference/Tensor.h"
#include <optional>

namespace cheems::reference {

/// W[n, k] is near scales[n, k / (K/G)] * codes[n, k].
struct QuantizedWeights {
  Tensor codes;  ///< [N, K]
  Tensor scales; ///< [N, G]
};

/// A step towards rounded numbers. Where their grid begins is drawn for each
/// column, so that there are many such roundings, and numbers near each other
/// err by nearly the same, as in one of them.
struct RoundingStep {
  double share = 0; ///< of what the rounding moves a number by; 0: none
  int64_t digits = 8;
  uint64_t pattern = 0;
};

/// x [.., columns] after the step.
Tensor stepTowardsRounded(Tensor x, const RoundingStep &step);

struct LinearWeights {
  Tensor weight;                              ///< [out, in]
  std::optional<Tensor> bias;                 ///< [out]
  bool readsBF16 = false;                     ///< matmuls read bf16(x)
  std::optional<QuantizedWeights> codes = {}; ///< in place of `weight`
  RoundingStep step = {};                     ///< of x, before all else
};

/// The nearest bf16, of two the even one; denormals become zero. An error of
/// `x` is as large as those of numbers near `scale`, x itself where that is 0;
/// of what stands together last in a tensor, near its greatest. `row` is as in
/// NearTie; a tensor's first extent counts them.
double bf16(double x, double scale = 0.0, int64_t row = -1);
Tensor bf16(const Tensor &x);

/// y = x W^T + b or bf16(x) W^T + b for x [T, in], or with quantized weights
/// quantizedLinear(x) + b; the result is [T, out].
Tensor linear(const Tensor &x, const LinearWeights &w);

/// Rows rounded to 8 bits: with m = max_k |x[t, k]|,
/// codes[t, k] = round(x[t, k] * (127 / m)), ties to even, and
/// scales[t] = m / 127, both in f32; rows with m < 2^-100 are zeros.
struct RoundedRows {
  Tensor codes;  ///< [T, K]
  Tensor scales; ///< [T]
};
RoundedRows roundedRows(const Tensor &x);

/// y[t, n] = scale of row t * sum_g scales[n, g] * (sum_{k in g} code[t, k] *
/// codes[n, k]).
Tensor quantizedLinear(const Tensor &x, const QuantizedWeights &w);

/// The same as kernels compute it: exact sums, and then f32, each operation
/// rounded. quantized_matmul has the order.
Tensor quantizedMatmul(const RoundedRows &x, const QuantizedWeights &w);

/// 4-bit integers [N, size] of bytes [N, 64 ceil(size / 128)] that hold two
/// each, in the order of quantized_matmul.
Tensor codesOfNibbles(const Tensor &bytes, int64_t size);
/// The bytes, as signed ones.
Tensor nibblesOf(const Tensor &codes);

/// log(1 + e^x), without overflow for large x.
double softplus(double x);

/// silu: x / (1 + e^-x); gelu: x (1 + erf(x/sqrt 2)) / 2; gelu_tanh:
/// x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2; relu: max(x, 0); relu2:
/// max(x, 0)^2.
double activate(double x, Activation activation);

struct MLPWeights {
  std::optional<LinearWeights> gate; ///< absent: the plain form
  LinearWeights up, down;
};

/// down(act(gate(x)) * up(x)), or without a gate down(act(up(x))); x and the
/// result are [T, D].
Tensor mlp(const Tensor &x, const MLPWeights &w, Activation activation);

} // namespace cheems::reference

#endif
