#include "RoundingBound.h"
#include <algorithm>
#include <cmath>

namespace cheems::test {
namespace {

/// Hardly one of a hundred thousand normal numbers is as far as six deviations.
constexpr double kDeviations = 6.0;
/// A row may pass errors on more than the mean row, such as one of which a norm
/// divides by little.
constexpr double kRow = 4.0;

/// Mean square of roundings that know nothing of each other: each is uniform
/// between -u and u, or less.
double independent(const std::vector<double> &units) {
  double square = 0.0;
  for (double unit : units) {
    square += unit * unit / 3.0;
  }
  return square;
}

/// Mean square of the difference of two numbers after both were rounded, of
/// which it was `square` before: a step of 2u lies between them with a chance
/// of the difference over 2u.
double together(double square, const std::vector<double> &units) {
  for (double unit : units) {
    square += std::min(2.0 * unit * std::sqrt(square), unit * unit);
  }
  return square;
}

/// Returns the error that a part makes of an input with that mean square.
double roundedBy(const RoundedPart &part, double square) {
  return static_cast<double>(part.factors) *
             (square + independent(part.before)) +
         independent(part.after);
}

double compiledBy(const RoundedPart &part, double square) {
  double sums = kUnitF32 * kUnitF32 * static_cast<double>(part.length);
  square = together(square + sums, part.before);
  square = static_cast<double>(part.factors) * square + sums +
           independent(part.compiled);
  return together(square, part.after);
}

} // namespace

double rowBound(double bound) { return kRow * bound; }

double choiceBound(double bound) {
  // Either of two that are compared may err, and be a sum of two.
  return 2.0 * kDeviations * bound;
}

double unitOfQuantized(int64_t most, int64_t length) {
  // The greatest of so many normal numbers is a code of `most`.
  double greatest = std::sqrt(2.0 * std::log(static_cast<double>(length)));
  return greatest / (2.0 * static_cast<double>(most));
}

double sumBound(double unit, int64_t length) {
  return kDeviations * unit * std::sqrt(static_cast<double>(length));
}

RoundingBounds roundingBounds(const std::vector<RoundedPart> &parts,
                              const RoundedPart &head) {
  double rounded = 0.0, compiled = 0.0, terms = 0.0;
  for (const RoundedPart &part : parts) {
    terms += 1.0; // of the residual
    rounded += (roundedBy(part, rounded) - rounded) / terms;
    compiled += (compiledBy(part, compiled) - compiled) / terms;
  }
  return {std::sqrt(roundedBy(head, rounded)),
          std::sqrt(compiledBy(head, compiled))};
}

} // namespace cheems::test
