#include "server/Engine/PromptLogprobs.h"
#include "server/Engine/Logprobs.h"
#include <algorithm>
#include <numeric>

namespace cheems::serve {

std::vector<TokenLogprob>
promptLogprobs(const Job &job, const StepPlan::Part &part, int64_t position,
               int64_t vocabulary, StepResults &results, RowThreads &threads) {
  std::vector<TokenLogprob> told;
  if (position == 0) {
    TokenLogprob first;
    first.token = job.request.prompt[0];
    told.push_back(first);
  }
  // the row after the last token tells of none of the prompt
  int64_t count = std::min(part.rows, job.promptSize() - 1 - position);
  size_t before = told.size();
  told.resize(before + static_cast<size_t>(count));
  std::vector<int64_t> indices(static_cast<size_t>(count));
  std::iota(indices.begin(), indices.end(), part.firstRow);
  std::vector<const float *> rows = results.rows(indices);
  threads.forEach(count, RowThreads::drawPasses * count, [&](int64_t i) {
    auto row = static_cast<size_t>(i);
    told[before + row] = tokenLogprob(
        rows[row], vocabulary,
        job.request.prompt[static_cast<size_t>(position) + row + 1],
        *job.rules.topLogprobs);
  });
  return told;
}

} // namespace cheems::serve
