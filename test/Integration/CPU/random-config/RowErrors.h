// How far the rows of two computations are apart, and how much of an error each
// row of a model passes on.
#ifndef CHEEMS_TEST_INTEGRATION_CPU_RANDOMCONFIG_ROWERRORS_H
#define CHEEMS_TEST_INTEGRATION_CPU_RANDOMCONFIG_ROWERRORS_H

#include "cheems/Import/Checkpoint.h"
#include "cheems/Reference/Tensor.h"
#include <vector>

namespace cheems::test {

/// Standard deviation of all numbers.
double deviationOf(const reference::Tensor &numbers);

double meanOf(const std::vector<double> &numbers);

/// Mean square of the difference of each row, in deviations of `want`; infinity
/// where something is not a number. Throws std::runtime_error.
std::vector<double> squaresOfRows(const reference::Tensor &got,
                                  const reference::Tensor &want);

/// How much of an error a model passes on. The evaluator moves every number
/// between the parts of layers a little, in double.
struct Gains {
  std::vector<double> rows; ///< of each, if the mean row has 1
  /// Root mean square of what all logits move by, in deviations, if numbers
  /// between parts move by 1 of themselves.
  double all = 0;
};
Gains gainsOf(const Checkpoint &checkpoint, llvm::ArrayRef<int64_t> ids);

} // namespace cheems::test

#endif
