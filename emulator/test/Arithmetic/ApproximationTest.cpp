//===- ApproximationTest.cpp - Errors of approximations -------------------===//
#include "LaneRun.h"
#include "Numbers.h"

using namespace cheems::emulator::test;

namespace {

std::vector<Row> singles() {
  return combine({specialSingles()}, 20000, randomSingle);
}
Form formOf(const std::string &opcode) {
  return {opcode + " %d, %a;", 32, {32}};
}

bool isCanonical(uint64_t bits) { return bits == 0x7fffffff; }

/// Zero, infinite and NaN results must be those; others obey `isNear`.
bool agrees(double exact, uint64_t bits, bool flushes,
            const std::function<bool(double, double)> &isNear) {
  if (std::isnan(exact)) {
    return isCanonical(bits);
  }
  float expected = float(exact), got = single(bits);
  if (flushes) {
    expected = flushed(expected);
  }
  if (std::isinf(expected) || expected == 0) {
    return bits == bitsOf(expected) ||
           (std::isinf(expected) && std::fabs(exact) < 0x1p128 &&
            std::fabs(got) == 0x1.fffffep127f);
  }
  return isNear(exact, got);
}

auto relative(double bound) {
  return [bound](double exact, double got) {
    return std::fabs(got - exact) <=
           std::max(bound * std::fabs(exact), 0x1p-149);
  };
}
auto absolute(double bound) {
  return [bound](double exact, double got) {
    return std::fabs(got - exact) <= bound;
  };
}

} // namespace

// PTX ISA, "Floating Point Instructions: ex2": "The maximum ulp error is 2"
TEST(Approximations, ex2) {
  auto rows = singles();
  for (int i = -160; i <= 140; ++i) {
    rows.push_back({bitsOf(float(i))});
    rows.push_back({bitsOf(float(i) + 0.4999f)});
  }
  for (bool flushes : {false, true}) {
    checkEach(formOf(flushes ? "ex2.approx.ftz.f32" : "ex2.approx.f32"), rows,
              [&](const Row &row, uint64_t got) {
                float x = single(row[0]);
                return agrees(std::exp2(double(flushes ? flushed(x) : x)), got,
                              flushes, relative(0x1p-22));
              });
  }
  // Powers of two are exact.
  expectEach(formOf("ex2.approx.f32"), {{bitsOf(3.0f)}, {bitsOf(-140.0f)}},
             [](const Row &row) { return bitsOf(std::exp2f(single(row[0]))); });
}

// PTX ISA, "Floating Point Instructions: lg2": an absolute error of 2^-22 in
// (0.5, 2), a relative one elsewhere
TEST(Approximations, lg2) {
  for (bool flushes : {false, true}) {
    checkEach(formOf(flushes ? "lg2.approx.ftz.f32" : "lg2.approx.f32"),
              singles(), [&](const Row &row, uint64_t got) {
                float x = single(row[0]);
                x = flushes ? flushed(x) : x;
                bool isNearOne = x > 0.5 && x < 2;
                return agrees(std::log2(double(x)), got, flushes,
                              isNearOne ? std::function<bool(double, double)>(
                                              absolute(0x1p-22))
                                        : relative(0x1p-22));
              });
  }
}

// PTX ISA, "Floating Point Instructions: rcp", "sqrt" and "rsqrt"
TEST(Approximations, reciprocalsAndRoots) {
  for (bool flushes : {false, true}) {
    std::string suffix = flushes ? ".approx.ftz.f32" : ".approx.f32";
    auto operand = [&](const Row &row) {
      float x = single(row[0]);
      return double(flushes ? flushed(x) : x);
    };
    checkEach(
        formOf("rcp" + suffix), singles(), [&](const Row &row, uint64_t got) {
          return agrees(1 / operand(row), got, flushes, relative(0x1p-23));
        });
    checkEach(formOf("sqrt" + suffix), singles(),
              [&](const Row &row, uint64_t got) {
                return agrees(std::sqrt(operand(row)), got, flushes,
                              relative(0x1p-23));
              });
    checkEach(formOf("rsqrt" + suffix), singles(),
              [&](const Row &row, uint64_t got) {
                return agrees(1 / std::sqrt(operand(row)), got, flushes,
                              relative(std::exp2(-22.9)));
              });
  }
}

// PTX ISA, "Floating Point Instructions: div": 2 ulp, and what .approx does
// with great divisors
TEST(Approximations, division) {
  auto rows =
      combine({specialSingles(), specialSingles()}, 10000, randomSingle);
  for (int i = 0; i < 64; ++i) {
    rows.push_back({bitsOf(float(i) - 30), 0x7e800000u + 0x40000u * i});
  }
  for (std::string mode : {"full", "approx"}) {
    checkEach(
        {"div." + mode + ".f32 %d, %a, %b;", 32, {32, 32}}, rows,
        [&](const Row &row, uint64_t got) {
          double a = single(row[0]), b = single(row[1]);
          if (mode == "approx" && std::fabs(b) > 0x1p126 && std::isfinite(b)) {
            return std::isfinite(a) ? got == ((row[0] ^ row[1]) & 0x80000000)
                                    : isCanonical(got);
          }
          return agrees(a / b, got, false, relative(0x1p-22));
        });
  }
}

