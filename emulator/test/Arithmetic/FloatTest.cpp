//===- FloatTest.cpp - f32 and f64 from the ISA's text --------------------===//
#include "LaneRun.h"
#include "Numbers.h"

#include <xmmintrin.h>

using namespace cheems::emulator::test;

namespace {

std::vector<Row> singles(int operands, int count = 3000) {
  auto list = specialSingles();
  if (operands == 3) {
    list.resize(18);
  }
  return combine(std::vector(operands, list), count, randomSingle);
}
std::vector<Row> reals(int operands) {
  auto list = specialReals();
  if (operands == 3) {
    list.resize(11);
  }
  return combine(std::vector(operands, list), 3000, randomReal);
}

/// The exact value of an operation on f32s.
using Operation = std::function<Precise(const std::vector<double> &)>;

/// With all rounding modes, .ftz and .sat of an instruction of f32.
/// PTX ISA, "Floating-Point Instructions": ".ftz ... flushing subnormal inputs
/// and results to sign-preserving zero", "saturation of results to the range
/// [0.0, 1.0], with NaNs being flushed to positive zero".
void expectSingle(const std::string &opcode, int operands, bool saturates,
                  const Operation &operation) {
  const char *lists[] = {"", " %d, %a;", " %d, %a, %b;", " %d, %a, %b, %c;"};
  auto rows = singles(operands);
  for (auto [name, mode] : modes) {
    for (bool flushes : {false, true}) {
      for (bool clamps : {false, true}) {
        if (clamps && !saturates) {
          continue;
        }
        Form form = {opcode + "." + name + (flushes ? ".ftz" : "") +
                         (clamps ? ".sat" : "") + ".f32" + lists[operands],
                     32, std::vector(operands, 32)};
        expectEach(form, rows, [&, mode = mode](const Row &row) {
          std::vector<double> values;
          for (uint64_t bits : row) {
            float value = single(bits);
            values.push_back(flushes ? flushed(value) : value);
          }
          Precise precise = operation(values);
          float result = roundSingle(precise, mode);
          // x - x is -0 if it is rounded down.
          if (precise.high == 0 && precise.low == 0 && mode == Mode::down &&
              opcode != "mul" && opcode != "div" && opcode != "sqrt" &&
              opcode != "rcp") {
            double a = opcode == "fma" || opcode == "mad"
                           ? values[0] * values[1]
                           : values[0];
            double b = opcode == "sub" ? -values.back() : values.back();
            result = std::signbit(a) != std::signbit(b) ? -0.0f : result;
          }
          result = flushes ? flushed(result) : result;
          if (clamps) {
            result = result > 0 ? std::min(result, 1.0f) : 0.0f;
          }
          return std::isnan(result) ? 0x7fffffff : bitsOf(result);
        });
      }
    }
  }
}

/// quotient + the sign of what is missing
Precise quotient(double a, double b) {
  double q = a / b;
  if (!std::isfinite(q) || q == 0 || std::isinf(b)) {
    return {q, 0};
  }
  double rest = std::fma(-q, b, a);
  return {q, (rest > 0) == (b > 0) || rest == 0 ? std::fabs(rest)
                                                : -std::fabs(rest)};
}
Precise root(double a) {
  double r = std::sqrt(a);
  return {r, std::isfinite(r) ? std::fma(-r, r, a) : 0};
}

} // namespace

// PTX ISA, "Floating Point Instructions: add", "sub" and "mul"
TEST(FloatArithmetic, addSubAndMulOfSingles) {
  expectSingle("add", 2, true,
               [](auto &v) { return Precise::sum(v[0], v[1]); });
  expectSingle("sub", 2, true,
               [](auto &v) { return Precise::sum(v[0], -v[1]); });
  expectSingle("mul", 2, true, [](auto &v) { return Precise{v[0] * v[1], 0}; });
}

// PTX ISA, "Floating Point Instructions: fma" and "mad": "to infinite precision
// and then adds c to this product, again in infinite precision"
TEST(FloatArithmetic, fmaOfSingles) {
  for (const char *opcode : {"fma", "mad"}) {
    expectSingle(opcode, 3, true,
                 [](auto &v) { return Precise::sum(v[0] * v[1], v[2]); });
  }
}

