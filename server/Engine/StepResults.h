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

  /// Logits of a row that the step was asked for, until the next call of any
  /// function.
  const float *row(int64_t index);
  /// Those of several, ascending, of which some may be equal; for as long.
  std::vector<const float *> rows(const std::vector<int64_t> &indices);
  /// At least `count` of the best of a row, for as long; nothing where they are
  /// not found on their own.
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
