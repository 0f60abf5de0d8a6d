// How jobs that have run are over: what is counted of it, and who hears.
#ifndef CHEEMS_SERVER_ENGINE_JOBENDS_H
#define CHEEMS_SERVER_ENGINE_JOBENDS_H

#include "server/Engine/Job.h"
#include "server/Engine/Metrics.h"

#include <functional>

namespace cheems::serve {

class JobEnds {
public:
  /// `onOver` is called of each job before its sink hears that it is over.
  JobEnds(Metrics &metrics, std::function<void(const Job &job)> onOver)
      : metrics(metrics), onOver(std::move(onOver)) {}

  /// Nothing where it is over.
  void fail(Job &job, const GenerationFault &fault);
  /// All of its choices have ended.
  void finish(Job &job);
  /// The client wants it no more.
  void cancel(Job &job);

private:
  Metrics &metrics;
  std::function<void(const Job &job)> onOver;
};

} // namespace cheems::serve

#endif
