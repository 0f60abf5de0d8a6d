// top_logits, evaluated in double.
#ifndef CHEEMS_REFERENCE_TOPLOGITS_H
#define CHEEMS_REFERENCE_TOPLOGITS_H

#include "cheems/Reference/Tensor.h"

namespace cheems::reference {

/// Holds the `count` greatest of each row of logits [R, V], the greatest first,
/// and of equal ones the lower column first.
struct TopLogits {
  Tensor values, tokens; ///< [R, K]
  Tensor logSumExp;      ///< [R]
};
TopLogits topLogits(const Tensor &logits, int64_t count);

} // namespace cheems::reference

#endif
