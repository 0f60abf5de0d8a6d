// Seeded inputs and comparison with an evaluator within a bound.
#ifndef CHEEMS_TEST_UNIT_TILEKERNELS_CASES_H
#define CHEEMS_TEST_UNIT_TILEKERNELS_CASES_H

#include "TileHarness.h"
#include "test/unit/Support/TestRun.h"
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace cheems::test {

/// Relative error of one operation.
constexpr double kF32 = 0x1p-24, kF16 = 0x1p-11, kBF16 = 0x1p-8;
/// Bounds the error of a sum of two numbers in bf16, the second of which is
/// what the first one leaves.
constexpr double kPair = kBF16 * kBF16;
/// Bounds the error of ex2, rsqrt and their like (PTX ISA, "Floating Point
/// Instructions").
constexpr double kApproximate = 0x1p-22;
/// Absolute error where a result is too small for a full significand, or
/// flushed.
constexpr double kTiny = 0x1p-126;

/// `text` with each `name` replaced.
inline std::string replaced(std::string text, const std::string &name,
                            const std::string &value) {
  for (size_t at = 0; (at = text.find(name, at)) != std::string::npos;) {
    text.replace(at, name.size(), value);
  }
  return text;
}

/// A module of step ops, by all passes of the way to a GPU, whose newest unit
/// is `unit`. Compiling takes longer than most cases, so all tests of a process
/// share a module. Null after a test failure that says why.
inline TileModule *compiledStep(const std::string &text,
                                const std::string &unit = "wgmma") {
  static std::map<std::pair<std::string, std::string>,
                  std::unique_ptr<TileModule>>
      modules;
  auto [place, isNew] = modules.try_emplace({text, unit});
  if (isNew) {
    place->second = TileModule::compile(
        text, "cheems-cuda{arch=" + GPU::get().architecture() +
                  " unit=" + unit + " to=launches}");
  }
  return place->second.get();
}

/// Units that the GPU has for matmuls of prompts, the newest one first.
inline std::vector<std::string> units() {
  if (GPU::get().architecture() == "sm_80") {
    return {"mma"};
  }
  return {"wgmma", "mma"};
}

/// What `text` has of the instructions of each unit.
inline std::pair<size_t, size_t> instructionsIn(llvm::StringRef text) {
  return {text.count("wgmma.mma_async"), text.count("mma.sync.aligned.m16n8")};
}

/// The rate of tensor cores with 16 bits (emulator/README.md, "Rates").
inline double multiplyAddsPerCycle() {
  return GPU::get().architecture() == "sm_80" ? 1024 : 2048;
}

/// Shapes of a kernel. A run that is not long takes some of one in ten, others
/// with the next seed: compiling is most of a case's time.
constexpr uint64_t kShapes = 200, kShare = 10, kShapesOfARun = 6;

/// The processes of both GPUs share a run's shapes. What a form has in common
/// on both is found on either.
constexpr uint64_t kGPUs = 2;

/// Which of so many forms a case has. A run's cases have one after the other,
/// and the next seed's begin with another one.
inline size_t formOf(uint64_t number, size_t forms) {
  return (number / kShare + number % kShare) % forms;
}

/// Which of so many units: a GPU has one after the other.
inline size_t unitOf(uint64_t number, size_t units) {
  return number / kShare / kGPUs % units;
}

inline bool isOfThisRun(uint64_t number) {
  if (isLongRun()) {
    return true;
  }
  uint64_t gpu = GPU::get().architecture() == "sm_80" ? 1 : 0;
  return isDrawn(number, kShare) && number / kShare < kShapesOfARun &&
         number / kShare % kGPUs == gpu;
}

/// Calls `body` with each number that is of this run.
template <typename Body> void forEachCase(Body body) {
  for (uint64_t number = 0; number < kShapes; ++number) {
    if (isOfThisRun(number)) {
      SCOPED_TRACE("shape " + std::to_string(number));
      body(number);
    }
  }
}

/// Whether this process looks at what is counted or written of kernels: it is
/// the same in both modes, and in all that is common to both GPUs.
inline bool inspectsKernels() {
  return GPU::copiesEarly() &&
         (isLongRun() || GPU::get().architecture() != "sm_80");
}

/// What a case has depends on its number alone.
class Random {
public:
  explicit Random(uint64_t seed) : engine(static_cast<uint32_t>(seed)) {}

  double uniform(double low, double high) {
    return low + (high - low) * (engine() * 0x1p-32);
  }
  /// Both ends included.
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine() %
                                      static_cast<uint64_t>(high - low + 1));
  }
  bool once(int64_t in) { return between(1, in) == 1; }
  /// Values that the type has.
  reference::Tensor tensor(llvm::ArrayRef<int64_t> shape, double low,
                           double high, Number number = Number::F32) {
    reference::Tensor result(shape);
    for (double &value : result.data) {
      value = nearest(uniform(low, high), number);
    }
    return result;
  }

private:
  std::mt19937 engine;
};

/// Each element is within `relative` of the evaluator's, and `absolute`.
inline testing::AssertionResult within(const Array &got,
                                       const reference::Tensor &want,
                                       double relative, double absolute = 0) {
  if (got.elements() != static_cast<int64_t>(want.data.size())) {
    return testing::AssertionFailure() << "sizes differ";
  }
  for (size_t i = 0; i < want.data.size(); ++i) {
    double value = got.get(static_cast<int64_t>(i));
    double bound = relative * std::abs(want.data[i]) + absolute + kTiny;
    // Written so that NaN fails.
    if (!(value == want.data[i] || std::abs(value - want.data[i]) <= bound)) {
      return testing::AssertionFailure()
             << "element " << i << " is " << value << ", the evaluator has "
             << want.data[i] << ", bound " << bound;
    }
  }
  return testing::AssertionSuccess();
}

} // namespace cheems::test

#endif
