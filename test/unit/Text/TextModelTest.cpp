// What an artefact says about text, and what it lacks.
#include "runtime/Text/TextModel.h"
#include "../Generation/TalkingArtifact.h"
#include "runtime/Error.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

using namespace cheems;
using namespace cheems::test;
using testing::ElementsAre;

namespace {

template <typename Action> Status statusOf(const Action &action) {
  try {
    action();
  } catch (const Error &error) {
    return error.status;
  }
  return Status::ok;
}

TEST(TextModel, promptsGetTheTokenizersSpecialTokens) {
  TextModel text(load(talkingArtifact()));
  EXPECT_THAT(text.encodePrompt("ab c"), ElementsAre(0, abToken, 10, 6));
}

TEST(TextModel, anEmptyPromptIsTheTokenThatBeginsATextOrWrongUse) {
  FakeArtifact artifact = talkingArtifact();
  EXPECT_THAT(TextModel(load(artifact)).encodePrompt(""), ElementsAre(0));

  auto tokenizer = nlohmann::json::parse(talkingTokenizer());
  tokenizer["post_processor"] = nullptr;
  setText(artifact, CHEEMS_SECTION_TOKENIZER, tokenizer.dump());
  EXPECT_THAT(TextModel(load(artifact)).encodePrompt(""), ElementsAre(0));

  setText(artifact, CHEEMS_SECTION_TOKENIZER_CONFIG, "");
  EXPECT_THAT(TextModel(load(artifact)).encodePrompt(""), ElementsAre(0));

  artifact.metadata["bos_token_id"] = nullptr;
  TextModel none(load(artifact));
  EXPECT_EQ(statusOf([&] { none.encodePrompt(""); }), Status::usage);
  EXPECT_THAT(none.encodePrompt("a"), ElementsAre(4));
}

TEST(TextModel, threadsThatFirstAskForTheTokenizerGetTheSameOne) {
  TextModel text(load(talkingArtifact()));
  std::vector<const Tokenizer *> seen(4);
  std::vector<std::thread> threads;
  for (const Tokenizer *&place : seen) {
    threads.emplace_back([&text, &place] {
      place = &text.tokenizer();
      place->encode("ab c", true);
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_THAT(seen, testing::Each(&text.tokenizer()));
}

TEST(TextModel, endTokensOfTheGenerationDefaultsComeFirst) {
  FakeArtifact artifact = talkingArtifact();
  EXPECT_THAT(TextModel(load(artifact)).eosTokens(), ElementsAre(eosToken));
  setText(artifact, CHEEMS_SECTION_GENERATION_CONFIG,
          R"({"eos_token_id": [5, 6]})");
  EXPECT_THAT(TextModel(load(artifact)).eosTokens(), ElementsAre(5, 6));
}

TEST(TextModel, whatTheModelLacksIsUnsupported) {
  FakeArtifact artifact = talkingArtifact();
  setText(artifact, CHEEMS_SECTION_TOKENIZER, "");
  setText(artifact, CHEEMS_SECTION_TOKENIZER_CONFIG, "");
  setText(artifact, CHEEMS_SECTION_CHAT_TEMPLATE, "");
  TextModel text(load(artifact));
  EXPECT_EQ(statusOf([&] { text.tokenizer(); }), Status::unsupported);
  EXPECT_EQ(statusOf([&] { text.encodePrompt("a"); }), Status::unsupported);
  EXPECT_EQ(statusOf([&] { text.chatTemplate(); }), Status::unsupported);
  EXPECT_TRUE(text.templateVariables().empty());
}

} // namespace
