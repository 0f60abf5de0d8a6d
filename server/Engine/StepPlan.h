// What goes through the session at once.
#ifndef CHEEMS_SERVER_ENGINE_STEPPLAN_H
#define CHEEMS_SERVER_ENGINE_STEPPLAN_H

#include "runtime/StepView.h"
#include "server/Engine/Run.h"

namespace cheems::serve {

class StepPlan {
public:
  /// What it has of one run.
  struct Part {
    size_t run;               ///< which of the runs
    int64_t rows, start;      ///< of the step
    int64_t firstRow, wanted; ///< of the logits that come of it
    int64_t firstEmbedding, embedded;
  };

  /// `count` rows more, of the `index`-th run, whose slot was fed `position`
  /// tokens.
  void add(size_t index, const Run &run, int64_t position, int64_t count);

  const std::vector<Part> &parts() const { return list; }
  Span<const int32_t> tokensOf(const Part &part) const {
    return Span<const int32_t>(tokens).part(part.start, part.rows);
  }
  int64_t tokenCount() const { return static_cast<int64_t>(tokens.size()); }
  /// How many of the tokens are of texts.
  int64_t decodedCount() const { return decoded; }
  /// Without a place for embeddings, until the next call of `add`.
  StepView view() const { return {tokens, segments, rows, embeddingRows}; }

private:
  std::vector<Part> list;
  std::vector<int32_t> tokens, rows, embeddingRows;
  std::vector<cheems_segment> segments;
  int64_t decoded = 0;
};

} // namespace cheems::serve

#endif
