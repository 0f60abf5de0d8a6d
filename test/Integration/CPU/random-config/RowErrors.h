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

/// How much of an error each row passes on, if the mean row has 1. The
/// evaluator moves every number between the parts of layers a little, in
/// double.
std::vector<double> gainsOf(const Checkpoint &checkpoint,
                            llvm::ArrayRef<int64_t> ids);

/// Root mean square of what all logits would move by, in deviations, if inputs
/// of matmuls were rounded to so many binary digits and nothing bent: the
/// evaluator goes a little of the way, in double.
double straightErrorOf(const Checkpoint &checkpoint,
                       llvm::ArrayRef<int64_t> ids, int64_t digits);

} // namespace cheems::test

#endif
