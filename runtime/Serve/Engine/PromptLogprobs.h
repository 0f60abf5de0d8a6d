// Log-probabilities of the tokens of a prompt.
#ifndef CHEEMS_RUNTIME_SERVE_ENGINE_PROMPTLOGPROBS_H
#define CHEEMS_RUNTIME_SERVE_ENGINE_PROMPTLOGPROBS_H

#include "runtime/Serve/Engine/RowThreads.h"
#include "runtime/Serve/Engine/StepResults.h"

namespace cheems::serve {

/// Those of which a step tells that fed `part` of the job's prompt, behind
/// `position` tokens. The first token of a prompt has none.
std::vector<TokenLogprob>
promptLogprobs(const Job &job, const StepPlan::Part &part, int64_t position,
               int64_t vocabulary, StepResults &results, RowThreads &threads);

} // namespace cheems::serve

#endif
