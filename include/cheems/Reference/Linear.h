// Projections, activations and the two MLP forms, evaluated in double.
#ifndef CHEEMS_REFERENCE_LINEAR_H
#define CHEEMS_REFERENCE_LINEAR_H

#include "cheems/Import/ModelConfig.h"
#include "cheems/Reference/Tensor.h"
#include <optional>

namespace cheems::reference {

struct LinearWeights {
  Tensor weight;              ///< [out, in]
  std::optional<Tensor> bias; ///< [out]
};

/// y = x W^T + b for x [T, in]; the result is [T, out].
Tensor linear(const Tensor &x, const LinearWeights &w);

/// log(1 + e^x), without overflow for large x.
double softplus(double x);

/// silu: x / (1 + e^-x); gelu: x (1 + erf(x/sqrt 2)) / 2; relu: max(x, 0).
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
