#include "runtime/Executor/CUDA/StepTimer.h"
#include <algorithm>

using namespace cheems;
using namespace cheems::cuda;

/// The GPU's track comes after the host's.
constexpr int track = 1;

StepTimer::StepTimer(std::shared_ptr<const Context> given,
                     const LaunchPlan &plan, Profile &profile)
    : context(std::move(given)), plan(plan), profile(profile) {
  Context::Current current(*context);
  size_t count =
      std::max(plan.general.launches.size(), plan.decode.launches.size()) + 1;
  events.reserve(count);
  try {
    while (events.size() < count) {
      CUevent event = nullptr;
      context->driver().cuEventCreate(&event, CU_EVENT_DEFAULT);
      events.push_back(event);
    }
  } catch (...) { // no destructor runs for what was never made
    destroy();
    throw;
  }
}

StepTimer::~StepTimer() { destroy(); }

void StepTimer::destroy() noexcept {
  context->cleanUp([&] {
    for (CUevent event : events) {
      context->driver().cuEventDestroy.result(event);
    }
  });
}

void StepTimer::mark(size_t launch, const Stream &stream) const {
  context->driver().cuEventRecord(events[launch], stream.handle());
}

void StepTimer::report(const Launcher &launcher, uint64_t begin,
                       uint64_t *parts) const {
  double cycles = profile.cyclesPerMicrosecond() * 1000; // of a millisecond
  auto timeOf = [&](size_t launch) {
    float milliseconds = 0;
    context->driver().cuEventElapsedTime(&milliseconds, events[0],
                                         events[launch]);
    return begin +
           static_cast<uint64_t>(
               std::max(0.0, static_cast<double>(milliseconds)) * cycles);
  };
  uint64_t from = begin;
  for (size_t i = 0; i < launcher.launches().size(); ++i) {
    const LaunchPlan::Launch &launch = launcher.launches()[i];
    if (launcher.blocks(i) == 0) { // of the form that the step has not
      continue;
    }
    uint64_t to = timeOf(i + 1);
    profile.regions().add(track, {plan.kernels[launch.kernel].name.c_str(),
                                  from, to, 0, launcher.blocks(i), track});
    if (parts && launch.part >= 0 && parts[launch.part] == 0) {
      parts[launch.part] = from;
    }
    from = to;
  }
}
