// How far roundings may move the results of a model or of an operation: from
// the unit roundoff of each type, how many roundings follow each other, and
// the depth of the model. docs/developing.md has the derivation ("Bounds"), and
// test/Integration/rounding_bound.py the same formulas.
#ifndef CHEEMS_TEST_UNIT_SUPPORT_ROUNDINGBOUND_H
#define CHEEMS_TEST_UNIT_SUPPORT_ROUNDINGBOUND_H

#include <cstdint>
#include <vector>

namespace cheems::test {

/// A rounding to the nearest errs by at most this share of the number.
constexpr double kUnitF32 = 0x1p-24, kUnitF16 = 0x1p-11, kUnitBF16 = 0x1p-8;

/// The same of quantized values from -most to most, in the mean of rows of
/// `length` numbers that share a scale.
double unitOfQuantized(int64_t most, int64_t length);

/// What numbers of the deviation 1 may err by after `length` roundings of a
/// type each, such as those of a sum with as many terms.
double sumBound(double unit, int64_t length);

/// What a model adds to its residual: the units of roundings on the way.
struct RoundedPart {
  std::vector<double> before;   ///< of the input, before any matmul
  std::vector<double> after;    ///< of what was computed with it
  std::vector<double> compiled; ///< those that compiled code alone makes
  int64_t factors = 1; ///< of the part's matmul, each of which has the error
                       ///< of the input
  int64_t length = 1;  ///< of the longest sum
};

/// Root mean squares, in deviations of the logits.
struct RoundingBounds {
  double rounded;  ///< of what is rounded against what is not
  double compiled; ///< of compiled code against what rounds the same numbers
};

/// `parts` are in order, two per layer; `head` makes logits.
RoundingBounds roundingBounds(const std::vector<RoundedPart> &parts,
                              const RoundedPart &head);

/// The same of the logits of one row: some pass errors on more than others.
double rowBound(double bound);

/// What a choice may lose, in deviations of scores or masks, where numbers err
/// by the bound in the mean square.
double choiceBound(double bound);

} // namespace cheems::test

#endif
