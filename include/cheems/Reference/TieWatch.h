// Roundings that could as well have gone the other way: where a compiled model
// computes in f32 what is evaluated in double, a number near the middle of two
// becomes the one or the other.
#ifndef CHEEMS_REFERENCE_TIEWATCH_H
#define CHEEMS_REFERENCE_TIEWATCH_H

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace cheems::reference {

struct NearTie {
  int64_t index;   ///< of the rounding, in the order in which they are made
  int64_t row;     ///< of the sequence; -1: of several
  double distance; ///< from the middle, as a share of what the number's error
                   ///< is measured by
};

/// Numbers the roundings that this thread makes while it lives, lists those
/// near a tie, and lets some go the other way. Evaluations of equally many rows
/// make the same roundings in the same order. One lives at a time.
///
/// A number of a row that is rounded again, as the input of a second matmul,
/// goes the way it went first, and is listed once: compiled code has it once.
class TieWatch {
public:
  /// Lists what lies within `reach` of a tie; `others` are the indices, in any
  /// order, of those that go the other way.
  explicit TieWatch(double reach, std::vector<int64_t> others = {});
  ~TieWatch();
  TieWatch(const TieWatch &) = delete;
  TieWatch &operator=(const TieWatch &) = delete;

  const std::vector<NearTie> &nearTies() const { return ties; }

private:
  friend double nearest(double x, double scale, int64_t row);
  using Number = std::pair<int64_t, double>; // its row, and itself
  double reach;
  std::vector<int64_t> others;
  std::vector<NearTie> ties;
  std::set<Number> listed, flipped;
  int64_t made = 0;
};

/// The nearest integer, of two the even one. Errors of `x` are as large as
/// those of numbers near `scale`, above 0. `row` is as in NearTie.
double nearest(double x, double scale, int64_t row = -1);

} // namespace cheems::reference

#endif
