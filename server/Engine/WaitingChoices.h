// Choices of running jobs that have no slot.
#ifndef CHEEMS_SERVER_ENGINE_WAITINGCHOICES_H
#define CHEEMS_SERVER_ENGINE_WAITINGCHOICES_H

#include "server/Engine/JobEnds.h"
#include "server/Engine/Run.h"
#include "server/Engine/SlotStates.h"

#include <deque>

namespace cheems::serve {

/// Some have not begun; others have given their slot up. Each job of the former
/// has a state, and each choice of the latter.
class WaitingChoices {
public:
  bool empty() const { return unbegun.empty() && aside.empty(); }
  /// The number of states that are kept for them.
  int64_t size() const {
    return static_cast<int64_t>(unbegun.size() + aside.size());
  }
  bool hasUnbegun() const { return !unbegun.empty(); }

  /// The job's choices from its next one on wait. They begin with its
  /// `promptState`, which holds what `contents` says, and its `promptLogits`.
  void add(std::shared_ptr<Job> job, SlotContents contents) {
    unbegun.push_back({std::move(job), std::move(contents)});
  }
  /// A choice whose slot is taken from it, and what it goes on with.
  void setAside(Run run, Snapshot state, SlotContents contents) {
    aside.push_back({std::move(run), std::move(state), std::move(contents)});
  }

  /// The next one in a slot, of which one is free: that which was set aside and
  /// has waited longest, else one that begins, of each job in turn. Nothing
  /// where there is none, or where its job has failed because of it.
  std::optional<Run> start(SlotStates &slots, JobEnds &ends);

  /// Forgets those of jobs that are over.
  void sweep();

  template <typename See> void forEachJob(const See &see) const {
    for (const Unbegun &each : unbegun) {
      see(each.job);
    }
    forEachJobAside(see);
  }
  template <typename See> void forEachJobAside(const See &see) const {
    for (const Aside &each : aside) {
      see(each.run.job);
    }
  }

private:
  struct Unbegun {
    std::shared_ptr<Job> job;
    SlotContents contents;
  };
  struct Aside {
    Run run; ///< its slot counts no more
    Snapshot state;
    SlotContents contents;
  };
  std::optional<Run> startAside(SlotStates &slots, JobEnds &ends);
  std::optional<Run> startUnbegun(SlotStates &slots, JobEnds &ends);

  std::deque<Unbegun> unbegun; ///< the first one's turn is next
  std::deque<Aside> aside;
};

} // namespace cheems::serve

#endif
