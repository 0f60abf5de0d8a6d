// A request that was taken, until it has ended.
#ifndef CHEEMS_SERVER_ENGINE_JOB_H
#define CHEEMS_SERVER_ENGINE_JOB_H

#include "runtime/Session/Session.h"
#include "server/Engine/Checkpoints.h"
#include "server/Engine/Choice.h"

#include <chrono>
#include <memory>
#include <vector>

namespace cheems::serve {

using Clock = std::chrono::steady_clock;

inline int64_t nanosecondsSince(Clock::time_point from) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() -
                                                              from)
      .count();
}
inline double secondsBetween(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

struct Job {
  GenerationRequest request;
  std::shared_ptr<GenerationSink> sink;
  std::shared_ptr<GenerationTicket> ticket;
  ChoiceRules rules;
  Sampler sampler{SamplingOptions()};     ///< of the request, nothing accepted
  std::unique_ptr<Constraint> constraint; ///< of its first token; or null
  Clock::time_point came, started, prompted, firstToken;
  GenerationUsage usage;
  std::vector<std::unique_ptr<Choice>> choices; ///< once it has a slot
  std::vector<Checkpoint> checkpoints;          ///< still to come, ascending
  /// The first choice that has no slot yet, and what it begins with.
  size_t nextChoice = 0;
  Snapshot promptState;
  std::vector<float> promptLogits;
  EmbeddingSum embedding; ///< of the rows of the prompt that were fed
  bool over = false;      ///< `done` or `failed` was called

  int64_t promptSize() const {
    return static_cast<int64_t>(request.prompt.size());
  }
  bool wantsPromptLogprobs() const {
    return request.promptLogprobs && rules.topLogprobs;
  }
  /// Whether the request needs the embeddings of all rows of the prompt, or
  /// only the last row's.
  bool wantsAllEmbeddings() const { return request.embedding == Pooling::mean; }
  /// Whether a state of an earlier prompt may serve: one that wants something
  /// of each of its tokens computes them all.
  bool mayReuse() const {
    return request.cachePrompt && !wantsPromptLogprobs() &&
           !wantsAllEmbeddings();
  }
  bool allEnded() const;
  bool cancelled() const {
    return ticket->cancelled.load(std::memory_order_relaxed);
  }
  /// Calls `done`, with the times filled in. All choices have ended.
  void finish();
};

} // namespace cheems::serve

#endif