// PTX ISA, "Floating Point Instructions: div", "rcp" and "sqrt", with rounding
TEST(FloatArithmetic, exactDivisionsOfSingles) {
  expectSingle("div", 2, false, [](auto &v) { return quotient(v[0], v[1]); });
  expectSingle("rcp", 1, false, [](auto &v) { return quotient(1, v[0]); });
  expectSingle("sqrt", 1, false, [](auto &v) { return root(v[0]); });
}

// No modifier rounds to nearest even.
TEST(FloatArithmetic, defaultRounding) {
  expectEach({"add.f32 %d, %a, %b;", 32, {32, 32}}, singles(2),
             [](const Row &row) {
               float sum = single(row[0]) + single(row[1]);
               return std::isnan(sum) ? 0x7fffffff : bitsOf(sum);
             });
  expectEach({"mul.ftz.f32 %d, %a, %b;", 32, {32, 32}}, singles(2),
             [](const Row &row) {
               float product =
                   flushed(flushed(single(row[0])) * flushed(single(row[1])));
               return std::isnan(product) ? 0x7fffffff : bitsOf(product);
             });
}

// PTX ISA, "Floating-Point Instructions": subnormal numbers are supported by
// default, whatever the program has made of its own thread.
TEST(FloatArithmetic, doesNotDependOnTheHostsMode) {
  Form form = {"add.f32 %d, %a, %b;", 32, {32, 32}};
  std::vector<Row> rows = {{1, 1}, {0x3f800000, 0x33800001}};
  unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0xe040); // flushes both ways, rounds towards zero
  auto results = runRows(form, rows);
  unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(after & 0xffc0, (before | 0xe040) & 0xffc0);
  for (auto &set : results) {
    EXPECT_EQ(set[0].d, 2u);
    EXPECT_EQ(set[1].d, 0x3f800001u);
  }
}

namespace {

/// NaNs of operands are passed on; which of two is our choice: the first.
uint64_t realResult(const Row &row, double value) {
  for (uint64_t bits : row) {
    if (std::isnan(real(bits))) {
      return bits | 0x0008000000000000;
    }
  }
  return std::isnan(value) ? 0xfff8000000000000 : bitsOf(value);
}

double directed(double nearest, double error, Mode mode) {
  if (error == 0 || std::isnan(error) || std::isinf(nearest)) {
    return nearest;
  }
  bool below = error > 0; // nearest is below the exact value
  bool up = mode == Mode::up || (mode == Mode::zero && std::signbit(nearest));
  if (mode == Mode::nearest || below != up) {
    return nearest;
  }
  return std::nextafter(nearest, up ? HUGE_VAL : -HUGE_VAL);
}

} // namespace

// PTX ISA, "Floating Point Instructions: add": the error of a sum is a f64, so
// the other modes are known from it.
TEST(FloatArithmetic, addOfReals) {
  for (auto [name, mode] : modes) {
    expectEach({std::string("add.") + name + ".f64 %d, %a, %b;", 64, {64, 64}},
               reals(2), [mode = mode](const Row &row) {
                 double a = real(row[0]), b = real(row[1]), sum = a + b;
                 if (std::isfinite(a) && std::isfinite(b)) {
                   if (std::isinf(sum)) {
                     bool inwards = mode == Mode::zero ||
                                    mode == (sum > 0 ? Mode::down : Mode::up);
                     sum = inwards ? std::copysign(0x1.fffffffffffffp1023, sum)
                                   : sum;
                   } else if (sum == 0 && mode == Mode::down &&
                              std::signbit(a) != std::signbit(b)) {
                     sum = -0.0;
                   } else {
                     sum = directed(sum, Precise::sum(a, b).low, mode);
                   }
                 }
                 return realResult(row, sum);
               });
  }
  expectEach({"sub.f64 %d, %a, %b;", 64, {64, 64}}, reals(2),
             [](const Row &row) {
               return realResult(row, real(row[0]) - real(row[1]));
             });
}

