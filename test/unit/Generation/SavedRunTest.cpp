// What cheems-run keeps in a state file comes back as it was, or is refused.
#include "runtime/Generation/SavedRun.h"
#include "TalkingArtifact.h"
#include "runtime/Error.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems;
using namespace cheems::test;
using testing::HasSubstr;

namespace {

SavedRun example() {
  SavedRun run;
  run.tokens = {1, 2, 3, 4};
  run.answer = 2;
  run.random = {7, Sampler(SamplingOptions()).randomState().state};
  return run;
}

std::string refusal(const std::string &bytes, int64_t fed = 3) {
  try {
    SavedRun::decode(bytes, "state.bin", fed, fakeVocabulary);
    return "";
  } catch (const Error &error) {
    return error.what();
  }
}

TEST(SavedRun, comesBackAsItWas) {
  SavedRun run = example();
  SavedRun back = SavedRun::decode(run.encode(), "", 3, fakeVocabulary);
  EXPECT_EQ(back.tokens, run.tokens);
  EXPECT_EQ(back.answer, 2u);
  EXPECT_FALSE(back.chat);
  EXPECT_EQ(back.random.seed, 7u);
  EXPECT_EQ(back.random.state, run.random.state);

  run.logits.assign(fakeVocabulary, 0.5f);
  back = SavedRun::decode(run.encode(), "", 4, fakeVocabulary);
  EXPECT_EQ(back.logits, run.logits);

  run.logits.clear();
  run.chat = true;
  run.messages = {{"system", ""}, {"user", std::string("a\0b", 3)}};
  back = SavedRun::decode(run.encode(), "", 4, fakeVocabulary);
  EXPECT_TRUE(back.chat);
  ASSERT_EQ(back.messages.size(), 2u);
  EXPECT_EQ(back.messages[1].role, "user");
  EXPECT_EQ(back.messages[1].content, std::string("a\0b", 3));
}

TEST(SavedRun, whatIsNotWholeIsRefused) {
  std::string good = example().encode();
  EXPECT_EQ(refusal(good), "");
  for (size_t size = 0; size < good.size(); size += size < 80 ? 1 : 97) {
    EXPECT_THAT(refusal(good.substr(0, size)), HasSubstr("state.bin")) << size;
  }
  EXPECT_NE(refusal(good + "x"), "");
  EXPECT_NE(refusal("some other program's bytes"), "");
}

TEST(SavedRun, whatContradictsItselfIsRefused) {
  auto with = [](auto edit) {
    SavedRun run = example();
    edit(run);
    return refusal(run.encode());
  };
  EXPECT_EQ(with([](SavedRun &) {}), "");
  EXPECT_NE(with([](SavedRun &run) { run.tokens[1] = fakeVocabulary; }), "");
  EXPECT_NE(with([](SavedRun &run) { run.tokens[1] = -1; }), "");
  EXPECT_NE(with([](SavedRun &run) { run.tokens.resize(2); }), "");
  EXPECT_NE(with([](SavedRun &run) { run.answer = 5; }), "");
  EXPECT_NE(with([](SavedRun &run) { run.logits = {1, 2}; }), "");
  EXPECT_NE(with([](SavedRun &run) { run.random.state = "1 2 three"; }), "");
  EXPECT_NE(refusal(example().encode(), 4), ""); // no logits to go on from
}

TEST(SavedRun, samplersGoOnWhereTheyStopped) {
  SamplingOptions options;
  options.doSample = true;
  options.seed = 5;
  Sampler whole(options), first(options);
  options.seed = 6;
  Sampler second(options);
  std::vector<float> logits(fakeVocabulary);
  auto draw = [&](Sampler &sampler, int count) {
    std::vector<int32_t> tokens;
    for (int i = 0; i < count; ++i) {
      tokens.push_back(sampler.sample(logits.data(), logits.size()));
    }
    return tokens;
  };
  std::vector<int32_t> want = draw(whole, 1000), got = draw(first, 400);
  second.setRandomState(first.randomState());
  EXPECT_EQ(second.options().seed, 5u);
  std::vector<int32_t> rest = draw(second, 600);
  got.insert(got.end(), rest.begin(), rest.end());
  EXPECT_EQ(got, want);
  EXPECT_THROW(second.setRandomState({1, "no numbers"}), Error);
}

} // namespace
