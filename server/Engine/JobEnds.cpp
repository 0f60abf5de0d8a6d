#include "server/Engine/JobEnds.h"

namespace cheems::serve {

void JobEnds::fail(Job &job, const GenerationFault &fault) {
  if (job.over) {
    return;
  }
  job.over = true;
  ++metrics.finishedError;
  onOver(job);
  job.sink->failed(fault);
}

void JobEnds::finish(Job &job) {
  for (const auto &choice : job.choices) {
    FinishReason reason =
        choice->ended().value_or(ChoiceEnd()).reason; // all have ended
    ++(reason == FinishReason::stop     ? metrics.finishedStop
       : reason == FinishReason::length ? metrics.finishedLength
                                        : metrics.finishedAbort);
  }
  metrics.endToEnd.observe(secondsBetween(job.came, Clock::now()));
  onOver(job);
  job.finish();
}

void JobEnds::cancel(Job &job) {
  ++metrics.cancelledByClient;
  for (const auto &choice : job.choices) {
    choice->end(FinishReason::cancelled, *job.sink);
  }
  finish(job);
}

} // namespace cheems::serve
