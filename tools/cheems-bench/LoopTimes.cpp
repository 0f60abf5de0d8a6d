#include "LoopTimes.h"
#include <algorithm>

namespace cheems::bench {

namespace {

struct Range {
  uint64_t begin, end;
};

/// Cycles in which one range or more is open, within `bounds`.
double covered(std::vector<Range> ranges, const Range &bounds) {
  std::sort(ranges.begin(), ranges.end(),
            [](const Range &a, const Range &b) { return a.begin < b.begin; });
  uint64_t sum = 0, reached = bounds.begin;
  for (const Range &range : ranges) {
    uint64_t begin = std::max(range.begin, reached),
             end = std::min(range.end, bounds.end);
    if (end > begin) {
      sum += end - begin;
      reached = end;
    }
  }
  return static_cast<double>(sum);
}

/// The loops of one step.
class Step {
public:
  void add(LoopRole role, const std::string &name, const Range &range) {
    loops.push_back({role, &name, range});
  }

  void countInto(LoopTimes &times, double secondsOfCycle) const {
    Range bounds = {UINT64_MAX, 0};
    for (const Loop &loop : loops) {
      if (loop.role == LoopRole::own) {
        bounds.begin = std::min(bounds.begin, loop.range.begin);
        bounds.end = std::max(bounds.end, loop.range.end);
      }
    }
    if (bounds.end == 0) {
      return;
    }
    uint64_t before = 0;
    for (const Loop &loop : loops) {
      if (loop.role == LoopRole::before && loop.range.end <= bounds.begin) {
        before = std::max(before, loop.range.end);
      }
    }
    bounds.begin = before != 0 ? before : bounds.begin;
    std::vector<Range> others;
    std::map<std::string, std::vector<Range>> ours;
    for (const Loop &loop : loops) {
      bool ownOrBeside =
          loop.role == LoopRole::own || loop.role == LoopRole::beside;
      (ownOrBeside ? ours[*loop.name] : others).push_back(loop.range);
    }
    times.seconds +=
        secondsOfCycle * (static_cast<double>(bounds.end - bounds.begin) -
                          covered(std::move(others), bounds));
    for (auto &[name, ranges] : ours) {
      double cycles = covered(std::move(ranges), bounds);
      if (cycles > 0) {
        times.loops[name] += secondsOfCycle * cycles;
      }
    }
  }

private:
  struct Loop {
    LoopRole role;
    const std::string *name;
    Range range;
  };
  std::vector<Loop> loops;
};

} // namespace

LoopTimes
loopTimes(const Trace &trace,
          const std::function<LoopRole(std::string_view loop)> &roleOf) {
  std::vector<LoopRole> roles;
  roles.reserve(trace.names.size());
  for (const std::string &name : trace.names) {
    // without the parts of the layer: "linear 64x64 (ssd.out_proj)"
    roles.push_back(roleOf(name.substr(0, name.find(" ("))));
  }
  LoopTimes times;
  Step step;
  double secondsOfCycle = 1e-6 / trace.cyclesPerMicrosecond;
  for (const TraceEvent &event : trace.events) {
    if (event.kind == TraceEvent::Kind::step) { // its loops follow
      step.countInto(times, secondsOfCycle);
      step = Step();
    } else if (event.kind == TraceEvent::Kind::region) {
      step.add(roles[event.name], trace.names[event.name],
               {event.begin, event.end});
    }
  }
  step.countInto(times, secondsOfCycle);
  return times;
}

LoopTimes loopTimes(const Trace &trace, const Operation &operation,
                    bool onGPU) {
  return loopTimes(trace, [&](std::string_view loop) {
    if (!onGPU) {
      return operation.role(loop);
    }
    return operation.ownsKernel(loop) ? LoopRole::own : LoopRole::other;
  });
}

} // namespace cheems::bench
