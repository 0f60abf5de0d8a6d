// ssd and ssd_chunk, evaluated in double.
#ifndef CHEEMS_REFERENCE_SSD_H
#define CHEEMS_REFERENCE_SSD_H

#include "cheems/Reference/Tensor.h"
#include <optional>

namespace cheems::reference {

/// Operands of one sequence: x [T, H, P], step [T, H] (positive), a [H], b and
/// c [T, G, N], skip [H]. Head h reads group h / (H/G).
struct SSDInputs {
  Tensor x, step, a, b, c;
  std::optional<Tensor> skip;
};
struct SSDResult {
  Tensor y;     ///< [T, H, P]
  Tensor state; ///< [H, N, P] after the last row
};

/// The recurrence, row by row: state <- exp(a step) state + step b (x) x, y = c
/// state + skip x. `state` [H, N, P] is that before the first row.
SSDResult ssd(const SSDInputs &inputs, Tensor state);

/// The same as matmuls (the dual form), over all rows at once.
/// With `roundsFactors` the factors of matmuls are bf16, unless there is one
/// row: b, c, c decayed to its row, x, weights of x (a row's own with the skip
/// in it), decayed x, and the state that c reads.
SSDResult ssdChunk(const SSDInputs &inputs, Tensor state,
                   bool roundsFactors = false);

} // namespace cheems::reference

#endif
