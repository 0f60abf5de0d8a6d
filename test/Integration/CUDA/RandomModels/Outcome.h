// How far two computations of a model are apart.
#ifndef CHEEMS_TEST_INTEGRATION_CUDA_RANDOMMODELS_OUTCOME_H
#define CHEEMS_TEST_INTEGRATION_CUDA_RANDOMMODELS_OUTCOME_H

#include "cheems/Reference/Tensor.h"
#include <filesystem>
#include <vector>

namespace cheems::test {

/// The error is in deviations of what is wanted. Infinity where something is
/// not a number.
struct Outcome {
  double error; ///< root mean square of all logits
  double ofRow; ///< of those of the row that is farthest, where rows that pass
                ///< on more than the mean row count for less
  double loss;  ///< the most that a choice loses

  /// `gains` has a number for each row. Nothing was chosen. Throws
  /// std::runtime_error.
  Outcome(const reference::Tensor &got, const reference::Tensor &want,
          const std::vector<double> &gains);
  /// `chosen` is a file that the interpreter wrote of what it chose. Throws
  /// std::runtime_error.
  Outcome(const reference::Tensor &got, const reference::Tensor &want,
          const std::vector<double> &gains,
          const std::filesystem::path &chosen);
};

} // namespace cheems::test

#endif
