// What a slot says that it holds is what its session holds.
#include "server/Engine/SlotStates.h"
#include "EngineHarness.h"
#include "runtime/Error.h"
#include <gtest/gtest.h>

using namespace cheems;
using namespace cheems::test;
using namespace cheems::serve;

namespace {

struct Forks : testing::TestWithParam<Kind> {
  Forks() {
    for (int64_t slot : {0, 1}) {
      std::vector<int32_t> prompt =
          randomPrompt(static_cast<uint64_t>(slot), 40);
      EXPECT_EQ(states.take(prompt, "", slot, true).slot, slot);
      session.prefill(slot, prompt, nullptr);
      states.fed(slot, prompt, 40);
    }
    states.release(1);
  }
  static SessionOptions options() {
    SessionOptions result;
    result.slots = 2;
    result.threads = 1;
    return result;
  }

  std::shared_ptr<TextModel> text = textModel(GetParam());
  Session session{text->sharedModel(), options()};
  SlotStates states{session, 1 << 20, false};
};

TEST_P(Forks, thatFailLeaveTheirSlotFreeAndEmpty) {
  Snapshot broken = session.snapshot(0);
  broken.state.bytes.pop_back();
  EXPECT_THROW(states.fork(broken, states.slots()[0]), Error);
  EXPECT_FALSE(states.slots()[1].busy);
  EXPECT_TRUE(states.slots()[1].tokens.empty());
  EXPECT_EQ(session.position(1), 0);
  EXPECT_EQ(states.fork(0), 1); // the next one is as if nothing had been
  EXPECT_TRUE(states.slots()[1].busy);
  EXPECT_EQ(states.slots()[1].tokens, states.slots()[0].tokens);
  EXPECT_EQ(session.position(1), 40);
}

INSTANTIATE_TEST_SUITE_P(States, Forks,
                         testing::Values(Kind::entries, Kind::hybrid,
                                         Kind::window),
                         [](const auto &info) { return nameOf(info.param); });

} // namespace
