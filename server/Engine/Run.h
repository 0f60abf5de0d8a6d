// A slot that runs: the prompt of a job, then one of its choices.
#ifndef CHEEMS_SERVER_ENGINE_RUN_H
#define CHEEMS_SERVER_ENGINE_RUN_H

#include "server/Engine/Job.h"

namespace cheems::serve {

struct Run {
  std::shared_ptr<Job> job;
  int64_t slot = 0;
  Choice *choice = nullptr; ///< null: the prompt is fed
  Clock::time_point last;   ///< when its newest token came
  /// Logits of which the next token is to be drawn, once the choice is
  /// prepared for that. Until then it is in no step. Else empty.
  std::vector<float> row;

  bool isPreparing() const { return !row.empty(); }
  bool ended() const { return job->over || (choice && choice->ended()); }
};

} // namespace cheems::serve

#endif
