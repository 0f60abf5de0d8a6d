#include "server/Engine/Logprobs.h"
#include "runtime/Sampler/LogSoftmax.h"

namespace cheems::serve {

TokenLogprob tokenLogprob(const float *logits, int64_t vocabulary,
                          int32_t token, int64_t top) {
  LogSoftmax row(logits, vocabulary);
  TokenLogprob result;
  result.token = token;
  result.logprob = row[token];
  if (top == 1) { // what lm-eval asks for, of each token of its prompts
    auto best = static_cast<int32_t>(row.best);
    result.best.push_back({best, row[best]});
  } else if (top > 1) {
    for (int32_t each : row.top(static_cast<size_t>(top))) {
      result.best.push_back({each, row[each]});
    }
  }
  return result;
}

} // namespace cheems::serve
