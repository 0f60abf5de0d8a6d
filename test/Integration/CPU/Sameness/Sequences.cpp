#include "Sequences.h"
#include "test/unit/Support/RandomCheckpoint.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <limits>

namespace cheems::test {

Logits Logits::part(int64_t from, int64_t to) const {
  return {
      vocabulary,
      {values.begin() + from * vocabulary, values.begin() + to * vocabulary}};
}

void Logits::append(const Logits &more) {
  vocabulary = more.vocabulary;
  values.insert(values.end(), more.values.begin(), more.values.end());
}

Ids drawIds(const Model &model, int64_t count, uint64_t seed) {
  Random random(seed);
  int64_t different = std::min<int64_t>(model.metadata().vocabulary, 40);
  Ids ids(count);
  for (int32_t &id : ids) {
    id = static_cast<int32_t>(random.integer(0, different - 1));
  }
  return ids;
}

Ids part(const Ids &ids, int64_t from, int64_t to) {
  return {ids.begin() + from, ids.begin() + to};
}

Session makeSession(const std::shared_ptr<const Model> &model, int64_t slots,
                    int threads, int64_t rows, int64_t context) {
  constexpr int64_t enough = 2048;
  SessionOptions options;
  options.slots = slots;
  options.threads = threads;
  options.prefillChunk = rows;
  options.context = context                            ? context
                    : model->metadata().defaultContext ? 0
                                                       : enough;
  return Session(model, options);
}

std::vector<Logits> feed(Session &session, const std::vector<Piece> &pieces) {
  Ids tokens, rows;
  std::vector<cheems_segment> segments;
  for (const Piece &piece : pieces) {
    cheems_segment segment = {};
    segment.slot = static_cast<int32_t>(piece.slot);
    segment.start = static_cast<int32_t>(tokens.size());
    segment.length = static_cast<int32_t>(piece.ids.size());
    segment.position = static_cast<int32_t>(session.position(piece.slot));
    segment.rope_length = static_cast<int32_t>(piece.ropeLength);
    segments.push_back(segment);
    tokens.insert(tokens.end(), piece.ids.begin(), piece.ids.end());
  }
  for (size_t i = 0; i < tokens.size(); ++i) {
    rows.push_back(static_cast<int32_t>(i));
  }
  // what a step leaves unwritten is then NaN
  Logits all{session.vocabulary(),
             std::vector<float>(tokens.size() * session.vocabulary(), NAN)};
  session.step({tokens, segments, rows}, all.values.data());
  std::vector<Logits> result;
  for (const cheems_segment &segment : segments) {
    result.push_back(all.part(segment.start, segment.start + segment.length));
  }
  return result;
}

Logits whole(Session &session, int64_t slot, const Ids &ids) {
  return feed(session, {{slot, ids}})[0];
}

Logits chunked(Session &session, int64_t slot, const Ids &ids,
               const std::vector<int64_t> &lengths) {
  int64_t count = static_cast<int64_t>(ids.size()),
          all = session.position(slot) + count;
  Logits result;
  for (int64_t done = 0, i = 0; done < count; ++i) {
    int64_t length = lengths[std::min<size_t>(i, lengths.size() - 1)],
            end = std::min(count, done + length);
    result.append(feed(session, {{slot, part(ids, done, end), all}})[0]);
    done = end;
  }
  return result;
}

Logits decoded(Session &session, int64_t slot, const Ids &ids) {
  return chunked(session, slot, ids, {1});
}

testing::AssertionResult same(const Logits &a, const Logits &b) {
  if (a.values.size() != b.values.size()) {
    return testing::AssertionFailure()
           << a.rows() << " and " << b.rows() << " rows";
  }
  int64_t differ = 0, first = -1;
  for (size_t i = 0; i < a.values.size(); ++i) {
    if (!std::isfinite(a.values[i])) {
      return testing::AssertionFailure()
             << "row " << i / a.vocabulary << " holds " << a.values[i];
    }
    if (llvm::bit_cast<uint32_t>(a.values[i]) !=
        llvm::bit_cast<uint32_t>(b.values[i])) {
      first = first < 0 ? static_cast<int64_t>(i) : first;
      ++differ;
    }
  }
  if (differ == 0) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure()
         << differ << " of " << a.values.size()
         << " logits differ, first in row " << first / a.vocabulary << " of "
         << a.rows() << ", column " << first % a.vocabulary << ": "
         << a.values[first] << " and " << b.values[first] << "; by "
         << distance(a, b) << " deviations";
}

double distance(const Logits &a, const Logits &b) {
  double count = static_cast<double>(a.values.size()), mean = 0, square = 0,
         largest = 0;
  for (size_t i = 0; i < a.values.size(); ++i) {
    mean += a.values[i] / count;
    square += double(a.values[i]) * a.values[i] / count;
    double difference = std::abs(double(a.values[i]) - b.values[i]);
    largest = std::isnan(difference) ? std::numeric_limits<double>::infinity()
                                     : std::max(largest, difference);
  }
  return largest / std::sqrt(square - mean * mean);
}

} // namespace cheems::test
