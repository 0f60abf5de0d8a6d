// Choices that wait for a slot, or give theirs up.
#include "runtime/Error.h"
#include "runtime/Serve/Engine/Faults.h"
#include "runtime/Serve/Engine/Runner.h"
#include <algorithm>

namespace cheems::serve {

bool Runner::hasRoomForState() const {
  auto prompts = std::count_if(runs.begin(), runs.end(), [](const Run &run) {
    return !run.choice && run.job->request.choices > 1;
  });
  return static_cast<int64_t>(waiting.size() + aside.size()) + prompts <
         statesPerSlot * session.slots();
}

void Runner::startWaiting() {
  if (!startAside()) {
    startChoice();
  }
  sweep(); // it may have failed
}

/// The one that has waited longest goes on; false where there is none.
bool Runner::startAside() {
  if (aside.empty()) {
    return false;
  }
  Aside next = std::move(aside.front());
  aside.pop_front();
  try {
    next.run.slot = slots.fork(next.state, next.contents);
    runs.push_back(std::move(next.run));
  } catch (const std::exception &error) {
    fail(*next.run.job, faultOf(error));
  }
  return true;
}

/// The next choice of the first job begins, and that job goes behind the
/// others.
bool Runner::startChoice() {
  if (waiting.empty()) {
    return false;
  }
  Waiting next = std::move(waiting.front());
  waiting.pop_front();
  Job &job = *next.job;
  Run run;
  run.job = next.job;
  try {
    run.slot = slots.fork(job.promptState, next.contents);
  } catch (const std::exception &error) {
    fail(job, faultOf(error));
    return true;
  }
  run.choice = job.choices[job.nextChoice++].get();
  run.row = job.promptLogits;
  runs.push_back(std::move(run));
  if (job.nextChoice < job.choices.size()) {
    waiting.push_back(std::move(next));
  } else { // none needs them any more
    job.promptState = Snapshot();
    job.promptLogits = std::vector<float>();
  }
  return true;
}

bool Runner::setAside() {
  for (size_t i = runs.size(); i-- > 0;) { // the newest one
    Run &run = runs[i];
    auto theirs = std::count_if(runs.begin(), runs.end(), [&](const Run &each) {
      return each.job == run.job;
    });
    if (!run.choice || theirs < 2) {
      continue;
    }
    Aside next;
    try {
      next.state = session.snapshot(run.slot);
    } catch (const std::exception &) {
      return false; // memory is short: it stays where it is
    }
    next.contents = slots.slots()[static_cast<size_t>(run.slot)];
    slots.release(run.slot);
    next.run = std::move(run);
    aside.push_back(std::move(next));
    runs.erase(runs.begin() + static_cast<ptrdiff_t>(i));
    return true;
  }
  return false;
}

} // namespace cheems::serve
