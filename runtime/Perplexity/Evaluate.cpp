#include "runtime/Perplexity/Evaluate.h"
#include "runtime/Generation/TokenIds.h"
#include <algorithm>
#include <numeric>
#include <optional>

namespace cheems {

namespace {

/// Rows at a time: logits of more cost memory and win little.
constexpr int64_t mostRows = 512;

/// A session on its way through the chunks.
class Reader {
public:
  Reader(Session &session, int64_t rows)
      : session(session), wanted(static_cast<size_t>(rows)),
        logits(static_cast<size_t>(rows * session.vocabulary())) {}

  /// Feeds `count` tokens at `position` of a chunk of `length`, which is slot
  /// 0's whole content; logits of those from row `first` on.
  void feed(const int32_t *tokens, int64_t position, int64_t count,
            int64_t first, int64_t length) {
    if (position == 0) {
      session.reset(0);
    }
    cheems_segment segment = {};
    segment.length = static_cast<int32_t>(count);
    segment.position = static_cast<int32_t>(position);
    segment.rope_length = static_cast<int32_t>(length);
    int64_t rows = count - first;
    std::iota(wanted.begin(), wanted.begin() + rows,
              static_cast<int32_t>(first));
    session.step(
        {{tokens + position, count}, {&segment, 1}, {wanted.data(), rows}},
        logits.data());
  }
  /// Returns the distribution after row first + i of what was fed last.
  LogSoftmax distribution(int64_t i) const {
    return {logits.data() + i * session.vocabulary(), session.vocabulary()};
  }

private:
  Session &session;
  std::vector<int32_t> wanted;
  std::vector<float> logits;
};

} // namespace

Evaluation evaluate(Session &model, Session *base, const TextChunks &chunks,
                    const EvaluationProgress &progress) {
  // A chunk's last token is only predicted, so no step looks at it.
  checkVocabulary(chunks.tokens, model.vocabulary());
  if (base) {
    checkVocabulary(chunks.tokens, base->vocabulary());
  }
  int64_t rows = std::min(mostRows, model.maxRows());
  if (base) {
    rows = std::min(rows, base->maxRows());
  }
  rows = std::min(rows, chunks.length);
  Reader reader(model, rows);
  std::optional<Reader> other;
  if (base) {
    other.emplace(*base, rows);
  }
  Evaluation result;
  int64_t length = chunks.length;
  for (int64_t i = 0; i < chunks.count(); ++i) {
    const int32_t *tokens = chunks.chunk(i);
    // the last token predicts what the chunk does not hold
    for (int64_t at = 0; at < length - 1; at += rows) {
      int64_t count = std::min(rows, length - 1 - at);
      int64_t first = std::clamp<int64_t>(chunks.firstScored() - at, 0, count);
      reader.feed(tokens, at, count, first, length);
      if (other) {
        other->feed(tokens, at, count, first, length);
      }
      for (int64_t row = first; row < count; ++row) {
        int64_t next = tokens[at + row + 1];
        LogSoftmax own = reader.distribution(row - first);
        result.perplexity.add(own, next);
        if (other) {
          LogSoftmax theirs = other->distribution(row - first);
          result.base.add(theirs, next);
          result.divergence.add(theirs, own, base->vocabulary());
        }
      }
      progress(i * length + at + count, chunks.count() * length, result);
    }
  }
  return result;
}

} // namespace cheems
