// Prompts that begin as earlier ones did: how much of them is not computed
// again, and that nothing comes out differently for it. On stand-ins, whose
// block is 4 tokens; ReuseBitsTest has compiled models.
#include "EngineHarness.h"
#include <gtest/gtest.h>
#include <random>
#include <thread>

using namespace cheems;
using namespace cheems::test;
using namespace cheems::serve;

namespace {

using Tokens = std::vector<int32_t>;

Tokens operator+(Tokens a, const Tokens &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

struct Reuse : testing::TestWithParam<Kind> {
  void begin(int64_t slots, bool exact = false, int64_t cacheBytes = 1 << 20) {
    EngineOptions options = engineOptions(slots);
    options.exactCache = exact;
    options.cacheBytes = cacheBytes;
    options.metrics = metrics = std::make_shared<Metrics>();
    engine = makeEngine(text, options);
  }
  /// Asks, and compares the text; tokens that were cached.
  int64_t cached(const Tokens &prompt, int64_t tokens = 10,
                 const std::string &isolation = "",
                 std::vector<int64_t> boundaries = {}) {
    GenerationRequest each = request(prompt, tokens);
    each.ignoreEos = true;
    each.isolation = isolation;
    each.boundaries = std::move(boundaries);
    auto heard = ask(*engine, each);
    EXPECT_EQ(heard->broken, "");
    EXPECT_TRUE(heard->usage);
    answer = heard->choices[0].tokens;
    EXPECT_EQ(answer, alone(*text, each));
    EXPECT_EQ(heard->usage->cachedTokens, heard->cached);
    return heard->cached;
  }

  Kind kind = GetParam();
  std::shared_ptr<TextModel> text = textModel(kind);
  std::shared_ptr<Metrics> metrics;
  std::unique_ptr<GenerationEngine> engine;
  Tokens answer;
};

TEST_P(Reuse, theNextTurnGoesOnWhereTheLastOneEnded) {
  for (bool exact : {false, true}) {
    begin(2, exact);
    Tokens prompt = randomPrompt(1, 60);
    EXPECT_EQ(cached(prompt), 0);
    // the last token of an answer is not fed; the bits of a hybrid that decoded
    // are not those of a prefill
    bool goesBack = !exact || kind == Kind::entries;
    EXPECT_EQ(cached(prompt + answer + randomPrompt(2, 8)), goesBack ? 69 : 56);
  }
}

TEST_P(Reuse, theSamePromptIsNotComputedAgain) {
  begin(2);
  Tokens prompt = randomPrompt(1, 60);
  cached(prompt);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(cached(prompt), kind == Kind::entries ? 59 : 56);
  }
}

TEST_P(Reuse, aSlotThatIsTakenLeavesItsStateBehind) {
  begin(1);
  Tokens prompt = randomPrompt(1, 60);
  cached(prompt);
  Tokens next = prompt + answer + randomPrompt(5, 7);
  EXPECT_EQ(cached(randomPrompt(9, 90)), 0);
  EXPECT_EQ(cached(prompt), kind == Kind::entries ? 59 : 56);
  EXPECT_EQ(cached(randomPrompt(9, 90)), kind == Kind::entries ? 89 : 88);
  EXPECT_EQ(cached(next), 69);
}

TEST_P(Reuse, anotherSlotBeginsWithASharedSystemPrompt) {
  begin(2);
  Tokens system = randomPrompt(1, 41);
  auto first = std::make_shared<Listener>();
  GenerationRequest longOne = request(system + Tokens{3, 4, 5}, 150);
  longOne.boundaries = {41};
  longOne.ignoreEos = true;
  engine->submit(longOne, first);
  first->waitForToken(); // it runs, or has just ended
  EXPECT_GE(cached(system + Tokens{9, 4, 5}), 40);
  first->wait();
  EXPECT_EQ(first->choices[0].tokens, alone(*text, longOne));
}

TEST_P(Reuse, whereTwoPromptsPartedIsRemembered) {
  begin(1);
  Tokens shared = randomPrompt(1, 42);
  cached(shared + randomPrompt(2, 30));
  // one that goes back everywhere needs no memory of it
  int64_t second = cached(shared + Tokens{0} + randomPrompt(3, 30));
  EXPECT_EQ(second >= 42, kind == Kind::entries);
  int64_t third = cached(shared + Tokens{1} + randomPrompt(4, 30));
  EXPECT_GE(third, 40);
}

TEST_P(Reuse, statesAreNotSharedBetweenIsolations) {
  begin(1);
  Tokens prompt = randomPrompt(1, 60);
  EXPECT_EQ(cached(prompt, 5, "one"), 0);
  EXPECT_EQ(cached(prompt, 5, "two"), 0);
  EXPECT_EQ(cached(prompt, 5), 0);
  EXPECT_GE(cached(prompt, 5, "one"), 56);
  EXPECT_GE(cached(prompt, 5, "two"), 56);
}

TEST_P(Reuse, aRequestMayLeaveNothingBehind) {
  begin(1);
  GenerationRequest secret = request(randomPrompt(1, 60), 5);
  secret.cachePrompt = false;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(ask(*engine, secret)->cached, 0);
  }
  while (engine->slots()[0].busy) { // the view comes after the end
    std::this_thread::yield();
  }
  EXPECT_EQ(engine->slots()[0].tokens, 0);
  EXPECT_EQ(cached(secret.prompt), 0);
}

TEST_P(Reuse, theCacheKeepsToItsBytes) {
  constexpr int64_t budget = 6000;
  begin(1, false, budget);
  for (uint64_t i = 0; i < 30; ++i) {
    cached(randomPrompt(i, 100), 2);
    EXPECT_LE(metrics->cacheBytes, budget);
  }
  EXPECT_GT(metrics->cacheEvictions, 5);
  begin(1, false, 0);
  cached(randomPrompt(1, 100), 2);
  cached(randomPrompt(2, 100), 2);
  EXPECT_EQ(cached(randomPrompt(1, 100), 2), 0);
  EXPECT_EQ(metrics->cacheBytes, 0);
}

TEST_P(Reuse, conversationsThatGrowAndBranchKeepTheirTexts) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    std::mt19937_64 random(seed);
    begin(1 + static_cast<int64_t>(seed % 3), seed % 2 == 1,
          seed < 3 ? 3000 : 1 << 20);
    std::vector<Tokens> conversations = {randomPrompt(seed, 30)};
    int64_t hits = 0;
    for (int turn = 0; turn < 60; ++turn) {
      Tokens prompt = conversations[random() % conversations.size()];
      if (random() % 4 == 0) { // another branch
        prompt.resize(1 + random() % prompt.size());
      }
      prompt = prompt + randomPrompt(random(), 1 + random() % 12);
      if (prompt.size() > 200) {
        prompt.resize(20);
      }
      hits += cached(prompt, static_cast<int64_t>(1 + random() % 15), "",
                     {static_cast<int64_t>(prompt.size() / 2)});
      conversations.push_back(prompt + answer);
    }
    EXPECT_GT(hits, 300);
  }
}

INSTANTIATE_TEST_SUITE_P(States, Reuse,
                         testing::Values(Kind::entries, Kind::hybrid,
                                         Kind::window),
                         [](const auto &info) { return nameOf(info.param); });

} // namespace
