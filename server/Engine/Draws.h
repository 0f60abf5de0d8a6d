// The next tokens of texts, drawn from rows of logits.
#ifndef CHEEMS_SERVER_ENGINE_DRAWS_H
#define CHEEMS_SERVER_ENGINE_DRAWS_H

#include "server/Engine/RowThreads.h"
#include "server/Engine/StepResults.h"

namespace cheems::serve {

/// A choice that draws.
struct Draw {
  /// From a row that the step was asked for.
  Draw(size_t run, Choice &choice, int64_t index)
      : run(run), choice(&choice), index(index) {}
  Draw(size_t run, Choice &choice, const float *row)
      : run(run), choice(&choice), row(row) {}

  size_t run; ///< which of the runs
  Choice *choice;
  int64_t index = 0;
  const float *row = nullptr; ///< null: it is not found yet, or not needed
  Drawn drawn;
  bool done = false;    ///< it was drawn
  bool waiting = false; ///< it is not prepared
};

/// Draws what the best logits decide, and finds the rows of the rest. `draws`
/// ascend by row.
void drawBest(std::vector<Draw> &draws, StepResults &results);

/// Draws the rest from their rows, but for choices that are not prepared:
/// grammars are prepared piece by piece, so that one of a request cannot hold
/// up the texts of others.
void drawRest(std::vector<Draw> &draws, int64_t vocabulary,
              RowThreads &threads);

} // namespace cheems::serve

#endif
