#include "server/Engine/Draws.h"

namespace cheems::serve {

void drawBest(std::vector<Draw> &draws, StepResults &results) {
  std::vector<Draw *> open;
  std::vector<int64_t> indices;
  for (Draw &each : draws) {
    if (auto best = results.best(each.choice->enough(), each.index)) {
      if (auto drawn = each.choice->draw(*best)) {
        each.drawn = std::move(*drawn);
        each.done = true;
        continue;
      }
    }
    open.push_back(&each);
    indices.push_back(each.index);
  }
  std::vector<const float *> rows = results.rows(indices);
  for (size_t i = 0; i < open.size(); ++i) {
    open[i]->row = rows[i];
  }
}

void drawRest(std::vector<Draw> &draws, int64_t vocabulary,
              RowThreads &threads) {
  std::vector<Draw *> open;
  int64_t passes = 0;
  for (Draw &each : draws) {
    if (!each.done) {
      open.push_back(&each);
      passes += each.choice->enough() == 1 ? 1 : RowThreads::drawPasses;
    }
  }
  threads.forEach(static_cast<int64_t>(open.size()), passes, [&](int64_t i) {
    Draw &each = *open[static_cast<size_t>(i)];
    each.waiting = !each.choice->prepare();
    if (!each.waiting) {
      each.drawn = each.choice->draw(each.row, vocabulary);
      each.done = true;
    }
  });
}

} // namespace cheems::serve
