#include "server/Engine/StepResults.h"
#include <algorithm>

namespace cheems::serve {

void StepResults::compute(const StepPlan &plan) {
  StepView step = plan.view();
  keeps = step.rows.size() <= session.slots();
  embeddings.resize(
      static_cast<size_t>(step.embeddingRows.size() * session.hidden()));
  step.embeddings = embeddings.data();
  if (keeps) {
    session.stepKeeping(step);
  } else {
    logits.resize(static_cast<size_t>(step.rows.size() * session.vocabulary()));
    session.step(step, logits.data());
  }
}

const float *StepResults::row(int64_t index) {
  return keeps ? session.keptLogits(index)
               : logits.data() + index * session.vocabulary();
}

std::vector<const float *>
StepResults::rows(const std::vector<int64_t> &indices) {
  std::vector<const float *> found;
  found.reserve(indices.size());
  auto isNew = [&](size_t i) { return i == 0 || indices[i] != indices[i - 1]; };
  size_t different = 0;
  for (size_t i = 0; i < indices.size(); ++i) {
    different += isNew(i);
  }
  auto vocabulary = static_cast<size_t>(session.vocabulary());
  bool copied = keeps && different > 1 && !session.keepsRowsTogether();
  copies.resize(copied ? different * vocabulary : copies.size());
  float *end = copies.data();
  const float *last = nullptr;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (isNew(i)) {
      last = row(indices[i]);
      if (copied) {
        end = std::copy_n(last, vocabulary, end);
        last = end - vocabulary;
      }
    }
    found.push_back(last);
  }
  return found;
}

std::optional<TopLogits> StepResults::best(size_t count, int64_t index) {
  return keeps && count != 0 ? session.topLogits(count, index) : std::nullopt;
}

} // namespace cheems::serve
