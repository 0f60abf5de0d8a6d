// Log-probabilities of tokens as clients are told them.
#ifndef CHEEMS_SERVER_ENGINE_LOGPROBS_H
#define CHEEMS_SERVER_ENGINE_LOGPROBS_H

#include "server/Engine/GenerationRequest.h"

namespace cheems::serve {

/// That of `token` behind a row of logits, with the `top` most probable ones.
/// Each number comes from the same subtraction in double, so a token's own and
/// that among the best are equal.
TokenLogprob tokenLogprob(const float *logits, int64_t vocabulary,
                          int32_t token, int64_t top);

} // namespace cheems::serve

#endif
