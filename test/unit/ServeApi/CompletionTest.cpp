// /v1/completions: kinds of prompts, echo with log-probabilities.
#include "ServeApiKit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems;
using namespace cheems::serve;
using namespace cheems::test;
using testing::ElementsAre;

namespace {

TEST(Completion, aTextGetsTheTokenizersSpecialTokens) {
  Served served;
  Reply reply =
      served.post("/v1/completions", {{"prompt", "hi"}, {"max_tokens", 3}});
  EXPECT_EQ(reply.body["object"], "text_completion");
  EXPECT_EQ(reply.body["choices"][0]["text"], "hel");
  EXPECT_EQ(reply.body["choices"][0]["finish_reason"], "length");
  EXPECT_THAT(served.request().prompt, ElementsAre(bosId, 'h', 'i'));

  Served plain;
  plain.post("/v1/completions",
             {{"prompt", "hi"}, {"add_special_tokens", false}});
  EXPECT_THAT(plain.request().prompt, ElementsAre('h', 'i'));
  EXPECT_EQ(plain.request().maxTokens, 16);
}

TEST(Completion, promptsMayBeTextsOrIdsOneOrSeveral) {
  struct Case {
    Json prompt;
    std::vector<std::vector<int32_t>> expected;
  };
  for (const Case &each :
       std::vector<Case>{{{"h", "i"}, {{bosId, 'h'}, {bosId, 'i'}}},
                         {{1, 2, 3}, {{1, 2, 3}}},
                         {Json::array({Json::array({1, 2}), Json::array({3})}),
                          {{1, 2}, {3}}},
                         {"", {{bosId}}}}) {
    Served served;
    Reply reply = served.post("/v1/completions", {{"prompt", each.prompt}});
    ASSERT_EQ(reply.status, 200) << reply.body;
    ASSERT_EQ(served.engine.requests.size(), each.expected.size());
    for (size_t i = 0; i < each.expected.size(); ++i) {
      EXPECT_EQ(served.engine.requests[i].prompt, each.expected[i]);
      EXPECT_EQ(reply.body["choices"][i]["index"], i);
    }
  }
}

TEST(Completion, choicesOfAPromptStandTogether) {
  Served served;
  served.engine.texts = {"one", "two"};
  Reply reply =
      served.post("/v1/completions", {{"prompt", {"a", "b"}}, {"n", 2}});
  ASSERT_EQ(reply.body["choices"].size(), 4u);
  EXPECT_EQ(reply.body["choices"][2]["text"], "one");
  EXPECT_EQ(reply.body["choices"][3]["text"], "two");
  EXPECT_EQ(reply.body["choices"][3]["index"], 3);
  EXPECT_EQ(reply.body["usage"]["prompt_tokens"], 4);
  EXPECT_EQ(reply.body["usage"]["completion_tokens"], 12);
}

// what lm-eval sends, and how it reads the answer
TEST(Completion, echoWithLogprobsHasOneEntryATokenOfPromptAndText) {
  Served served;
  Json prompts = Json::array({bytesOf("hello wo"), bytesOf("xyz")});
  Reply reply = served.post("/v1/completions", {{"model", "m"},
                                                {"prompt", prompts},
                                                {"temperature", 0},
                                                {"max_tokens", 1},
                                                {"logprobs", 1},
                                                {"seed", 1234},
                                                {"echo", true}});
  ASSERT_EQ(reply.status, 200) << reply.body;
  for (size_t i = 0; i < 2; ++i) {
    size_t length = prompts[i].size();
    const Json &choice = reply.body["choices"][i];
    const Json &logprobs = choice["logprobs"];
    for (const char *name :
         {"tokens", "token_logprobs", "top_logprobs", "text_offset"}) {
      EXPECT_EQ(logprobs[name].size(), length + 1) << name;
    }
    EXPECT_TRUE(logprobs["token_logprobs"][0].is_null());
    EXPECT_TRUE(logprobs["top_logprobs"][0].is_null());
    for (size_t k = 1; k <= length; ++k) {
      double most = -1e9;
      for (const auto &[name, value] : logprobs["top_logprobs"][k].items()) {
        most = std::max(most, value.get<double>());
      }
      EXPECT_EQ(logprobs["token_logprobs"][k].get<double>(), most);
      EXPECT_EQ(logprobs["text_offset"][k], k);
    }
    EXPECT_EQ(choice["text"], (i == 0 ? "hello woh" : "xyzh"));
    EXPECT_EQ(logprobs["tokens"][length], "h");
  }
}

TEST(Completion, echoWithoutTokensIsThePromptAlone) {
  Served served;
  Reply reply = served.post("/v1/completions", {{"prompt", bytesOf("xyz")},
                                                {"max_tokens", 0},
                                                {"logprobs", 2},
                                                {"echo", true}});
  const Json &choice = reply.body["choices"][0];
  EXPECT_EQ(choice["text"], "xyz");
  EXPECT_EQ(choice["logprobs"]["tokens"], Json({"x", "y", "z"}));
  EXPECT_EQ(choice["logprobs"]["top_logprobs"][1].size(), 2u);
}

TEST(Completion, keysOfLogprobsStayApart) {
  Served served;
  // E9 is no text alone; 263 is a row that no token has
  Reply reply = served.post("/v1/completions",
                            {{"prompt", {'x', 0xE9, 263, 0xC3, 0xA9, 'x'}},
                             {"max_tokens", 0},
                             {"logprobs", 20},
                             {"echo", true}});
  ASSERT_EQ(reply.status, 200) << reply.body;
  const Json &logprobs = reply.body["choices"][0]["logprobs"];
  EXPECT_EQ(logprobs["tokens"][1], "bytes:\\xe9");
  EXPECT_EQ(logprobs["tokens"][2], "token_id:263");
  for (size_t i = 1; i < 6; ++i) {
    EXPECT_EQ(logprobs["top_logprobs"][i].size(), 20u);
  }
  // offsets count characters
  EXPECT_EQ(logprobs["text_offset"], Json({0, 1, 1, 1, 2, 3}));
}

TEST(Completion, aStreamEchoesFirst) {
  Served served;
  Reply reply = served.post("/v1/completions", {{"prompt", bytesOf("xyz")},
                                                {"max_tokens", 2},
                                                {"logprobs", 1},
                                                {"echo", true},
                                                {"stream", true}});
  ASSERT_EQ(reply.events.size(), 5u);
  Json echo = Json::parse(reply.events[0])["choices"][0];
  EXPECT_EQ(echo["text"], "xyz");
  EXPECT_EQ(echo["logprobs"]["tokens"].size(), 3u);
  Json first = Json::parse(reply.events[1])["choices"][0];
  EXPECT_EQ(first["text"], "h");
  EXPECT_EQ(first["logprobs"]["text_offset"], Json({3}));
  EXPECT_EQ(Json::parse(reply.events[3])["choices"][0]["finish_reason"],
            "length");
  EXPECT_EQ(reply.events[4], "[DONE]");
}

TEST(Completion, theFirstRefusalOfABatchIsTheAnswer) {
  Served served;
  served.engine.refusal = GenerationFault{GenerationFault::Kind::contextLength,
                                          "too long", "prompt"};
  Reply reply = served.post("/v1/completions", {{"prompt", {"a", "b"}}});
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.body["error"]["code"], "context_length_exceeded");
  EXPECT_EQ(served.engine.requests.size(), 1u);
}

} // namespace
