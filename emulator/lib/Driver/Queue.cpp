//===- Queue.cpp ----------------------------------------------------------===//
#include "Queue.h"

#include "Context.h"
#include "Report.h"

#include <algorithm>
#include <stdexcept>

namespace cheems::emulator::driver {

Queue::Queue(Context &context, std::mutex &lock, uint64_t seed)
    : context(context), lock(lock), random(seed) {}

std::shared_ptr<Operation> Queue::add(std::unique_ptr<Work> work,
                                      const std::vector<Dependency> &before) {
  auto operation = std::make_shared<Operation>();
  operation->number = ++numbers;
  operation->releasesDependents = work->releasesDependents();
  operation->work = std::move(work);
  for (const Dependency &dependency : before) {
    operation->begin = std::max(operation->begin, dependency.on->end);
    if (dependency.on->isDone()) {
      continue;
    }
    dependency.on->dependents.push_back({operation, dependency.programmatic});
    if (dependency.programmatic) {
      ++operation->programmatic;
      operation->primaries.push_back(dependency.on);
    } else {
      ++operation->strict;
    }
  }
  ++unfinished;
  pending.emplace(operation->number, operation);
  consider(operation);
  return operation;
}

void Queue::consider(const std::shared_ptr<Operation> &operation) {
  using State = Operation::State;
  if (operation->state == State::paused && operation->programmatic == 0) {
    operation->work->primaryFinished();
    operation->state = State::ready;
    ready.push_back(operation);
    return;
  }
  if (operation->state == State::ended && operation->programmatic == 0) {
    complete(operation);
    return;
  }
  if (operation->state != State::waiting || operation->strict > 0) {
    return;
  }
  for (const auto &primary : operation->primaries) {
    auto alive = primary.lock();
    if (alive && !alive->isDone() && !alive->hasReleased) {
      return;
    }
  }
  operation->state = State::ready;
  ready.push_back(operation);
}

/// All blocks of a kernel have let its dependents start, or have ended.
void Queue::release(const std::shared_ptr<Operation> &operation) {
  operation->hasReleased = true;
  for (const auto &dependent : operation->dependents) {
    if (dependent.programmatic) {
      consider(dependent.operation);
    }
  }
}

void Queue::complete(const std::shared_ptr<Operation> &operation) {
  operation->state = Operation::State::done;
  operation->end = operation->begin + operation->work->nanoseconds();
  operation->work.reset();
  pending.erase(operation->number);
  --unfinished;
  auto dependents = std::move(operation->dependents);
  operation->dependents.clear();
  for (auto &[dependent, programmatic] : dependents) {
    dependent->begin = std::max(dependent->begin, operation->end);
    --(programmatic ? dependent->programmatic : dependent->strict);
    consider(dependent);
  }
}

void Queue::run(const std::shared_ptr<Operation> &operation) {
  operation->state = Operation::State::running;
  Progress progress = Progress::done;
  if (operation->work->runsUnlocked()) {
    ++running;
    // The context must outlive what its host functions do to it.
    auto keep = context.shared_from_this();
    lock.unlock();
    operation->work->run(context, false);
    lock.lock();
    --running;
    changed.notify_all();
    if (operation->isDone()) {
      return; // the context broke meanwhile
    }
  } else {
    for (const auto &dependent : operation->dependents) {
      if (dependent.programmatic) {
        operation->work->hasDependents();
      }
    }
    // In every other run a dependent reads what was there before its primaries.
    std::vector<std::shared_ptr<Operation>> hidden;
    if (operation->programmatic > 0 && (random() & 1)) {
      for (const auto &primary : operation->primaries) {
        auto alive = primary.lock();
        if (alive && alive->work && alive->hasReleased) {
          alive->work->showWrites(false);
          hidden.push_back(std::move(alive));
        }
      }
    }
    struct Showing {
      std::vector<std::shared_ptr<Operation>> &hidden;
      ~Showing() {
        for (const auto &primary : hidden) {
          if (primary->work) { // else the context broke
            primary->work->showWrites(true);
          }
        }
        hidden.clear();
      }
    } showing{hidden};
    try {
      progress = operation->work->run(context, operation->programmatic > 0);
    } catch (const Finding &finding) {
      report(context.device.options, finding);
      context.broken = finding.rule == "assert" ? CUDA_ERROR_ASSERT
                                                : CUDA_ERROR_LAUNCH_FAILED;
    } catch (const NotModelled &refusal) {
      note(refusal.what());
      context.broken = CUDA_ERROR_NOT_SUPPORTED;
    }
    if (context.broken) {
      operation->work.reset();
      abandon(context.broken);
      fail(context.broken);
    }
  }
  if (progress == Progress::waitsForPrimary) {
    operation->state = Operation::State::paused;
    consider(operation);
  } else if (progress == Progress::released) {
    operation->state = Operation::State::ready;
    ready.push_back(operation);
    release(operation);
  } else if (operation->programmatic > 0) {
    // A kernel that never waits for its primary has not ended before it.
    operation->state = Operation::State::ended;
    release(operation);
  } else {
    complete(operation);
  }
}

bool Queue::step() {
  if (ready.empty()) {
    return false;
  }
  size_t index = random() % ready.size();
  auto operation = std::move(ready[index]);
  ready.erase(ready.begin() + ptrdiff_t(index));
  run(operation);
  return true;
}

void Queue::waitForOthers() {
  if (running == 0) {
    throw std::logic_error("work of a queue waits for what never comes");
  }
  // Another thread runs a function of the host.
  int before = running;
  changed.wait(lock, [&] {
    return running < before || !ready.empty() || unfinished == 0;
  });
}

void Queue::finish(const std::shared_ptr<Operation> &operation) {
  while (!operation->isDone()) {
    require(!context.broken, context.broken);
    if (!step()) {
      waitForOthers();
    }
  }
  require(!context.broken, context.broken);
}

void Queue::finishAll() {
  while (unfinished > 0) {
    require(!context.broken, context.broken);
    if (!step()) {
      waitForOthers();
    }
  }
  require(!context.broken, context.broken);
}

void Queue::poll() {
  for (uint64_t steps = 1 + random() % 3; steps > 0 && step(); --steps) {
  }
}

void Queue::abandon(CUresult status) {
  auto all = std::move(pending);
  pending.clear();
  ready.clear();
  unfinished = 0;
  changed.notify_all();
  for (auto &[number, operation] : all) {
    bool waits = operation->state == Operation::State::waiting ||
                 operation->state == Operation::State::ready;
    bool runs = operation->state == Operation::State::running;
    operation->state = Operation::State::done;
    operation->dependents.clear();
    if (waits && operation->work->runsUnlocked()) {
      lock.unlock();
      operation->work->abandon(status);
      lock.lock();
    }
    // Work of kernels holds modules, and these hold the context.
    if (!runs) {
      operation->work.reset();
    }
  }
}

} // namespace cheems::emulator::driver
