// What a sampler may choose from without the whole row.
#ifndef CHEEMS_RUNTIME_TOPLOGITS_H
#define CHEEMS_RUNTIME_TOPLOGITS_H

#include <cstddef>
#include <cstdint>

namespace cheems {

/// The best logits of a row, the greatest first, and of equal ones the lower
/// token first (op `cheems.top_logits`).
struct TopLogits {
  const float *values;
  const int32_t *tokens;
  size_t count;
  float logSumExp; ///< of the whole row; NaN: the row has no finite sum
  size_t vocabulary;
};

} // namespace cheems

#endif
