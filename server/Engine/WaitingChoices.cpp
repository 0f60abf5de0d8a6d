#include "server/Engine/WaitingChoices.h"
#include "server/Engine/Faults.h"
#include <algorithm>

namespace cheems::serve {

std::optional<Run> WaitingChoices::start(SlotStates &slots, JobEnds &ends) {
  if (!aside.empty()) {
    return startAside(slots, ends);
  }
  return unbegun.empty() ? std::nullopt : startUnbegun(slots, ends);
}

std::optional<Run> WaitingChoices::startAside(SlotStates &slots,
                                              JobEnds &ends) {
  Aside next = std::move(aside.front());
  aside.pop_front();
  try {
    next.run.slot = slots.fork(next.state, next.contents);
  } catch (const std::exception &error) {
    ends.fail(*next.run.job, faultOf(error));
    return std::nullopt;
  }
  return std::move(next.run);
}

/// The job is now the last to wait, if it has more choices.
std::optional<Run> WaitingChoices::startUnbegun(SlotStates &slots,
                                                JobEnds &ends) {
  Unbegun next = std::move(unbegun.front());
  unbegun.pop_front();
  Job &job = *next.job;
  Run run;
  run.job = next.job;
  try {
    run.slot = slots.fork(job.promptState, next.contents);
  } catch (const std::exception &error) {
    ends.fail(job, faultOf(error));
    return std::nullopt;
  }
  run.choice = job.choices[job.nextChoice++].get();
  run.row = job.promptLogits;
  if (job.nextChoice < job.choices.size()) {
    unbegun.push_back(std::move(next));
  } else { // none needs them any more
    job.promptState = Snapshot();
    job.promptLogits = std::vector<float>();
  }
  return run;
}

void WaitingChoices::sweep() {
  auto begun = [](const Unbegun &each) {
    return each.job->over || each.job->nextChoice == each.job->choices.size();
  };
  unbegun.erase(std::remove_if(unbegun.begin(), unbegun.end(), begun),
                unbegun.end());
  auto gone = [](const Aside &each) { return each.run.job->over; };
  aside.erase(std::remove_if(aside.begin(), aside.end(), gone), aside.end());
}

} // namespace cheems::serve
