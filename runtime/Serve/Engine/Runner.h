// Runs the sequences of requests on a session, step by step: for the engine's
// thread alone.
#ifndef CHEEMS_RUNTIME_SERVE_ENGINE_RUNNER_H
#define CHEEMS_RUNTIME_SERVE_ENGINE_RUNNER_H

#include "runtime/Serve/Engine/EngineOptions.h"
#include "runtime/Serve/Engine/Job.h"
#include "runtime/Serve/Engine/Scheduler.h"
#include "runtime/Serve/Engine/SlotStates.h"
#include "runtime/ThreadPool/ThreadPool.h"

#include <deque>
#include <functional>
#include <optional>

namespace cheems::serve {

class Runner {
public:
  /// What a draw or a log-probability takes, in passes over a row of logits:
  /// exponentials, copies and sums. A search for the highest is one.
  static constexpr int64_t drawPasses = 16;
  /// So many states are kept beside those of the slots, for each slot.
  static constexpr int64_t statesPerSlot = 2;

  /// All must outlive it.
  Runner(Session &session, TextModel &text, Metrics &metrics,
         const EngineOptions &options);

  /// Gives the job a slot and begins; false where none is free. A job that
  /// cannot begin has failed then.
  bool start(const std::shared_ptr<Job> &job);
  bool idle() const { return runs.empty() && !hasWaiting(); }
  bool hasFree() const { return slots.hasFree(); }
  /// Whether choices of running jobs wait for a slot.
  bool hasWaiting() const { return !waiting.empty() || !aside.empty(); }
  /// One of them gets a slot, where one is free; each job's in turn.
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
  /// Called of each job before its sink hears that it is over.
  std::function<void(const Job &job)> onOver;
  /// Ends jobs for which `why` gives a fault, and those that were cancelled.
  void endWhere(
      const std::function<std::optional<GenerationFault>(const Job &)> &why);

  SlotStates &states() { return slots; }
  std::vector<SlotView> view() const;

private:
  /// A slot that runs: the prompt of a job, then one of its choices.
  struct Run {
    std::shared_ptr<Job> job;
    int64_t slot = 0;
    Choice *choice = nullptr; ///< null: the prompt is fed
    Clock::time_point last;   ///< when its newest token came
    /// Logits of which the next token is to be drawn, once the choice is
    /// prepared for that. Until then it is in no step. Else empty.
    std::vector<float> row;
  };
  /// Choices of a job that wait for a slot, and what they begin with.
  struct Waiting {
    std::shared_ptr<Job> job;
    SlotContents contents;
  };
  /// A choice that gave its slot up, and what it goes on with.
  struct Aside {
    Run run; ///< its slot counts no more
    Snapshot state;
    SlotContents contents;
  };
  /// A choice that draws from a row of the step.
  struct Draw {
    Draw(size_t run, int64_t index) : run(run), index(index) {}
    size_t run;
    int64_t index;
    const float *row = nullptr;
    Drawn drawn;
    bool done = false;    ///< it was drawn from the best ones
    bool waiting = false; ///< it is not prepared
  };
  /// A segment of a step.
  struct Part {
    size_t run;
    int64_t rows, start;      ///< of the step
    int64_t firstRow, wanted; ///< of the logits that come of it
    int64_t firstEmbedding, embedded;
  };

  void setUp(Job &job, const Reuse &reuse);
  bool startAside();
  bool startChoice();
  Wish wishOf(const Run &run) const;
  void plan();
  void add(size_t run, int64_t count);
  void compute();
  void failStep(const GenerationFault &fault);
  void receive();
  void promptGrew(const Part &part);
  void promptFed(const Part &part);
  void addEmbeddings(const Part &part);
  void tellEmbedding(Job &job);
  void tellPromptLogprobs(const Part &part, int64_t position);
  const float *rowOf(int64_t index);
  void findRows();
  void draw();
  void drawAll();
  void drawWaiting();
  void take(size_t run, Drawn drawn);
  void fail(Job &job, const GenerationFault &fault);
  void finish(Job &job);
  void sweep();
  void count();
  /// `passes`: over rows of logits, of all that `act` does.
  void inParallel(int64_t count, int64_t passes,
                  const std::function<void(int64_t)> &act);

  Session &session;
  TextModel &text;
  Metrics &metrics;
  SlotStates slots;
  StepPace pace;
  /// That choose tokens beside a card; else the session's threads do, which
  /// are awake right behind a step.
  std::optional<ThreadPool> helpers;
  std::vector<Run> runs;
  std::deque<Waiting> waiting; ///< the first one's turn is next
  std::deque<Aside> aside;
  size_t turn = 0;
  int64_t wantedRows;

  // Of the step at hand.
  std::vector<Part> parts;
  std::vector<int32_t> tokens, rows, embeddingRows;
  std::vector<cheems_segment> segments;
  bool keeps = false; ///< its logits are the session's
  std::vector<float> logits, embeddings;
  std::vector<Draw> draws;
  std::vector<float> copies; ///< of rows that the session keeps
};

} // namespace cheems::serve

#endif
