//===- Rates.h - What the benchmarks count ----------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_BENCHMARKS_RATES_H
#define CHEEMS_EMULATOR_BENCHMARKS_RATES_H

#include <benchmark/benchmark.h>

namespace cheems::emulator {

/// Goals of one core with AVX-512, a second (README.md, "Speed").
constexpr double elementwiseGoal = 30e6, mmaGoal = 10e6, wgmmaGoal = 10e9;

inline void count(benchmark::State &state, const char *what,
                  double perIteration, double goal = 0) {
  using benchmark::Counter;
  state.counters[what] =
      Counter(perIteration, Counter::kIsIterationInvariantRate);
  if (goal != 0) {
    state.counters["of the goal"] =
        Counter(perIteration / goal, Counter::kIsIterationInvariantRate);
  }
}
inline void countInstructions(benchmark::State &state, double perIteration,
                              double goal = 0) {
  count(state, "warp instructions/s", perIteration, goal);
}
inline void countMultiplyAdds(benchmark::State &state, double perIteration,
                              double goal = 0) {
  count(state, "multiply-adds/s", perIteration, goal);
}

} // namespace cheems::emulator

#endif
