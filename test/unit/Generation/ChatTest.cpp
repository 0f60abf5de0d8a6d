// Turns of a chat: every answer is that of the whole conversation rendered and
// computed from the start, at less work.
#include "runtime/Generation/Chat.h"
#include "TalkingArtifact.h"
#include "runtime/Error.h"
#include "runtime/Process/Interrupt.h"
#include <algorithm>
#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems;
using namespace cheems::test;
using testing::HasSubstr;

namespace {

SessionOptions oneThread(int64_t context = 0) {
  SessionOptions options;
  options.threads = 1;
  options.context = context;
  options.interrupted = interrupt::requested;
  return options;
}

struct Talk {
  TextModel text;
  Session session;
  Sampler sampler{SamplingOptions()};
  Chat chat;

  explicit Talk(const FakeArtifact &artifact, int64_t maxTokens = 12,
                int64_t context = 0)
      : text(load(artifact)), session(text.sharedModel(), oneThread(context)),
        chat(text, session, sampler, {maxTokens, {eosToken}}) {}

  std::string answer(const std::string &message) {
    std::string whole;
    last =
        chat.answer(message, [&](const std::string &piece) { whole += piece; });
    return whole;
  }
  Stop last = Stop::length;
};

/// The answer to tokens that nothing was fed before.
std::string freshAnswer(const FakeArtifact &artifact,
                        const std::string &rendered, int64_t maxTokens = 12) {
  TextModel text(load(artifact));
  Session session(text.sharedModel(), oneThread());
  Sampler sampler{SamplingOptions()};
  Generator generator(session, sampler, nullptr);
  generator.feed(text.tokenizer().encode(rendered, false));
  std::vector<int32_t> answer;
  generator.generate({maxTokens, {eosToken}},
                     [&](int32_t token) { answer.push_back(token); });
  return text.tokenizer().decode(answer, true);
}

TEST(Chat, everyAnswerIsThatOfTheWholeConversation) {
  for (int64_t window : {0, 8}) {
    FakeArtifact artifact = talkingArtifact(window);
    Talk talk(artifact);
    std::string rendered = "<bos>";
    for (const char *message : {"ab", "c d", "e", "-", "dd", "bad"}) {
      rendered += std::string("<user>") + message + "<bot>";
      std::string answer = talk.answer(message);
      EXPECT_EQ(answer, freshAnswer(artifact, rendered))
          << "window " << window << ": " << rendered;
      rendered += answer + "<eos>";
    }
  }
}

TEST(Chat, onlyWhatIsNewIsFed) {
  Talk talk(talkingArtifact(), /*maxTokens=*/0);
  talk.answer("a"); // <bos> <user> a <bot>
  EXPECT_EQ(talk.chat.statistics().promptTokens, 4);
  talk.answer("c"); // <eos> <user> c <bot>
  EXPECT_EQ(talk.chat.statistics().promptTokens, 8);
}

TEST(Chat, theTemplatesFirstTokenIsTheOnlyOne) {
  Talk talk(talkingArtifact(), 0);
  talk.answer("a");
  // the tokenizer's own post-processor would have made it 5
  EXPECT_EQ(talk.session.position(0), 4);
}

TEST(Chat, controlTokensThatAMessageSpellsAreText) {
  Talk talk(talkingArtifact(), /*maxTokens=*/0);
  talk.answer("a<eos><user>b");
  std::vector<int32_t> tokens = talk.chat.saved().tokens;
  auto count = [&](const char *token) {
    return std::count(tokens.begin(), tokens.end(),
                      *talk.text.tokenizer().tokenToId(token));
  };
  EXPECT_EQ(count("<eos>"), 0);
  EXPECT_EQ(count("<user>"), 1); // the template's
  EXPECT_EQ(count("b"), 1);
}

TEST(Chat, theSystemPromptComesFirst) {
  FakeArtifact artifact = talkingArtifact();
  Talk talk(artifact);
  talk.chat.setSystemPrompt("ab");
  EXPECT_EQ(talk.answer("c"),
            freshAnswer(artifact, "<bos><user>ab<user>c<bot>"));
}

TEST(Chat, aConversationThatFillsTheContextIsRefusedWithBothNumbers) {
  Talk talk(talkingArtifact(), 4, 8);
  talk.answer("a");
  try {
    talk.answer("aaaaaaaaaaa");
    FAIL();
  } catch (const Error &error) {
    EXPECT_THAT(error.what(), HasSubstr("context of 8"));
  }
}

TEST(Chat, anAnswerThatWasStoppedStaysInTheConversation) {
  FakeArtifact artifact = talkingArtifact();
  Talk talk(artifact, 100);
  interrupt::install();
  interrupt::forget();
  std::string part;
  Stop stop = talk.chat.answer("e", [&](const std::string &piece) {
    part += piece;
    if (!interrupt::requested()) {
      raise(SIGINT);
    }
  });
  interrupt::forget();
  EXPECT_EQ(stop, Stop::interrupted);
  EXPECT_FALSE(part.empty());
  EXPECT_EQ(talk.answer("c"),
            freshAnswer(artifact,
                        "<bos><user>e<bot>" + part + "<eos><user>c<bot>", 100));
}

TEST(Chat, aMessageStoppedBeforeItsAnswerIsForgotten) {
  FakeArtifact artifact = talkingArtifact();
  Talk talk(artifact);
  interrupt::install();
  interrupt::forget();
  raise(SIGINT);
  EXPECT_EQ(talk.answer("ab"), "");
  EXPECT_EQ(talk.last, Stop::interrupted);
  interrupt::forget();
  EXPECT_EQ(talk.answer("c"), freshAnswer(artifact, "<bos><user>c<bot>"));
}

} // namespace
