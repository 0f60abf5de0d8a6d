// Log-probabilities of the tokens of a prompt.
#ifndef CHEEMS_SERVER_ENGINE_PROMPTLOGPROBS_H
#define CHEEMS_SERVER_ENGINE_PROMPTLOGPROBS_H

#include "server/Engine/RowThreads.h"
#include "server/Engine/StepResults.h"

namespace cheems::serve {

/// Those of which a step tells that fed `part` of the job's prompt, after
/// `position` tokens. The first token of a prompt has none.
std::vector<TokenLogprob>
promptLogprobs(const Job &job, const StepPlan::Part &part, int64_t position,
               int64_t vocabulary, StepResults &results, RowThreads &threads);

} // namespace cheems::serve

#endif
