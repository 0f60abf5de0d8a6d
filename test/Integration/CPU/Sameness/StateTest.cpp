// Slots: forgetting, going back, copies of a moment, and the end of the
// context.
#include "Artefacts.h"
#include "Sequences.h"
#include "gmock/gmock.h"
#include <algorithm>

using namespace cheems;
using namespace cheems::test;

namespace {

class State : public Compiled {};
INSTANTIATE_TEST_SUITE_P(Models, State, over(allModels()), caseName);

TEST_P(State, ResetSlotsDoNotSeeTheOldSequence) {
  constexpr int64_t length = 90;
  Ids old = drawIds(*model, 2 * length, 9), ids = drawIds(*model, length);
  Session fresh = makeSession(model), used = makeSession(model, 2);
  Logits want = whole(fresh, 0, ids);
  want.append(decoded(fresh, 0, part(old, 0, 5)));
  for (int64_t slot : {1, 0, 1}) {
    whole(used, slot, old);
    used.reset(slot);
    Logits got = whole(used, slot, ids);
    got.append(decoded(used, slot, part(old, 0, 5)));
    EXPECT_TRUE(same(want, got)) << "slot " << slot;
    used.reset(slot);
  }
}

TEST_P(State, RewoundIsNeverFedFurther) {
  constexpr int64_t some = 90;
  int64_t window = model->metadata().keepWindow,
          length = window ? std::min(window, some) : some, back = length / 2;
  Ids ids = drawIds(*model, length), other = drawIds(*model, length, 2);
  Session straight = makeSession(model), rewound = makeSession(model);
  Logits want = whole(straight, 0, ids);
  // the dynamic base is that of the whole length throughout
  if (back > 0) {
    feed(rewound, {{0, part(ids, 0, back), length}});
  }
  feed(rewound, {{0, part(other, back, length), length}});
  const std::vector<StateKind> &state = model->metadata().state;
  bool byPosition =
      std::all_of(state.begin(), state.end(),
                  [](const StateKind &kind) { return kind.hasCapacity(); });
  if (!byPosition) { // a running state holds no past
    Session going = makeSession(model);
    whole(going, 0, part(ids, 0, back));
    whole(going, 0, part(other, back, length));
    EXPECT_FALSE(rewound.rewind(0, back));
    EXPECT_EQ(rewound.position(0), length);
    Ids tail = drawIds(*model, 5, 3);
    EXPECT_TRUE(same(decoded(going, 0, tail), decoded(rewound, 0, tail)));
    return;
  }
  ASSERT_TRUE(rewound.rewind(0, back));
  EXPECT_EQ(rewound.position(0), back);
  Logits got = whole(rewound, 0, part(ids, back, length));
  EXPECT_TRUE(same(want.part(back, length), got));
  Ids tail = drawIds(*model, 5, 3);
  EXPECT_TRUE(same(decoded(straight, 0, tail), decoded(rewound, 0, tail)));
}

TEST_P(State, RewindPastAnEvictionIsRefusedAndChangesNothing) {
  int64_t window = model->metadata().keepWindow;
  constexpr int64_t affordable = 200;
  if (window == 0 || window > affordable) {
    GTEST_SKIP() << "nothing is evicted in a test's length";
  }
  Ids ids = drawIds(*model, window + 10), tail = drawIds(*model, 5, 2);
  Session straight = makeSession(model), tried = makeSession(model);
  whole(straight, 0, ids);
  whole(tried, 0, ids);
  EXPECT_FALSE(tried.rewind(0, window));
  EXPECT_EQ(tried.position(0), window + 10);
  EXPECT_TRUE(same(decoded(straight, 0, tail), decoded(tried, 0, tail)));
  EXPECT_TRUE(tried.rewind(0, 0)); // a new beginning is always there
  straight.reset(0);
  EXPECT_TRUE(same(whole(straight, 0, ids), whole(tried, 0, ids)));
}

TEST_P(State, RestoredIsNeverFedFurther) {
  constexpr int64_t length = 140;
  Ids ids = drawIds(*model, length), other = drawIds(*model, length, 2),
      tail = drawIds(*model, 70, 3);
  Session straight = makeSession(model), session = makeSession(model, 2),
          second = makeSession(model, 3);
  whole(straight, 0, ids);
  Logits want = whole(straight, 0, tail);
  whole(session, 0, ids);
  Snapshot moment = session.snapshot(0);
  whole(session, 0, other); // the same slot goes on, then returns
  whole(session, 1, other); // a slot that was in use
  session.restore(0, moment);
  session.restore(1, moment);
  second.restore(2, moment); // another session
  EXPECT_EQ(session.position(1), length);
  EXPECT_TRUE(same(want, whole(session, 0, tail)));
  EXPECT_TRUE(same(want, whole(session, 1, tail)));
  EXPECT_TRUE(same(want, whole(second, 2, tail)));
}

TEST_P(State, FullContextEndsClearlyAndLosesNothing) {
  constexpr int64_t context = 75;
  Ids ids = drawIds(*model, context + 1);
  Session roomy = makeSession(model),
          session = makeSession(model, 2, 1, context, context);
  Logits want = whole(roomy, 0, part(ids, 0, context));
  std::vector<float> logits(session.vocabulary());
  auto message = [](auto &&action) -> std::string {
    try {
      action();
      return "nothing thrown";
    } catch (const ContextFull &full) {
      return full.what();
    }
  };
  using testing::HasSubstr;
  EXPECT_THAT(message([&] {
                session.prefill(0, {ids.data(), context + 1}, logits.data());
              }),
              HasSubstr("context is full"));
  EXPECT_EQ(session.position(0), 0);
  EXPECT_TRUE(same(want, whole(session, 0, part(ids, 0, context))));
  EXPECT_EQ(session.remaining(0), 0);
  EXPECT_THAT(message([&] { session.decode(0, 1, logits.data()); }),
              HasSubstr("raise it with -c"));
  EXPECT_EQ(session.position(0), context);
  // a step with one full sequence does nothing for the others either
  EXPECT_THAT(message([&] { feed(session, {{1, part(ids, 0, 9)}, {0, {1}}}); }),
              HasSubstr("slot 0"));
  EXPECT_EQ(session.position(1), 0);
  EXPECT_TRUE(same(want.part(0, 1), decoded(session, 1, part(ids, 0, 1))) ||
              model->metadata().dynamicRope || hasChunks(*model));
  session.reset(0);
  EXPECT_TRUE(same(want, whole(session, 0, part(ids, 0, context))));
}

} // namespace
