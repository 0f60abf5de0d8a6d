// What must hold before compiled code, which checks nothing, is given a step.
#ifndef CHEEMS_RUNTIME_SESSION_STEPCHECK_H
#define CHEEMS_RUNTIME_SESSION_STEPCHECK_H

#include "runtime/Error.h"
#include "runtime/StepView.h"
#include <cstdint>
#include <vector>

namespace cheems {

/// A sequence has no room for the tokens it was given; nothing was fed.
struct ContextFull : Error {
  explicit ContextFull(const std::string &message) : Error(message) {}
};

/// Checks steps of one session. Keeps its scratch: checking allocates nothing.
class StepCheck {
public:
  StepCheck(int64_t vocabulary, int64_t slots, int64_t maxRows,
            int64_t context);

  /// `positions[slot]`: tokens that slot has been fed. Throws Error (usage) or
  /// ContextFull.
  void check(const StepView &step, const std::vector<int32_t> &positions);

private:
  void checkSegments(const StepView &step,
                     const std::vector<int32_t> &positions);

  int64_t vocabulary, slots, maxRows, context;
  std::vector<int32_t> order; ///< segments by first row
  std::vector<bool> seen;     ///< slots met in this step
};

} // namespace cheems

#endif
