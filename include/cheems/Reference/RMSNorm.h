// rms_norm, evaluated in double.
#ifndef CHEEMS_REFERENCE_RMSNORM_H
#define CHEEMS_REFERENCE_RMSNORM_H

#include "cheems/Reference/Tensor.h"

namespace cheems::reference {

/// y[..., d] = x[..., d] / sqrt(mean over d of x^2 + epsilon) * weight[d], for
/// x [..., D] and weight [D].
Tensor rmsNorm(const Tensor &x, const Tensor &weight, double epsilon);

} // namespace cheems::reference

#endif