// PTX ISA, "Floating Point Instructions: mul", "fma", "div", "rcp" and "sqrt"
TEST(FloatArithmetic, otherOperationsOfReals) {
  struct Case {
    const char *opcode;
    int operands;
    std::function<double(const Row &)> nearest;
    std::function<double(const Row &, double)> error;
  };
  auto safe = [](double value) {
    return std::isfinite(value) && std::fabs(value) > 1e-280;
  };
  const Case cases[] = {
      {"mul", 2, [](const Row &r) { return real(r[0]) * real(r[1]); },
       [](const Row &r, double v) {
         return std::fma(real(r[0]), real(r[1]), -v);
       }},
      {"div", 2, [](const Row &r) { return real(r[0]) / real(r[1]); },
       [](const Row &r, double v) {
         double rest = std::fma(-v, real(r[1]), real(r[0]));
         return real(r[1]) < 0 ? -rest : rest;
       }},
      {"rcp", 1, [](const Row &r) { return 1 / real(r[0]); },
       [](const Row &r, double v) {
         double rest = std::fma(-v, real(r[0]), 1);
         return real(r[0]) < 0 ? -rest : rest;
       }},
      {"sqrt", 1, [](const Row &r) { return std::sqrt(real(r[0])); },
       [](const Row &r, double v) { return std::fma(-v, v, real(r[0])); }},
  };
  for (const Case &each : cases) {
    auto all = reals(each.operands);
    std::string operands = each.operands == 1 ? " %d, %a;" : " %d, %a, %b;";
    for (auto [name, mode] : modes) {
      std::vector<Row> rows;
      for (const Row &row : all) {
        // What underflows or overflows has no error that is a f64.
        bool exactError = safe(each.nearest(row)) && safe(real(row[0])) &&
                          safe(real(row.back())) &&
                          std::fabs(each.nearest(row)) < 1e300;
        if (mode == Mode::nearest || exactError) {
          rows.push_back(row);
        }
      }
      expectEach({std::string(each.opcode) + "." + name + ".f64" + operands, 64,
                  std::vector(each.operands, 64)},
                 rows, [&, mode = mode](const Row &row) {
                   double value = each.nearest(row);
                   return realResult(
                       row,
                       mode == Mode::nearest
                           ? value
                           : directed(value, each.error(row, value), mode));
                 });
    }
  }
  for (const char *opcode : {"fma", "mad"}) {
    expectEach(
        {std::string(opcode) + ".rn.f64 %d, %a, %b, %c;", 64, {64, 64, 64}},
        reals(3), [](const Row &row) {
          return realResult(row,
                            std::fma(real(row[0]), real(row[1]), real(row[2])));
        });
  }
}

// The results of fma in the modes are neighbours around the nearest.
TEST(FloatArithmetic, fmaOfRealsInAllModes) {
  std::vector<std::vector<Outcome>> byMode;
  auto rows = reals(3);
  for (auto [name, mode] : modes) {
    auto sets = runRows(
        {std::string("fma.") + name + ".f64 %d, %a, %b, %c;", 64, {64, 64, 64}},
        rows);
    for (auto &set : sets) {
      EXPECT_EQ(set, sets.front());
    }
    byMode.push_back(sets.front());
  }
  int inexact = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    double nearest = real(byMode[0][i].d), zero = real(byMode[1][i].d),
           down = real(byMode[2][i].d), up = real(byMode[3][i].d);
    if (std::isnan(nearest)) {
      EXPECT_TRUE(std::isnan(zero) && std::isnan(down) && std::isnan(up));
      continue;
    }
    if (down == up) {
      EXPECT_TRUE(nearest == down && zero == down) << i;
      continue;
    }
    ++inexact;
    EXPECT_EQ(std::nextafter(down, HUGE_VAL), up) << i;
    EXPECT_TRUE(nearest == down || nearest == up) << i;
    EXPECT_EQ(zero, down >= 0 ? down : up) << i;
  }
  EXPECT_GT(inexact, 1000);
}

// PTX ISA, "Floating Point Instructions: abs" and "neg"
TEST(FloatArithmetic, absAndNeg) {
  for (bool flushes : {false, true}) {
    std::string ftz = flushes ? ".ftz" : "";
    for (bool negates : {false, true}) {
      std::string opcode = negates ? "neg" : "abs";
      expectEach({opcode + ftz + ".f32 %d, %a;", 32, {32}}, singles(1),
                 [&](const Row &row) {
                   float value = single(row[0]);
                   value = flushes ? flushed(value) : value;
                   return std::isnan(value)
                              ? 0x7fffffff
                              : bitsOf(negates ? -value : std::fabs(value));
                 });
    }
  }
  // "For abs.f64, NaN input is passed through unchanged."
  expectEach({"abs.f64 %d, %a;", 64, {64}}, reals(1), [](const Row &row) {
    return std::isnan(real(row[0])) ? row[0] : row[0] & ~0ull >> 1;
  });
  expectEach({"neg.f64 %d, %a;", 64, {64}}, reals(1),
             [](const Row &row) { return row[0] ^ 1ull << 63; });
}

