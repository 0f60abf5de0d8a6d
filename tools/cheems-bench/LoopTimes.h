// How long an operation took in the steps that a profile recorded.
#ifndef CHEEMS_TOOLS_CHEEMS_BENCH_LOOPTIMES_H
#define CHEEMS_TOOLS_CHEEMS_BENCH_LOOPTIMES_H

#include "Operation.h"
#include "runtime/Profile/Trace.h"
#include <functional>
#include <map>

namespace cheems::bench {

/// Seconds on the clock, of all steps together.
struct LoopTimes {
  double seconds = 0; ///< of the operation
  /// Seconds in its loops by name, while at least one thread is in such a loop;
  /// what is left of `seconds` is code between them.
  std::map<std::string, double> loops;
};

/// A step without a loop of the operation's own counts with none.
LoopTimes
loopTimes(const Trace &trace,
          const std::function<LoopRole(std::string_view loop)> &roleOf);
/// Returns the times of an operation, on the CPU or on a GPU.
LoopTimes loopTimes(const Trace &trace, const Operation &operation, bool onGPU);

} // namespace cheems::bench

#endif
