// /completion, in llama.cpp's words.
#include "ServeApiKit.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems;
using namespace cheems::serve;
using namespace cheems::test;
using testing::ElementsAre;

namespace {

TEST(Llama, aWholeAnswerTellsWhatItCost) {
  Served served;
  Reply reply = served.post("/completion", {{"prompt", "hi"},
                                            {"n_predict", 4},
                                            {"return_tokens", true},
                                            {"temperature", 0.5}});
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.body["content"], "hell");
  EXPECT_EQ(reply.body["tokens"], Json(bytesOf("hell")));
  EXPECT_EQ(reply.body["stop"], true);
  EXPECT_EQ(reply.body["stop_type"], "limit");
  EXPECT_EQ(reply.body["tokens_predicted"], 4);
  EXPECT_EQ(reply.body["tokens_evaluated"], 3);
  EXPECT_EQ(reply.body["id_slot"], 1);
  EXPECT_EQ(reply.body["prompt"], "<bos>hi");
  EXPECT_EQ(reply.body["generation_settings"]["temperature"], 0.5);
  EXPECT_EQ(reply.body["timings"]["predicted_n"], 4);
}

TEST(Llama, aStreamEndsWithTheSummaryAndNoDone) {
  Served served;
  Reply reply =
      served.post("/completion", {{"prompt", "hi"}, {"stream", true}});
  ASSERT_EQ(reply.events.size(), 6u);
  std::string said;
  for (size_t i = 0; i < 5; ++i) {
    Json event = Json::parse(reply.events[i]);
    EXPECT_EQ(event["stop"], false);
    EXPECT_EQ(event["tokens_predicted"], i + 1);
    said += event["content"].get<std::string>();
  }
  EXPECT_EQ(said, "hello");
  Json last = Json::parse(reply.events[5]);
  EXPECT_EQ(last["stop"], true);
  EXPECT_EQ(last["stop_type"], "eos");
}

TEST(Llama, promptsMayMixTextsAndIds) {
  Served served;
  served.post("/completion", {{"prompt", {7, "hi", 8}}});
  EXPECT_THAT(served.request().prompt, ElementsAre(7, 'h', 'i', 8));
}

TEST(Llama, itsWordsForParametersAreKnown) {
  Served served;
  Reply reply =
      served.post("/completion", {{"prompt", "hi"},
                                  {"n_predict", -1},
                                  {"seed", -1},
                                  {"repeat_penalty", 1.25},
                                  {"repeat_last_n", 9},
                                  {"id_slot", 1},
                                  {"cache_prompt", false},
                                  {"n_probs", 2},
                                  {"logit_bias", {{5, -1.5}, {"q", false}}},
                                  {"mirostat", 0},
                                  {"typical_p", 1.0}});
  ASSERT_EQ(reply.status, 200) << reply.body;
  const GenerationRequest &request = served.request();
  EXPECT_EQ(request.maxTokens, std::nullopt);
  EXPECT_EQ(request.sampling.repeatPenalty, 1.25);
  EXPECT_EQ(request.sampling.repeatLastN, 9);
  EXPECT_EQ(request.slot, 1);
  EXPECT_FALSE(request.cachePrompt);
  EXPECT_EQ(request.topLogprobs, 2);
  ASSERT_EQ(request.sampling.logitBias.size(), 2u);
  EXPECT_EQ(request.sampling.logitBias[0].token, 5);
  EXPECT_EQ(request.sampling.logitBias[1].token, 'q');
  EXPECT_TRUE(std::isinf(request.sampling.logitBias[1].bias));
  EXPECT_EQ(reply.body["completion_probabilities"].size(), 5u);
}

TEST(Llama, severalPromptsAreRefused) {
  Served served;
  Reply reply = served.post("/completion", {{"prompt", {"a", "b"}}});
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.body["error"]["param"], "prompt");
}

TEST(LlamaCompletion, biasesOfTextsAreBoundedAndShared) {
  Served served;
  Json pair = Json::array({std::string(5000, 'x'), 1});
  Json many = Json::array({pair, pair, pair, pair});
  Reply refused =
      served.post("/completion", {{"prompt", "a"}, {"logit_bias", many}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.body["error"]["param"], "logit_bias");
  many.erase(0);
  EXPECT_EQ(served
                .post("/v1/completions",
                      {{"prompt", {"a", "b", "c"}}, {"logit_bias", many}})
                .status,
            200);
  ASSERT_EQ(served.engine.requests.size(), 3u);
  for (const GenerationRequest &request : served.engine.requests) {
    EXPECT_EQ(request.sampling.logitBias.size(), 15000u);
    EXPECT_EQ(request.sampling.logitBias.begin(),
              served.engine.requests[0].sampling.logitBias.begin());
  }
}

} // namespace