// PTX ISA, "Floating Point Instructions: sin" and "cos": 2^-20.5 in
// [-2pi, 2pi], 2^-14.7 in [-100pi, 100pi]; ours is exact beyond that, too.
TEST(Approximations, sinAndCos) {
  auto rows = combine({specialSingles()}, 20000, [](std::mt19937_64 &engine) {
    float range = engine() % 2 ? 6.4f : 320.0f;
    return bitsOf(std::uniform_real_distribution<float>(-range, range)(engine));
  });
  for (uint64_t bits : {0x49000000u, 0x49000001u, 0x4b7fffffu, 0xcb000001u,
                        0x5f123456u, 0x7e812345u, 0x72345678u, 0xfe123457u}) {
    rows.push_back({bits});
  }
  for (bool isSine : {true, false}) {
    checkEach(formOf(isSine ? "sin.approx.f32" : "cos.approx.f32"), rows,
              [&](const Row &row, uint64_t got) {
                double x = single(row[0]);
                double exact = isSine ? std::sin(x) : std::cos(x);
                return agrees(exact, got, false, absolute(0x1p-23));
              });
  }
  // "-0.0 | -0.0" of sin, "-0.0 | +1.0" of cos
  expectEach(formOf("sin.approx.f32"), {{0x80000000}, {0}},
             [](const Row &row) { return row[0]; });
  expectEach(formOf("cos.approx.ftz.f32"), {{0x80000000}, {0}, {0x80000001}},
             [](const Row &) { return 0x3f800000; });
}

// PTX ISA, "Floating Point Instructions: tanh": a relative error of 2^-11;
// "subnormal inputs gets passed through to the output"
TEST(Approximations, tanh) {
  checkEach(
      formOf("tanh.approx.f32"), singles(), [](const Row &row, uint64_t got) {
        float x = single(row[0]);
        if (std::fpclassify(x) == FP_SUBNORMAL) {
          return got == row[0];
        }
        return agrees(std::tanh(double(x)), got, false, relative(0x1p-20));
      });
}

// PTX ISA, "Floating Point Instructions: rcp.approx.ftz.f64" and
// "rsqrt.approx.ftz.f64": their tables, and 20 bits of the fraction
TEST(Approximations, grossReciprocalsOfReals) {
  auto rows = combine({specialReals()}, 5000, randomReal);
  for (bool isRoot : {false, true}) {
    checkEach(
        {isRoot ? "rsqrt.approx.ftz.f64 %d, %a;" : "rcp.approx.ftz.f64 %d, %a;",
         64,
         {64}},
        rows, [&](const Row &row, uint64_t got) {
          double a = real(row[0] & 0xffffffff00000000);
          bool small = std::fabs(a) < 0x1p-1022;
          a = small ? std::copysign(0, a) : a;
          double exact = isRoot ? 1 / std::sqrt(a) : 1 / a;
          if (std::isnan(exact)) {
            return got == 0x7fffffff00000000;
          }
          if (std::fabs(exact) < 0x1p-1022) {
            return got == bitsOf(std::copysign(0.0, exact));
          }
          return (got & 0xffffffff) == 0 &&
                 (real(got) == exact ||
                  std::fabs(real(got) / exact - 1) <= 0x1p-20);
        });
  }
  checkEach({"rsqrt.approx.f64 %d, %a;", 64, {64}}, rows,
            [](const Row &row, uint64_t got) {
              double a = real(row[0]), exact = 1 / std::sqrt(a);
              return std::isnan(exact)
                         ? std::isnan(real(got))
                         : real(got) == exact ||
                               std::fabs(real(got) / exact - 1) < 0x1p-51;
            });
}

// PTX ISA, "Half Precision Floating Point Instructions: tanh" and "ex2", of all
// codes
TEST(Approximations, ofHalves) {
  std::vector<Row> all;
  for (uint64_t code = 0; code < 0x10000; ++code) {
    all.push_back({code});
  }
  auto check = [&](const char *opcode, const SmallFormat &format, bool flushes,
                   double (*exact)(double), double bound, bool isRelative) {
    checkEach({std::string(opcode) + " %d, %a;", 16, {16}}, all,
              [&](const Row &row, uint64_t got) {
                bool subnormal = (row[0] & 0x7fff) >> format.fractionBits == 0;
                double x = format.value(flushes && subnormal ? row[0] & 0x8000
                                                             : row[0]);
                if (std::isnan(x)) {
                  return got == 0x7fff;
                }
                double right = exact(x);
                uint64_t nearest = format.round({right, 0}, Mode::nearest);
                if (flushes && (nearest & 0x7fff) >> format.fractionBits == 0) {
                  return (got & 0x7fff) == 0;
                }
                if (got == nearest) {
                  return true;
                }
                double error = std::fabs(format.value(got) - right);
                return error <= bound * (isRelative ? std::fabs(right) : 1);
              });
  };
  check("ex2.approx.f16", halfFormat(), false, std::exp2, 0x1p-10, true);
  check("ex2.approx.ftz.bf16", bfloatFormat(), true, std::exp2, 0x1p-7, true);
  check("tanh.approx.f16", halfFormat(), false, std::tanh, 0x1p-11, false);
  check("tanh.approx.bf16", bfloatFormat(), false, std::tanh, 0x1p-8, false);
}
