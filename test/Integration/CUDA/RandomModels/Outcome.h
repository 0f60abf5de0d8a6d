// How far two computations of a model are apart.
#ifndef CHEEMS_TEST_INTEGRATION_CUDA_RANDOMMODELS_OUTCOME_H
#define CHEEMS_TEST_INTEGRATION_CUDA_RANDOMMODELS_OUTCOME_H

#include "cheems/Reference/Tensor.h"
#include <filesystem>

namespace cheems::test {

/// In deviations of what is wanted. Infinity where something is not a number.
struct Outcome {
  double error; ///< root mean square of all logits
  double ofRow; ///< of those of the row that is farthest
  double loss;  ///< the most that a choice loses

  /// `chosen` is a file that the interpreter wrote of what it chose. Throws
  /// std::runtime_error.
  Outcome(const reference::Tensor &got, const reference::Tensor &want,
          const std::filesystem::path &chosen);
};

} // namespace cheems::test

#endif
