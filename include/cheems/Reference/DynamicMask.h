// dynamic_mask, evaluated in double.
#ifndef CHEEMS_REFERENCE_DYNAMICMASK_H
#define CHEEMS_REFERENCE_DYNAMICMASK_H

#include "cheems/Reference/Tensor.h"

namespace cheems::reference {

/// mask[m, n] = exp(A[m] * softplus(dt[n, m])) for dt [N, M] (a row per key)
/// and A [M]; the result is [M, N].
Tensor dynamicMask(const Tensor &dt, const Tensor &a);

} // namespace cheems::reference

#endif
