// What each parameter asks of the engine, and which values are refused.
#include "ServeApiKit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems;
using namespace cheems::serve;
using namespace cheems::test;
using testing::ElementsAre;

namespace {

Json chat(const Json &more) {
  Json body = {
      {"messages", Json::array({{{"role", "user"}, {"content", "hi"}}})}};
  body.update(more);
  return body;
}

GenerationRequest requestOf(const Json &more) {
  Served served;
  Reply reply = served.post("/v1/chat/completions", chat(more));
  EXPECT_EQ(reply.status, 200) << more << reply.body;
  return served.request();
}

TEST(Parameter, samplingIsWhatTheRequestSays) {
  GenerationRequest request = requestOf({{"temperature", 0.5},
                                         {"top_p", 0.75},
                                         {"top_k", 7},
                                         {"min_p", 0.25},
                                         {"repetition_penalty", 1.5},
                                         {"presence_penalty", 0.125},
                                         {"frequency_penalty", -0.5},
                                         {"seed", 17},
                                         {"logit_bias", {{"5", -100}}},
                                         {"ignore_eos", true},
                                         {"skip_special_tokens", false},
                                         {"max_completion_tokens", 9},
                                         {"stop", {"x", "yz"}}});
  const SamplingOptions &options = request.sampling;
  EXPECT_TRUE(options.doSample);
  EXPECT_EQ(options.temperature, 0.5);
  EXPECT_EQ(options.topP, 0.75);
  EXPECT_EQ(options.topK, 7);
  EXPECT_EQ(options.minP, 0.25);
  EXPECT_EQ(options.repeatPenalty, 1.5);
  EXPECT_EQ(options.presencePenalty, 0.125);
  EXPECT_EQ(options.frequencyPenalty, -0.5);
  EXPECT_EQ(options.seed, 17u);
  ASSERT_EQ(options.logitBias.size(), 1u);
  EXPECT_EQ(options.logitBias[0].token, 5);
  EXPECT_EQ(options.logitBias[0].bias, -100);
  EXPECT_TRUE(request.ignoreEos);
  EXPECT_TRUE(request.showSpecial);
  EXPECT_EQ(request.maxTokens, 9);
  EXPECT_THAT(request.stopStrings, ElementsAre("x", "yz"));
  EXPECT_EQ(request.id, "chatcmpl-r1");
}

TEST(Parameter, temperatureZeroIsGreedyAndTopKMinusOneIsOff) {
  GenerationRequest request = requestOf({{"temperature", 0}, {"top_k", -1}});
  EXPECT_TRUE(request.sampling.greedy());
  EXPECT_EQ(request.sampling.topK, 0);
}

TEST(Parameter, maxTokensOfMinusOneIsNoLimit) {
  for (const Json &minusOne : {Json(-1), Json(-1.0), Json(-2)}) {
    for (auto [path, prompt, name] :
         {std::tuple{"/v1/completions", "prompt", "max_tokens"},
          std::tuple{"/v1/completions", "prompt", "max_completion_tokens"},
          std::tuple{"/completion", "prompt", "max_tokens"},
          std::tuple{"/completion", "prompt", "n_predict"}}) {
      Served served;
      Reply reply = served.post(path, {{prompt, "hi"}, {name, minusOne}});
      ASSERT_EQ(reply.status, 200) << reply.body;
      EXPECT_EQ(served.request().maxTokens, std::nullopt) << path << name;
    }
    EXPECT_EQ(requestOf({{"max_tokens", minusOne}}).maxTokens, std::nullopt);
    EXPECT_EQ(requestOf({{"max_completion_tokens", minusOne}}).maxTokens,
              std::nullopt);
  }
}

TEST(Parameter, aWholeNumberMayBeWrittenAsAFloat) {
  GenerationRequest request = requestOf({{"max_tokens", 40.0},
                                         {"n", 2.0},
                                         {"top_k", 7.0},
                                         {"seed", 1e3},
                                         {"logprobs", true},
                                         {"top_logprobs", 3.0},
                                         {"logit_bias", {{5.0, -1}}}});
  EXPECT_EQ(request.maxTokens, 40);
  EXPECT_EQ(request.choices, 2);
  EXPECT_EQ(request.sampling.topK, 7);
  EXPECT_EQ(request.sampling.seed, 1000u);
  EXPECT_EQ(request.topLogprobs, 3);
  EXPECT_EQ(request.sampling.logitBias[0].token, 5);
  Served served;
  served.post("/v1/completions", {{"prompt", {104.0, 105}}});
  EXPECT_THAT(served.request().prompt, ElementsAre('h', 'i'));
}

TEST(Parameter, textOfATokenThatTheModelLacksIsRefused) {
  Served served;
  for (auto [path, field] : {std::pair{"/v1/completions", "prompt"},
                             std::pair{"/completion", "prompt"},
                             std::pair{"/v1/embeddings", "input"},
                             std::pair{"/embedding", "content"}}) {
    std::string text = "say " + std::string(lostText);
    Reply reply = served.post(path, {{field, text}});
    EXPECT_EQ(reply.status, 400) << path << reply.body;
    EXPECT_EQ(reply.body["error"]["param"], field) << path;
  }
  EXPECT_EQ(served
                .post("/completion",
                      {{"prompt", "x"}, {"logit_bias", {{lostText, 1}}}})
                .status,
            400);
  EXPECT_TRUE(served.engine.requests.empty());
}

TEST(Parameter, topPOfZeroIsGreedy) {
  EXPECT_TRUE(requestOf({{"temperature", 1}, {"top_p", 0}}).sampling.greedy());
}

TEST(Parameter, defaultsAreTheModelsElseSampling) {
  EXPECT_EQ(requestOf(Json::object()).sampling.greedy(), false);
  EXPECT_EQ(requestOf(Json::object()).maxTokens, std::nullopt);
  EXPECT_TRUE(requestOf(Json::object()).cachePrompt);
  Served served(qwenTemplate, {},
                R"({"do_sample": true, "temperature": 0.7, "top_k": 20})");
  served.post("/v1/chat/completions", chat(Json::object()));
  EXPECT_EQ(served.request().sampling.temperature, 0.7);
  EXPECT_EQ(served.request().sampling.topK, 20);

  ApiOptions options;
  options.sampling = SamplingOptions();
  options.sampling->temperature = 0.25;
  Served given(qwenTemplate, options);
  given.post("/v1/chat/completions", chat(Json::object()));
  EXPECT_EQ(given.request().sampling.temperature, 0.25);
}

TEST(Parameter, withoutASeedEachRequestHasItsOwn) {
  EXPECT_NE(requestOf(Json::object()).sampling.seed,
            requestOf(Json::object()).sampling.seed);
}

TEST(Parameter, grammarsComeFromAllTheirFields) {
  Json schema = {{"type", "object"}, {"properties", Json::object()}};
  for (const Json &each : std::vector<Json>{
           {{"response_format", {{"type", "json_object"}}}},
           {{"response_format", {{"type", "json_object"}, {"schema", schema}}}},
           {{"response_format",
             {{"type", "json_schema"},
              {"json_schema",
               {{"name", "n"}, {"strict", true}, {"schema", schema}}}}}},
           {{"response_format", {{"type", "json_schema"}, {"schema", schema}}}},
           {{"response_format",
             {{"type", "json_schema"},
              {"name", "n"},
              {"strict", true},
              {"schema", schema}}}},
           {{"grammar", "root ::= \"a\""}},
           {{"json_schema", schema}}}) {
    EXPECT_NE(requestOf(each).grammar, nullptr) << each;
  }
  EXPECT_EQ(requestOf({{"response_format", {{"type", "text"}}}}).grammar,
            nullptr);
}

TEST(Parameter, isolationTellsKeysApartWhereItIsAskedFor) {
  ApiOptions options;
  options.isolate = true;
  Served served(qwenTemplate, options);
  std::string body = chat(Json::object()).dump();
  for (const char *key : {"Bearer a", "Bearer b", "Bearer a"}) {
    served.ask("POST", "/v1/chat/completions", body, "",
               {{"authorization", key}});
  }
  const auto &requests = served.engine.requests;
  EXPECT_NE(requests[0].isolation, requests[1].isolation);
  EXPECT_EQ(requests[0].isolation, requests[2].isolation);
  EXPECT_EQ(requests[0].isolation.find("Bearer"), std::string::npos);
  EXPECT_EQ(requestOf(Json::object()).isolation, "");
}

TEST(Parameter, isolationHasOneLengthHoweverManyKeysAreSent) {
  ApiOptions options;
  options.isolate = true;
  Served served(qwenTemplate, options);
  std::string body = chat(Json::object()).dump();
  for (const HttpFields &keys :
       {HttpFields{{"x-api-key", "a"}, {"x-api-key", "b"}},
        HttpFields{{"x-api-key", "ab"}},
        HttpFields(1000, {"x-api-key", std::string(10, 'a')})}) {
    served.ask("POST", "/v1/chat/completions", body, "", keys);
  }
  const auto &requests = served.engine.requests;
  EXPECT_NE(requests[0].isolation, requests[1].isolation);
  EXPECT_LT(requests[2].isolation.size(), 40u);
}

TEST(Parameter, statesAreSharedWithinACacheSalt) {
  auto salted = [](const char *path, const char *prompt, const Json &salt) {
    Served served;
    served.post(path, {{prompt, "hi"}, {"cache_salt", salt}});
    return served.request().isolation;
  };
  for (auto [path, prompt] : {std::pair{"/v1/completions", "prompt"},
                              std::pair{"/completion", "prompt"},
                              std::pair{"/v1/embeddings", "input"}}) {
    EXPECT_EQ(salted(path, prompt, "a"), salted(path, prompt, "a")) << path;
    EXPECT_NE(salted(path, prompt, "a"), salted(path, prompt, "b")) << path;
    EXPECT_EQ(salted(path, prompt, nullptr), "") << path;
  }
  EXPECT_EQ(requestOf({{"cache_salt", "a"}}).isolation,
            salted("/completion", "prompt", "a"));
}

TEST(Parameter, aCacheSaltLeadsToNoOtherKeysStates) {
  ApiOptions options;
  options.isolate = true;
  Served served(qwenTemplate, options);
  auto ask = [&](const char *key, const Json &salt) {
    HttpFields fields;
    if (*key) {
      fields.emplace_back("authorization", key);
    }
    served.ask("POST", "/v1/chat/completions",
               chat({{"cache_salt", salt}}).dump(), "", fields);
    return served.engine.requests.back().isolation;
  };
  std::string plain = ask("Bearer a", nullptr);
  std::string salted = ask("Bearer a", "x");
  EXPECT_NE(salted, plain);
  EXPECT_NE(salted, ask("Bearer b", "x"));
  for (const char *key : {"", "Bearer b"}) { // that guesses the names
    for (const std::string &name : {plain, salted}) {
      EXPECT_NE(ask(key, name), plain);
      EXPECT_NE(ask(key, name), salted);
    }
  }
}

TEST(Parameter, whatAddsToAnswersIsTakenOnlyWhereItIsOff) {
  for (const char *name :
       {"timings_per_token", "return_progress", "post_sampling_probs"}) {
    requestOf({{name, false}});
    Served served;
    Reply reply = served.post("/completion", {{"prompt", "hi"}, {name, true}});
    EXPECT_EQ(reply.status, 400);
    EXPECT_EQ(reply.body["error"]["param"], name);
  }
}

TEST(Parameter, morePromptsThanEverCouldWaitAreRefused) {
  ApiOptions options;
  options.maximumPrompts = 2;
  Served served(qwenTemplate, options);
  for (auto [path, prompt] : {std::pair{"/v1/completions", "prompt"},
                              std::pair{"/v1/embeddings", "input"}}) {
    EXPECT_EQ(served.post(path, {{prompt, {"a", "b"}}}).status, 200);
    Reply reply = served.post(path, {{prompt, {"a", "b", "c"}}});
    EXPECT_EQ(reply.status, 400);
    EXPECT_EQ(reply.body["error"]["param"], prompt);
  }
  EXPECT_EQ(served.post("/v1/completions", {{"prompt", {1, 2, 3}}}).status,
            200);
}

TEST(Parameter, whatNoAnswerDependsOnIsIgnored) {
  requestOf({{"user", "u"},
             {"store", true},
             {"metadata", {{"a", "b"}}},
             {"service_tier", "auto"},
             {"parallel_tool_calls", true},
             {"tools", Json::array()},
             {"made_up", nullptr}});
}

/// A body that is refused, and the parameter that the refusal names.
struct Refused {
  Json more;
  const char *param;
};

std::vector<Refused> refusedOfChats() {
  Json nine = Json::array();
  for (int i = 0; i < 17; ++i) {
    nine.push_back("s" + std::to_string(i));
  }
  Json image = Json::array(
      {{{"type", "text"}, {"text", "look"}},
       {{"type", "image_url"}, {"image_url", {{"url", "http://x"}}}}});
  auto message = [](Json members) {
    return Json{{"messages", Json::array({std::move(members)})}};
  };
  return {
      {{{"n", 17}}, "n"},
      {{{"n", 0}}, "n"},
      {{{"n", 1.5}}, "n"},
      {{{"max_tokens", 0}}, "max_tokens"},
      {{{"max_tokens", "5"}}, "max_tokens"},
      {{{"max_completion_tokens", -3}}, "max_completion_tokens"},
      {{{"max_tokens", 1.5}}, "max_tokens"},
      {{{"max_tokens", 1e30}}, "max_tokens"},
      {{{"seed", -1e30}}, "seed"},
      {{{"top_k", -2.0}}, "top_k"},
      {{{"temperature", -1}}, "temperature"},
      {{{"temperature", "hot"}}, "temperature"},
      {{{"top_p", -0.5}}, "top_p"},
      {{{"top_p", 1.5}}, "top_p"},
      {{{"top_k", -2}}, "top_k"},
      {{{"min_p", 2}}, "min_p"},
      {{{"repetition_penalty", 0}}, "repetition_penalty"},
      {{{"repeat_penalty", 0}}, "repeat_penalty"},
      {{{"seed", "x"}}, "seed"},
      {{{"stop", nine}}, "stop"},
      {{{"stop", std::string(257, 'x')}}, "stop"},
      {{{"stop", 5}}, "stop"},
      {{{"stop", {5}}}, "stop"},
      {{{"logit_bias", {{"264", 1}}}}, "logit_bias"},
      {{{"logit_bias", {{"x", 1}}}}, "logit_bias"},
      {{{"logit_bias", {{"1", "x"}}}}, "logit_bias"},
      {{{"logit_bias", {{"1", 1e308}}}}, "logit_bias"},
      {{{"logit_bias", 5}}, "logit_bias"},
      {{{"logprobs", 1}}, "logprobs"},
      {{{"top_logprobs", 2}}, "top_logprobs"},
      {{{"logprobs", true}, {"top_logprobs", 21}}, "top_logprobs"},
      {{{"stream", 1}}, "stream"},
      {{{"stream_options", true}}, "stream_options"},
      {{{"stream_options", {{"x", 1}}}}, "stream_options.x"},
      {{{"response_format", {{"type", "xml"}}}}, "response_format.type"},
      {{{"response_format", {{"type", "json_schema"}}}},
       "response_format.json_schema"},
      {{{"response_format",
         {{"type", "json_schema"},
          {"json_schema", {{"schema", {{"if", 1}}}}}}}},
       "response_format"},
      {{{"response_format",
         {{"type", "json_schema"}, {"json_schema", {{"type", "null"}}}}}},
       "response_format.json_schema.schema"},
      {{{"response_format",
         {{"type", "json_schema"},
          {"schema", {{"type", "null"}}},
          {"json_schema", {{"schema", {{"type", "null"}}}}}}}},
       "response_format.schema"},
      {{{"grammar", "x ::="}}, "grammar"},
      {{{"grammar", "root ::= \"a\""},
        {"response_format", {{"type", "json_object"}}}},
       "response_format"},
      {{{"mirostat", 2}}, "mirostat"},
      {{{"best_of", 2}}, "best_of"},
      {{{"made_up", 1}}, "made_up"},
      {{{"timings_per_token", true}}, "timings_per_token"},
      {{{"return_progress", true}}, "return_progress"},
      {{{"post_sampling_probs", true}}, "post_sampling_probs"},
      {{{"cache_salt", 5}}, "cache_salt"},
      {{{"cache_salt", ""}}, "cache_salt"},
      {{{"cache_salt", std::string(257, 'x')}}, "cache_salt"},
      {{{"messages", Json::array()}}, "messages"},
      {{{"messages", "hi"}}, "messages"},
      {message({{"content", "x"}}), "messages[0].role"},
      {message({{"role", "king"}, {"content", "x"}}), "messages[0].role"},
      {message({{"role", "user"}}), "messages[0].content"},
      {message({{"role", "user"}, {"content", 5}}), "messages[0].content"},
      {message({{"role", "user"}, {"content", image}}),
       "messages[0].content[1]"},
      {message({{"role", "user"}, {"content", "x"}, {"odd", 1}}),
       "messages[0].odd"},
      {{{"chat_template_kwargs", 5}}, "chat_template_kwargs"},
      {{{"tool_choice", "required"}}, "tool_choice"},
  };
}

TEST(Parameter, aPromptThatTheEngineRefusesHasTheNameOfItsField) {
  Served served;
  served.engine.refusal = GenerationFault{GenerationFault::Kind::contextLength,
                                          "it is too long", "prompt"};
  Json texts = {{"prompt", "hi"}}, inputs = {{"input", "hi"}},
       contents = {{"content", "hi"}};
  for (auto [path, body, param] :
       {std::tuple{"/v1/chat/completions", chat(Json::object()), "messages"},
        std::tuple{"/v1/completions", texts, "prompt"},
        std::tuple{"/completion", texts, "prompt"},
        std::tuple{"/v1/embeddings", inputs, "input"},
        std::tuple{"/embedding", inputs, "input"},
        std::tuple{"/embedding", contents, "content"}}) {
    Reply reply = served.post(path, body);
    EXPECT_EQ(reply.status, 400) << path;
    EXPECT_EQ(reply.body["error"]["param"], param) << path;
  }
}

TEST(Parameter, refusalsNameTheParameter) {
  Served served;
  for (const Refused &each : refusedOfChats()) {
    Reply reply = served.post("/v1/chat/completions", chat(each.more));
    EXPECT_EQ(reply.status, 400) << each.more;
    EXPECT_EQ(reply.body["error"]["param"], each.param)
        << each.more << reply.body;
    EXPECT_EQ(reply.body["error"]["type"], "invalid_request_error");
  }
  for (const Refused &each : std::vector<Refused>{
           {{{"suffix", "end"}}, "suffix"},
           {{{"logprobs", 21}}, "logprobs"},
           {{{"max_tokens", 0}}, "max_tokens"},
           {{{"prompt", {1, 264}}}, "prompt"},
           {{{"prompt", {1, -1}}}, "prompt"},
           {{{"prompt", {1, "x"}}}, "prompt"},
           {{{"prompt", Json::array()}}, "prompt"},
           {{{"prompt", Json::array({Json::array()})}}, "prompt"},
           {{{"prompt", 5}}, "prompt"},
           {{{"prompt", nullptr}}, "prompt"},
           {{{"messages", Json::array()}}, "messages"}}) {
    Json body = {{"prompt", "hi"}};
    body.update(each.more);
    Reply reply = served.post("/v1/completions", body);
    EXPECT_EQ(reply.status, 400) << each.more;
    EXPECT_EQ(reply.body["error"]["param"], each.param) << reply.body;
  }
  EXPECT_TRUE(served.engine.requests.empty());
}

} // namespace