// PTX ISA, "Floating Point Instructions: copysign": "Copy sign bit of a into
// value of b"
TEST(FloatArithmetic, copysign) {
  expectEach({"copysign.f32 %d, %a, %b;", 32, {32, 32}}, singles(2),
             [](const Row &row) {
               return (row[0] & 0x80000000) | (row[1] & 0x7fffffff);
             });
  expectEach({"copysign.f64 %d, %a, %b;", 64, {64, 64}}, reals(2),
             [](const Row &row) {
               return (row[0] & 1ull << 63) | (row[1] & ~0ull >> 1);
             });
}

// PTX ISA, "Floating Point Instructions: testp": "positive and negative zero
// are considered normal numbers"
TEST(FloatArithmetic, testp) {
  struct Property {
    const char *name;
    std::function<bool(int)> holds; ///< of std::fpclassify
  };
  const Property properties[] = {
      {"finite", [](int c) { return c != FP_INFINITE && c != FP_NAN; }},
      {"infinite", [](int c) { return c == FP_INFINITE; }},
      {"number", [](int c) { return c != FP_NAN; }},
      {"notanumber", [](int c) { return c == FP_NAN; }},
      {"normal", [](int c) { return c == FP_NORMAL || c == FP_ZERO; }},
      {"subnormal", [](int c) { return c == FP_SUBNORMAL; }},
  };
  for (const Property &property : properties) {
    std::string opcode = std::string("testp.") + property.name;
    expectEach({opcode + ".f32 %d, %a;", 1, {32}}, singles(1),
               [&](const Row &row) {
                 return property.holds(std::fpclassify(single(row[0])));
               });
    expectEach({opcode + ".f64 %d, %a;", 1, {64}}, reals(1),
               [&](const Row &row) {
                 return property.holds(std::fpclassify(real(row[0])));
               });
  }
}

namespace {

/// PTX ISA, "Floating Point Instructions: min": its pseudocode. "note: -0.0 <
/// +0.0 here"
template <typename T> T extremum(T x, T y, bool greatest, bool nan) {
  if ((std::isnan(x) && std::isnan(y)) ||
      (nan && (std::isnan(x) || std::isnan(y)))) {
    return std::isnan(x) ? x : y;
  }
  if (std::isnan(x)) {
    return y;
  }
  if (std::isnan(y)) {
    return x;
  }
  if (x == 0 && y == 0) {
    return std::signbit(x) == greatest ? y : x;
  }
  return (x < y) != greatest ? x : y;
}

} // namespace

// PTX ISA, "Floating Point Instructions: min" and "max"
TEST(FloatArithmetic, minAndMax) {
  for (bool greatest : {false, true}) {
    std::string opcode = greatest ? "max" : "min";
    for (int choice = 0; choice < 8; ++choice) {
      bool flushes = choice & 1, nan = choice & 2, xors = choice & 4;
      expectEach({opcode + (flushes ? ".ftz" : "") + (nan ? ".NaN" : "") +
                      (xors ? ".xorsign.abs" : "") + ".f32 %d, %a, %b;",
                  32,
                  {32, 32}},
                 singles(2), [&](const Row &row) {
                   float a = single(row[0]), b = single(row[1]);
                   if (flushes) {
                     a = flushed(a);
                     b = flushed(b);
                   }
                   bool sign = std::signbit(a) != std::signbit(b);
                   if (xors) {
                     a = std::fabs(a);
                     b = std::fabs(b);
                   }
                   float d = extremum(a, b, greatest, nan);
                   if (std::isnan(d)) {
                     return uint64_t(0x7fffffff);
                   }
                   return bitsOf(xors ? std::copysign(d, sign ? -1.0f : 1.0f)
                                      : d);
                 });
    }
    expectEach(
        {opcode + ".f64 %d, %a, %b;", 64, {64, 64}}, reals(2),
        [&](const Row &row) {
          double d = extremum(real(row[0]), real(row[1]), greatest, false);
          return std::isnan(d) ? bitsOf(d) | 0x0008000000000000 : bitsOf(d);
        });
  }
}
