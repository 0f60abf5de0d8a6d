// Layers with a window of rows keep the latest of them in a ring. That a row
// takes the place of an earlier one changes no bit.
#include "Artefacts.h"
#include "Sequences.h"

using namespace cheems;
using namespace cheems::test;

namespace {

class Ring : public Compiled {
protected:
  static constexpr int64_t length = 2000, chunk = 64, context = 2048;

  /// One whose ring has an entry for each row.
  Session roomy() { return makeSession(model, 1, 2, context, context); }
  /// One whose rows go round, at least once in `length`.
  Session going(int64_t slots = 1) {
    const Metadata &data = model->metadata();
    EXPECT_EQ(data.ring(context, context), context);
    EXPECT_LT(data.ring(context, chunk), length);
    return makeSession(model, slots, 2, chunk, context);
  }
};
INSTANTIATE_TEST_SUITE_P(Models, Ring,
                         over({"smollm3-window-9", "smollm3-window-500"}),
                         caseName);

TEST_P(Ring, GoingRoundDoesNotShow) {
  Ids ids = drawIds(*model, length), tail = drawIds(*model, 40, 2);
  Session straight = roomy(), session = going();
  Logits want = whole(straight, 0, ids), more = decoded(straight, 0, tail);
  for (const std::vector<int64_t> &lengths :
       std::vector<std::vector<int64_t>>{{chunk}, {7}, {chunk, 1, 63, 1}}) {
    session.reset(0);
    EXPECT_TRUE(same(want, chunked(session, 0, ids, lengths))) << lengths[0];
    EXPECT_TRUE(same(more, decoded(session, 0, tail))) << lengths[0];
  }
}

TEST_P(Ring, SequencesThatGoRoundTogetherDoNotShow) {
  Ids ids = drawIds(*model, length), other = drawIds(*model, 1100, 3);
  Session straight = roomy(), session = going(3);
  Logits want = whole(straight, 0, ids), last = decoded(straight, 0, {1, 2, 3});
  chunked(session, 1, other, {chunk});
  Logits got{want.vocabulary, {}};
  constexpr int64_t each = 30;
  for (int64_t from = 0; from < length; from += each) {
    Ids next = part(ids, from, std::min(length, from + each));
    // Another sequence is a little behind, a third one decodes.
    std::vector<Logits> step = feed(
        session,
        {{2, next}, {0, part(other, from / 2, from / 2 + each)}, {1, {1}}});
    got.append(step[0]);
  }
  EXPECT_TRUE(same(want, got));
  for (int32_t token : {1, 2, 3}) {
    std::vector<Logits> step = feed(session, {{0, {5}}, {2, {token}}});
    EXPECT_TRUE(same(last.part(token - 1, token), step[1]));
  }
}

TEST_P(Ring, StatesGoIntoRingsOfOtherSizes) {
  Ids ids = drawIds(*model, length), tail = drawIds(*model, 40, 2);
  Session straight = roomy(), session = going(2);
  whole(straight, 0, ids);
  chunked(session, 1, ids, {chunk});
  Snapshot large = straight.snapshot(0), small = session.snapshot(1);
  EXPECT_EQ(large.state.bytes.size(), small.state.bytes.size());
  EXPECT_TRUE(large.state.bytes == small.state.bytes);
  std::vector<char> bytes(session.stateBytes(1, /*partial=*/true));
  session.writeState(1, /*partial=*/true, bytes.data());
  Logits want = decoded(straight, 0, tail);
  session.copy(1, 0);
  EXPECT_TRUE(same(want, decoded(session, 0, tail)));
  session.restore(0, large);
  EXPECT_TRUE(same(want, decoded(session, 0, tail)));
  straight.reset(0);
  straight.readState(0, {bytes.data(), bytes.size()});
  EXPECT_EQ(straight.position(0), length);
  EXPECT_TRUE(same(want, decoded(straight, 0, tail)));
}

TEST_P(Ring, GoesBackAsFarAsItsRowsAreThere) {
  Ids ids = drawIds(*model, length), other = drawIds(*model, 60, 2);
  Session straight = roomy(), session = going();
  constexpr int64_t back = length - 55;
  Logits want = whole(straight, 0, ids).part(back, length);
  chunked(session, 0, part(ids, 0, back), {chunk});
  chunked(session, 0, other, {chunk});
  int64_t first = back + 60 - model->metadata().ring(context, chunk);
  EXPECT_FALSE(session.canRewind(0, first));
  EXPECT_FALSE(session.rewind(0, first));
  EXPECT_EQ(session.position(0), back + 60);
  ASSERT_TRUE(session.canRewind(0, back));
  ASSERT_TRUE(session.rewind(0, back));
  EXPECT_TRUE(same(want, chunked(session, 0, part(ids, back, length), {7})));
  // A state that was restored has no rows but those that are needed.
  session.restore(0, session.snapshot(0));
  EXPECT_FALSE(session.rewind(0, back));
  EXPECT_TRUE(session.rewind(0, 0));
  straight.reset(0);
  EXPECT_TRUE(same(whole(straight, 0, part(ids, 0, 60)),
                   chunked(session, 0, part(ids, 0, 60), {chunk})));
}

} // namespace
