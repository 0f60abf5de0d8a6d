// Numbers with how far off a kernel may be, and what is computed of them.
#ifndef CHEEMS_TEST_UNIT_TILEKERNELS_ESTIMATE_H
#define CHEEMS_TEST_UNIT_TILEKERNELS_ESTIMATE_H

#include "Cases.h"
#include "cheems/Reference/DynamicMask.h"
#include "cheems/Reference/Linear.h"

namespace cheems::test {

/// A number and how far the kernel's may be from it.
struct Estimate {
  double value, error = 0;
};

/// What is computed of estimates is rounded once.
inline Estimate rounded(double value, double error, double unit = kF32) {
  return {value, error + unit * (std::abs(value) + error) + kTiny};
}

inline Estimate operator+(Estimate a, Estimate b) {
  return rounded(a.value + b.value, a.error + b.error);
}

inline Estimate operator*(Estimate a, Estimate b) {
  return rounded(a.value * b.value, std::abs(a.value) * b.error +
                                        std::abs(b.value) * a.error +
                                        a.error * b.error);
}

/// exp(a * softplus(step)), with a power of e below 0.
inline Estimate masked(Estimate step, double a) {
  reference::Tensor value = reference::dynamicMask(
      reference::Tensor({1, 1}, {step.value}), reference::Tensor({1}, {a}));
  double softplus = reference::softplus(step.value), power = a * softplus;
  // What the sum's error does, the power's own roundings, and approximations.
  double relative = std::abs(a) * (step.error + (softplus + 4) * 2 * kF32 +
                                   2 * kApproximate) +
                    std::abs(power) * 2 * kF32 + 2 * kApproximate;
  return {value(0, 0), value(0, 0) * std::expm1(relative) + kTiny};
}

} // namespace cheems::test

#endif
