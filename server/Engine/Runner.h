// Runs the sequences of requests on a session, step by step: for the engine's
// thread alone.
#ifndef CHEEMS_SERVER_ENGINE_RUNNER_H
#define CHEEMS_SERVER_ENGINE_RUNNER_H

#include "server/Engine/Draws.h"
#include "server/Engine/EngineOptions.h"
#include "server/Engine/Scheduler.h"
#include "server/Engine/WaitingChoices.h"

namespace cheems::serve {

class Runner {
public:
  /// So many states are kept beside those of the slots, for each slot.
  static constexpr int64_t statesPerSlot = 2;

  /// The arguments must outlive the runner. `onOver` is called for each job
  /// that is over, before the job's sink hears of it.
  Runner(Session &session, TextModel &text, Metrics &metrics,
         const EngineOptions &options,
         std::function<void(const Job &job)> onOver);

  /// Gives the job a slot and begins it. Returns false if no slot is free. A
  /// job that cannot begin has failed when this returns.
  bool start(const std::shared_ptr<Job> &job);
  bool idle() const { return runs.empty() && !hasWaiting(); }
  bool hasFree() const { return slots.hasFree(); }
  /// Whether choices of running jobs wait for a slot.
  bool hasWaiting() const { return !waiting.empty(); }
  /// Gives a slot to one of them, if a slot is free. Jobs take turns.
  void startWaiting();
  /// Whether one state more may be kept beside those of the slots: each job
  /// whose choices wait has one, each choice that is set aside, and each prompt
  /// that is fed for several choices will have one.
  bool hasRoomForState() const;
  /// A choice of a job that has several slots gives its slot up until another
  /// is free; false where there is none.
  bool setAside();
  /// Runs a step, and tells the sinks what came of it.
  void step();
  /// What runs has failed in a step, and cannot go on.
  void failAll(const GenerationFault &fault);
  /// Ends jobs for which `why` gives a fault, and those that were cancelled.
  void endWhere(
      const std::function<std::optional<GenerationFault>(const Job &)> &why);

  SlotStates &states() { return slots; }
  std::vector<SlotView> view() const;

private:
  void setUp(Job &job, const Reuse &reuse);
  void drawPrepared();
  Wish wishOf(const Run &run) const;
  std::vector<int64_t> shareRows();
  void compute(const StepPlan &plan);
  void failStep(const StepPlan &plan, const GenerationFault &fault);
  std::vector<Draw> receive(const StepPlan &plan);
  void promptGrew(const StepPlan::Part &part, std::vector<Draw> &draws);
  void promptFed(const StepPlan::Part &part, std::vector<Draw> &draws);
  void endUngenerated(Job &job);
  void draw(std::vector<Draw> draws);
  void drawAndTell(std::vector<Draw> draws);
  void take(Run &run, Drawn drawn);
  void sweep();
  void count();

  Session &session;
  TextModel &text;
  Metrics &metrics;
  SlotStates slots;
  StepPace pace;
  RowThreads threads;
  StepResults results;
  JobEnds ends;
  std::vector<Run> runs;
  WaitingChoices waiting;
  size_t turn = 0;
  int64_t wantedRows;
};

} // namespace cheems::serve

#endif
