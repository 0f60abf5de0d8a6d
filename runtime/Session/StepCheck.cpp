#include "runtime/Session/StepCheck.h"
#include <algorithm>

using namespace cheems;

namespace {

Error invalid(const std::string &message) {
  return Error(Status::usage, "step refused: " + message);
}

} // namespace

StepCheck::StepCheck(int64_t vocabulary, int64_t slots, int64_t maxRows,
                     int64_t context)
    : vocabulary(vocabulary), slots(slots), maxRows(maxRows), context(context),
      order(slots), seen(slots) {}

void StepCheck::check(const StepView &step,
                      const std::vector<int32_t> &positions) {
  if (!step.tokens.data() || !step.segments.data() ||
      (!step.rows.empty() && !step.rows.data())) {
    throw invalid("a needed pointer is null");
  }
  if (step.tokens.size() < 1 || step.tokens.size() > maxRows) {
    throw invalid(std::to_string(step.tokens.size()) +
                  " tokens, but this session takes 1 to " +
                  std::to_string(maxRows) + " at a time");
  }
  if (step.rows.size() < 0 || step.rows.size() > step.tokens.size()) {
    throw invalid("logits of " + std::to_string(step.rows.size()) +
                  " rows are wanted, but the step has " +
                  std::to_string(step.tokens.size()));
  }
  if (step.embeddingRows.size() < 0 ||
      step.embeddingRows.size() > step.tokens.size()) {
    throw invalid("embeddings of " + std::to_string(step.embeddingRows.size()) +
                  " rows are wanted, but the step has " +
                  std::to_string(step.tokens.size()));
  }
  if (!step.embeddingRows.empty() &&
      (!step.embeddingRows.data() || !step.embeddings)) {
    throw invalid("a needed pointer is null");
  }
  for (int64_t i = 0; i < step.embeddingRows.size(); ++i) {
    if (step.embeddingRows[i] < 0 ||
        step.embeddingRows[i] >= step.tokens.size()) {
      throw invalid("the embedding of row " +
                    std::to_string(step.embeddingRows[i]) +
                    " is wanted, but rows go from 0 to " +
                    std::to_string(step.tokens.size() - 1));
    }
  }
  for (int64_t i = 0; i < step.tokens.size(); ++i) {
    if (step.tokens[i] < 0 || step.tokens[i] >= vocabulary) {
      throw invalid("token " + std::to_string(step.tokens[i]) + " at row " +
                    std::to_string(i) + " is outside the vocabulary (0 to " +
                    std::to_string(vocabulary - 1) + ")");
    }
  }
  for (int64_t i = 0; i < step.rows.size(); ++i) {
    if (step.rows[i] < 0 || step.rows[i] >= step.tokens.size()) {
      throw invalid("logits of row " + std::to_string(step.rows[i]) +
                    " are wanted, but rows go from 0 to " +
                    std::to_string(step.tokens.size() - 1));
    }
  }
  checkSegments(step, positions);
}

void StepCheck::checkSegments(const StepView &step,
                              const std::vector<int32_t> &positions) {
  if (step.segments.size() < 1 || step.segments.size() > slots) {
    throw invalid(std::to_string(step.segments.size()) +
                  " segments, but this session has " + std::to_string(slots) +
                  " slot(s)");
  }
  std::fill(seen.begin(), seen.end(), false);
  for (int64_t i = 0; i < step.segments.size(); ++i) {
    const cheems_segment &segment = step.segments[i];
    auto where = [i] { return "segment " + std::to_string(i); };
    if (segment.slot < 0 || segment.slot >= slots) {
      throw invalid(where() + " names slot " + std::to_string(segment.slot) +
                    ", but slots go from 0 to " + std::to_string(slots - 1));
    }
    if (seen[segment.slot]) {
      throw invalid(where() + " names slot " + std::to_string(segment.slot) +
                    " again");
    }
    seen[segment.slot] = true;
    order[i] = static_cast<int32_t>(i);
    if (segment.length < 1 || segment.start < 0 ||
        int64_t(segment.start) + segment.length > step.tokens.size()) {
      throw invalid(where() + " (start " + std::to_string(segment.start) +
                    ", length " + std::to_string(segment.length) +
                    ") is empty or outside the step's " +
                    std::to_string(step.tokens.size()) + " rows");
    }
    if (segment.position != positions[segment.slot]) {
      throw invalid(where() + " starts at position " +
                    std::to_string(segment.position) + ", but slot " +
                    std::to_string(segment.slot) + " has been fed " +
                    std::to_string(positions[segment.slot]) + " tokens");
    }
    int64_t end = int64_t(segment.position) + segment.length;
    if (end > context) {
      throw ContextFull("the context is full: slot " +
                        std::to_string(segment.slot) + " would hold " +
                        std::to_string(end) + " tokens and the context is " +
                        std::to_string(context) + "; raise it with -c");
    }
    if (segment.rope_length < end) {
      throw invalid(where() + " has rope_length " +
                    std::to_string(segment.rope_length) + ", below its end " +
                    std::to_string(end));
    }
  }

  auto byStart = [&](int32_t a, int32_t b) {
    return step.segments[a].start < step.segments[b].start;
  };
  std::sort(order.begin(), order.begin() + step.segments.size(), byStart);
  int64_t next = 0;
  for (int64_t i = 0; i < step.segments.size(); ++i) {
    const cheems_segment &segment = step.segments[order[i]];
    if (segment.start < next) {
      throw invalid("row " + std::to_string(segment.start) +
                    " is in two segments");
    }
    if (segment.start > next) {
      throw invalid("row " + std::to_string(next) + " is in no segment");
    }
    next = int64_t(segment.start) + segment.length;
  }
  if (next != step.tokens.size()) {
    throw invalid("row " + std::to_string(next) + " is in no segment");
  }
}
