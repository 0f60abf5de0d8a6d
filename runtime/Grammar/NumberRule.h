// Bounds of numbers, exactly as a schema's text has them.
#ifndef CHEEMS_RUNTIME_GRAMMAR_NUMBERRULE_H
#define CHEEMS_RUNTIME_GRAMMAR_NUMBERRULE_H

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cheems::grammar {

__extension__ using Wide = __int128;

/// `exponent` is at most 38; below 0 it counts as 0.
Wide powerOfTen(int exponent);

/// `digits` / 10^`scale`. What is beyond 10^20 is infinite.
struct Decimal {
  Wide digits = 0;
  int scale = 0;
  bool infinite = false; ///< with the sign of `digits`

  explicit Decimal(const nlohmann::ordered_json &number);
  /// Times 10^places, rounded down.
  Wide floorAt(int places) const;
  /// Whether it has no more places.
  bool fits(int places) const;
};

/// What a number may be: all of this holds.
struct NumberRule {
  struct Bound {
    Decimal at;
    bool exclusive;
  };
  bool whole = false;
  std::vector<Bound> lows, highs;
  std::vector<Decimal> multiples; ///< of each of these; all are positive
  std::vector<Decimal> except;    ///< whole numbers only

  bool any() const {
    return lows.empty() && highs.empty() && multiples.empty();
  }
  /// The outermost numbers times 10^places that the bounds leave. None: there
  /// is no bound.
  std::optional<Wide> lowAt(int places) const;
  std::optional<Wide> highAt(int places) const;
  /// All multiples are those of `step` / 10^`places`.
  struct Step {
    int64_t step = 1;
    int places = 0;
    /// A double holds each multiple exactly, so all programs agree which
    /// numbers are some.
    bool exact = true;
  };
  /// None: the step is too large.
  std::optional<Step> step() const;
};

/// Prints without zeros at the end of a fraction.
std::string printDecimal(Wide digits, int places);

} // namespace cheems::grammar

#endif
