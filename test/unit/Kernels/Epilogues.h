// Epilogues of matmuls under test: their text, what they compute, and how far
// from that f32 may be.
#ifndef CHEEMS_TEST_UNIT_KERNELS_EPILOGUES_H
#define CHEEMS_TEST_UNIT_KERNELS_EPILOGUES_H

#include "Cases.h"
#include <array>

namespace cheems::test {

/// What is done to the sums s and, of a second weight, u, with b [N] and h
/// [T, N].
enum class After { Nothing, Bias, Residual, Gate, All };
constexpr std::array kAfter{After::Nothing, After::Bias, After::Residual,
                            After::Gate, After::All};

/// The region; %one is 1.0.
inline std::string epilogueOf(After after) {
  switch (after) {
  case After::Nothing:
    return "";
  case After::Bias:
    return "{\n^bb0(%s: f32, %c: f32):\n"
           "  %0 = arith.addf %s, %c : f32\n"
           "  cheems_cpu.yield %0 : f32\n}";
  case After::Residual:
    return "{\n^bb0(%s: f32, %c: f32, %a: f32):\n"
           "  %0 = arith.mulf %c, %a : f32\n"
           "  %1 = arith.addf %0, %s : f32\n"
           "  cheems_cpu.yield %1 : f32\n}";
  case After::Gate: // silu
    return "{\n^bb0(%s: f32, %u: f32):\n"
           "  %0 = arith.negf %s : f32\n"
           "  %1 = math.exp %0 : f32\n"
           "  %2 = arith.addf %one, %1 : f32\n"
           "  %3 = arith.divf %s, %2 : f32\n"
           "  %4 = arith.mulf %3, %u : f32\n"
           "  cheems_cpu.yield %4 : f32\n}";
  case After::All:
    return "{\n^bb0(%s: f32, %u: f32, %c: f32, %a: f32):\n"
           "  %zero = arith.constant 0.0 : f32\n"
           "  %0 = arith.addf %s, %c : f32\n"
           "  %1 = arith.maximumf %0, %zero : f32\n"
           "  %2 = arith.mulf %1, %u : f32\n"
           "  %3 = arith.addf %2, %a : f32\n"
           "  cheems_cpu.yield %3 : f32\n}";
  }
  return "";
}

inline double silu(double value) { return value / (1 + std::exp(-value)); }

/// The evaluator's epilogue.
inline double evaluate(After after, llvm::ArrayRef<double> sums,
                       llvm::ArrayRef<double> with) {
  switch (after) {
  case After::Nothing:
    return sums[0];
  case After::Bias:
    return sums[0] + with[0];
  case After::Residual:
    return with[0] * with[1] + sums[0];
  case After::Gate:
    return silu(sums[0]) * sums[1];
  case After::All:
    return std::max(sums[0] + with[0], 0.0) * sums[1] + with[1];
  }
  return 0;
}

/// How far f32 may be from `evaluate` where each sum is off by at most
/// errors[i].
inline double boundOf(After after, llvm::ArrayRef<double> sums,
                      llvm::ArrayRef<double> errors,
                      llvm::ArrayRef<double> with) {
  // An error of each factor of a product, and its rounding.
  auto product = [](double a, double da, double b, double db) {
    return std::abs(a) * db + std::abs(b) * da + da * db +
           kUnit * (std::abs(a) + da) * (std::abs(b) + db);
  };
  auto sum = [](double a, double da, double b, double db) {
    return da + db + kUnit * (std::abs(a) + da + std::abs(b) + db);
  };
  switch (after) {
  case After::Nothing:
    return errors[0];
  case After::Bias:
    return sum(sums[0], errors[0], with[0], 0);
  case After::Residual:
    return sum(with[0] * with[1], product(with[0], 0, with[1], 0), sums[0],
               errors[0]);
  case After::Gate: {
    // Its slope is below 1.1; exp is good to 5 ulp, then a sum and a quotient.
    double gate = silu(sums[0]),
           error = 1.1 * errors[0] + 16 * kUnit * (std::abs(gate) + errors[0]);
    return product(gate, error, sums[1], errors[1]);
  }
  case After::All: {
    double gate = std::max(sums[0] + with[0], 0.0),
           error = sum(sums[0], errors[0], with[0], 0);
    return sum(gate * sums[1], product(gate, error, sums[1], errors[1]),
               with[1], 0);
  }
  }
  return 0;
}

/// Weights, a row [N] beside the sums, and another [T, N].
inline size_t weightsOf(After after) {
  return after == After::Gate || after == After::All ? 2 : 1;
}
inline bool takesRow(After after) {
  return after != After::Nothing && after != After::Gate;
}
inline bool takesWhole(After after) {
  return after == After::Residual || after == After::All;
}

} // namespace cheems::test

#endif
