// Log-probabilities of tokens as clients are told them.
#ifndef CHEEMS_SERVER_ENGINE_LOGPROBS_H
#define CHEEMS_SERVER_ENGINE_LOGPROBS_H

#include "server/Engine/GenerationRequest.h"

namespace cheems::serve {

/// The log-probability of `token` after a row of logits, with the `top` most
/// probable tokens. All these numbers come from the same subtraction in double:
/// the one of `token` equals the one that it has among the best.
TokenLogprob tokenLogprob(const float *logits, int64_t vocabulary,
                          int32_t token, int64_t top);

} // namespace cheems::serve

#endif
