// What a step gives: logits and embeddings of rows.
#ifndef CHEEMS_SERVER_ENGINE_STEPRESULTS_H
#define CHEEMS_SERVER_ENGINE_STEPRESULTS_H

#include "server/Engine/StepPlan.h"

namespace cheems::serve {

/// Holds the results of the last step. The memory serves the next one, too.
class StepResults {
public:
  explicit StepResults(Session &session) : session(session) {}

  void compute(const StepPlan &plan);

  /// The logits of a row that the step was asked for. They are valid until the
  /// next call of any function.
  const float *row(int64_t index);
  /// The logits of several rows, whose indices ascend and may be equal. They
  /// are valid for as long.
  std::vector<const float *> rows(const std::vector<int64_t> &indices);
  /// At least `count` of the best logits of a row, valid for as long; nothing
  /// if they cannot be had without the row.
  std::optional<TopLogits> best(size_t count, int64_t index);
  Span<const float> embedding(int64_t index) const {
    return Span<const float>(embeddings)
        .part(index * session.hidden(), session.hidden());
  }

private:
  Session &session;
  bool keeps = false; ///< the logits are the session's
  std::vector<float> logits, embeddings;
  std::vector<float> copies; ///< of rows that the session keeps
};

} // namespace cheems::serve

#endif
