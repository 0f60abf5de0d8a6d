#include "server/Engine/Job.h"
#include <algorithm>

namespace cheems::serve {

bool Job::allEnded() const {
  return std::all_of(choices.begin(), choices.end(), [](const auto &choice) {
    return choice->ended().has_value();
  });
}

void Job::finish() {
  Clock::time_point now = Clock::now();
  usage.promptTokens = promptSize();
  usage.generatedTokens = 0;
  for (const auto &choice : choices) {
    usage.generatedTokens += choice->tokens();
  }
  bool began = started != Clock::time_point();
  usage.queueSeconds = secondsBetween(came, began ? started : now);
  bool fed = prompted != Clock::time_point();
  usage.promptSeconds =
      began ? secondsBetween(started, fed ? prompted : now) : 0;
  usage.generationSeconds = fed ? secondsBetween(prompted, now) : 0;
  over = true;
  sink->done(usage);
}

} // namespace cheems::serve
