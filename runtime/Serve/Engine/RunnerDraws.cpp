// The next tokens of a step's texts.
#include "runtime/Serve/Engine/Faults.h"
#include "runtime/Serve/Engine/Runner.h"

namespace cheems::serve {

/// Logits of a row that the step was asked for, until the session's next call.
const float *Runner::rowOf(int64_t index) {
  return keeps ? session.keptLogits(index)
               : logits.data() + index * session.vocabulary();
}

/// Draws what the best logits decide, and finds the rows of the rest.
void Runner::findRows() {
  std::vector<int64_t> indices;
  for (Draw &each : draws) {
    Choice &choice = *runs[each.run].choice;
    size_t enough = keeps ? choice.enough() : 0;
    if (enough != 0) {
      if (auto best = session.topLogits(enough, each.index)) {
        if (auto drawn = choice.draw(*best)) {
          each.drawn = std::move(*drawn);
          each.done = true;
          continue;
        }
      }
    }
    if (indices.empty() || indices.back() != each.index) {
      indices.push_back(each.index);
    }
  }
  bool copied = keeps && indices.size() > 1 && !session.keepsRowsTogether();
  auto vocabulary = static_cast<size_t>(session.vocabulary());
  if (copied) {
    copies.resize(indices.size() * vocabulary);
    for (size_t i = 0; i < indices.size(); ++i) {
      const float *row = session.keptLogits(indices[i]);
      std::copy(row, row + vocabulary, copies.data() + i * vocabulary);
    }
  }
  size_t place = 0;
  for (Draw &each : draws) {
    if (!each.done) {
      place += indices[place] != each.index;
      each.row =
          copied ? copies.data() + place * vocabulary : rowOf(each.index);
    }
  }
}

void Runner::draw() {
  Clock::time_point begin = Clock::now();
  try {
    findRows();
    metrics.drawing += nanosecondsSince(begin);
  } catch (const std::exception &error) { // a card that fails
    for (Draw &each : draws) {
      slots.erase(runs[each.run].slot);
      fail(*runs[each.run].job, faultOf(error));
    }
    return;
  }
  drawAll();
}

/// Grammars are prepared piece by piece, so that one of a request cannot hold
/// up the texts of others: what is not ready waits outside of the steps.
void Runner::drawAll() {
  Clock::time_point begin = Clock::now();
  std::vector<Draw *> open;
  int64_t work = 0;
  for (Draw &each : draws) {
    if (!each.done) {
      open.push_back(&each);
      work += runs[each.run].choice->enough() == 1 ? 1 : drawPasses;
    }
  }
  inParallel(static_cast<int64_t>(open.size()), work, [&](int64_t i) {
    Draw &each = *open[static_cast<size_t>(i)];
    Choice &choice = *runs[each.run].choice;
    each.waiting = !choice.prepare();
    if (!each.waiting) {
      each.drawn = choice.draw(each.row, session.vocabulary());
    }
  });
  metrics.drawing += nanosecondsSince(begin);
  begin = Clock::now();
  for (Draw &each : draws) {
    std::vector<float> &row = runs[each.run].row;
    if (!each.waiting) {
      row.clear();
      take(each.run, std::move(each.drawn));
    } else if (row.empty()) {
      row.assign(each.row, each.row + session.vocabulary());
    }
  }
  metrics.telling += nanosecondsSince(begin);
}

void Runner::drawWaiting() {
  draws.clear();
  for (size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i].row.empty()) {
      draws.emplace_back(i, 0);
      draws.back().row = runs[i].row.data();
    }
  }
  drawAll();
}

} // namespace cheems::serve
