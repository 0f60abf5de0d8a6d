// What a changed conversation costs, and that the state is right afterwards.
#include "runtime/Generation/Conversation.h"
#include "TalkingArtifact.h"
#include "test/unit/Support/TestRun.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

using namespace cheems;
using namespace cheems::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

using Tokens = std::vector<int32_t>;

struct Fixture {
  SessionOptions options = [] {
    SessionOptions options;
    options.threads = 1;
    return options;
  }();
  Session session;
  std::vector<std::string> messages;
  Conversation conversation{session, [this](const std::string &message) {
                              messages.push_back(message);
                            }};
  std::vector<float> logits = std::vector<float>(fakeVocabulary);

  explicit Fixture(int64_t window)
      : session(load(talkingArtifact(window)), options) {}

  /// A turn that feeds `prompt` and then `answer`; how much was there already.
  size_t turn(Tokens prompt, const Tokens &answer) {
    size_t held = conversation.reuse(prompt);
    EXPECT_LT(held, prompt.size());
    EXPECT_EQ(session.position(0), int64_t(held));
    session.prefill(0, Span<const int32_t>(prompt).from(int64_t(held)),
                    logits.data());
    conversation.fed(prompt);
    conversation.keep();
    for (int32_t token : answer) {
      session.decode(0, token, logits.data());
      prompt.push_back(token);
    }
    conversation.fed(prompt);
    return held;
  }
};

Tokens counted(int32_t from, size_t count) {
  Tokens tokens;
  for (size_t i = 0; i < count; ++i) {
    tokens.push_back(int32_t(from + i) % int32_t(fakeVocabulary));
  }
  return tokens;
}

Tokens operator+(Tokens a, const Tokens &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(Conversation, whatContinuesIsFedOnce) {
  for (int64_t window : {0, 8}) {
    Fixture f(window);
    Tokens first = counted(0, 20), answer = counted(3, 10);
    EXPECT_EQ(f.turn(first, answer), 0u);
    EXPECT_EQ(f.turn(first + answer + counted(1, 4), {}), 30u);
    EXPECT_THAT(f.messages, IsEmpty());
  }
}

TEST(Conversation, theSameTokensLeaveOneToFeed) {
  Fixture f(0);
  f.turn(counted(0, 20), {});
  EXPECT_EQ(f.turn(counted(0, 20), {}), 19u);
}

TEST(Conversation, withEveryKeyKeptTheLiveStateGoesBack) {
  Fixture f(0);
  Tokens first = counted(0, 20);
  f.turn(first, counted(3, 10));
  // the answer's third token was written differently
  EXPECT_EQ(f.turn(first + Tokens{3, 4, 9, 9, 9}, {}), 22u);
  EXPECT_EQ(f.turn(Tokens{5} + first, {}), 0u);
  EXPECT_THAT(f.messages, IsEmpty());
}

TEST(Conversation, withEvictedKeysTheStateAfterThePromptComesBack) {
  Fixture f(8);
  Tokens first = counted(0, 20);
  f.turn(first, counted(3, 10));
  EXPECT_EQ(f.turn(first + Tokens{3, 4, 9, 9, 9}, {}), 20u);
  EXPECT_THAT(f.messages, IsEmpty());
}

TEST(Conversation, orTheStateTheTurnBeganWith) {
  Fixture f(8);
  Tokens first = counted(0, 20), answer = counted(3, 10);
  f.turn(first, answer);
  Tokens second = first + answer + counted(1, 10);
  f.turn(second, {});
  // a template that leaves out what it wrote after the last turn
  EXPECT_EQ(f.turn(first + answer + Tokens{15, 15}, {}), 30u);
  EXPECT_THAT(f.messages, IsEmpty());
}

TEST(Conversation, elseItIsComputedAgainAndSaid) {
  Fixture f(8);
  f.turn(counted(0, 20), counted(3, 10));
  EXPECT_EQ(f.turn(counted(0, 12) + Tokens{9, 9}, {}), 0u);
  EXPECT_THAT(f.messages, ElementsAre(HasSubstr("again")));
}

TEST(Conversation, anyPathLeavesTheStateOfAFreshStart) {
  std::mt19937 random(5);
  // Each loads the model once more, which instrumented code does slowly.
  const int turns = cheems::test::isLongRun() ? 60 : 20;
  for (int64_t window : {0, 8}) {
    Fixture f(window);
    Tokens tokens = counted(0, 15);
    for (int turn = 0; turn < turns; ++turn) {
      Tokens answer = counted(int32_t(random() % 16), random() % 9);
      f.turn(tokens, answer);
      Session fresh(load(talkingArtifact(window)), f.options);
      Tokens all = tokens + answer;
      std::vector<float> expected(fakeVocabulary);
      fresh.prefill(0, all, expected.data());
      EXPECT_EQ(f.logits, expected) << "window " << window << " turn " << turn;
      // cut anywhere, go on with something else
      tokens = Tokens(all.begin(), all.begin() + random() % (all.size() + 1)) +
               counted(int32_t(random() % 16), 1 + random() % 5);
      tokens.resize(std::min<size_t>(tokens.size(), 120));
    }
  }
}

} // namespace
