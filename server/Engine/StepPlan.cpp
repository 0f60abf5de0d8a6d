#include "server/Engine/StepPlan.h"

namespace cheems::serve {

namespace {

/// The last `count` rows of those before `end`; returns where they are.
int64_t addLast(std::vector<int32_t> &rows, int64_t end, int64_t count) {
  auto first = static_cast<int64_t>(rows.size());
  for (int64_t row = end - count; row < end; ++row) {
    rows.push_back(static_cast<int32_t>(row));
  }
  return first;
}

} // namespace

void StepPlan::add(size_t index, const Run &run, int64_t position,
                   int64_t count) {
  const Job &job = *run.job;
  Part part = {};
  part.run = index;
  part.rows = count;
  part.start = tokenCount();
  cheems_segment segment = {};
  segment.slot = static_cast<int32_t>(run.slot);
  segment.start = static_cast<int32_t>(part.start);
  segment.length = static_cast<int32_t>(count);
  segment.position = static_cast<int32_t>(position);
  if (run.choice) {
    tokens.push_back(run.choice->lastToken());
    part.wanted = 1;
    ++decoded;
  } else {
    segment.rope_length = static_cast<int32_t>(job.promptSize());
    auto first = job.request.prompt.begin() + position;
    tokens.insert(tokens.end(), first, first + count);
    bool last = position + count == job.promptSize();
    part.wanted = job.wantsPromptLogprobs()     ? count
                  : last && job.rules.limit > 0 ? 1
                                                : 0;
    part.embedded = job.wantsAllEmbeddings()        ? count
                    : last && job.request.embedding ? 1
                                                    : 0;
  }
  part.firstRow = addLast(rows, tokenCount(), part.wanted);
  part.firstEmbedding = addLast(embeddingRows, tokenCount(), part.embedded);
  segments.push_back(segment);
  list.push_back(part);
}

} // namespace cheems::serve
