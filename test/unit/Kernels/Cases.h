// Seeded inputs, how many of them, and comparison against an evaluator within a
// bound.
#ifndef CHEEMS_TEST_UNIT_KERNELS_CASES_H
#define CHEEMS_TEST_UNIT_KERNELS_CASES_H

#include "Harness.h"
#include "test/unit/Support/TestRun.h"
#include <cmath>
#include <cstdlib>
#include <random>

namespace cheems::test {

using reference::Tensor;

/// Relative error of one f32 operation.
constexpr double kUnit = 0x1p-24;
/// Absolute error where a result is too small for a full significand.
constexpr double kTiny = 0x1p-126;

/// Whether all is run: in a long run, unless AddressSanitizer slows each case
/// down.
inline bool runsAll() {
#ifdef CHEEMS_ADDRESS_SANITIZER
  return false;
#else
  return isLongRun();
#endif
}

/// Cases per op and mode: CHEEMS_TEST_SHAPES, and never fewer than this.
inline int64_t caseCount() {
  const int64_t least = runsAll() ? 208 : 40;
  const char *asked = std::getenv("CHEEMS_TEST_SHAPES");
  return std::max<int64_t>(least, asked != nullptr ? std::atoll(asked) : 0);
}

/// Compiling forms is most of the time of these tests, so only runs of all
/// compile each in every mode. Other runs compile three in seven for vectors of
/// 8 lanes, three others for those of 16, and two of all as plain loops, which
/// are the same for all sizes. Types, remainders and epilogues recur after 2,
/// 4, 5 or 16 forms, so each mode meets all of them.
inline bool compilesForm(Mode mode, size_t number) {
  size_t of = number % 7;
  bool plain = of == 1 || of == 6, narrow = of == 0 || of == 2 || of == 4,
       wide = of == 1 || of == 3 || of == 5;
  return runsAll() || (mode == Mode::Scalar   ? plain
                       : mode == Mode::Narrow ? narrow
                                              : wide);
}

template <typename Forms> auto formsOf(Mode mode, const Forms &all) {
  std::vector<std::decay_t<decltype(*std::begin(all))>> some;
  size_t number = 0;
  for (const auto &form : all) {
    if (compilesForm(mode, number++)) {
      some.push_back(form);
    }
  }
  return some;
}

class Random {
public:
  explicit Random(uint32_t seed) : engine(seed) {}

  double uniform(double low, double high) {
    return low + (high - low) * (engine() * 0x1p-32);
  }
  /// Both ends included.
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine() %
                                      static_cast<uint64_t>(high - low + 1));
  }
  bool once(int64_t in) { return between(1, in) == 1; }
  /// Values are exact in `element`.
  Tensor tensor(llvm::ArrayRef<int64_t> shape, double low, double high,
                Element element = Element::F32) {
    Tensor result(shape);
    for (double &value : result.data) {
      value = rounded(uniform(low, high), element);
    }
    return result;
  }
  /// Row counts: a single one often, else past the 32 rows of one parallel
  /// iteration now and then.
  int64_t rows(int64_t most = 70) { return once(4) ? 1 : between(2, most); }

private:
  std::mt19937 engine;
};

/// Every element of `got` is within `bound` of `want`; infinities are met
/// exactly.
inline testing::AssertionResult within(const Buffer &got, const Tensor &want,
                                       const Tensor &bound) {
  if (got.elements() != static_cast<int64_t>(want.data.size()) ||
      bound.data.size() != want.data.size()) {
    return testing::AssertionFailure() << "sizes differ";
  }
  for (size_t i = 0; i < want.data.size(); ++i) {
    double value = got.get(static_cast<int64_t>(i));
    // Written so that NaN fails.
    if (!(value == want.data[i] ||
          std::abs(value - want.data[i]) <= bound.data[i] + kTiny)) {
      return testing::AssertionFailure()
             << "element " << i << " is " << value << ", the evaluator has "
             << want.data[i] << ", bound " << bound.data[i];
    }
  }
  return testing::AssertionSuccess();
}

} // namespace cheems::test

#endif
