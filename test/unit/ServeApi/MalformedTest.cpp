// Bodies that are not what they should be get a refusal and nothing else.
#include "ServeApiKit.h"

#include "server/Api/Sampling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

using namespace cheems;
using namespace cheems::serve;
using namespace cheems::test;
using testing::HasSubstr;

namespace {

constexpr const char *paths[] = {
    "/v1/chat/completions", "/v1/completions", "/completion",
    "/v1/embeddings",       "/tokenize",       "/detokenize",
    "/apply-template",      "/embedding"};

TEST(Malformed, bodiesThatAreNoObjectAreRefused) {
  Served served;
  for (const char *path : paths) {
    for (const char *body :
         {"", "{", "[]", "5", "{\"a\":1,}", "{\"a\":1} x", "\"\xFF\"", "nul"}) {
      Reply reply = served.ask("POST", path, body);
      EXPECT_EQ(reply.status, 400) << path << body;
      EXPECT_EQ(reply.body["error"]["type"], "invalid_request_error");
      EXPECT_EQ(reply.body["error"]["message"].get<std::string>().find('\n'),
                std::string::npos);
    }
  }
}

TEST(Malformed, refusalsDoNotRepeatWhatIsLong) {
  Served served;
  std::string xs(100000, 'x');
  for (const std::string &body : {"{\"prompt\": \"" + xs, // no end
                                  "{\"prompt\": \"hi\", \"" + xs + "\": 1}"}) {
    Reply reply = served.ask("POST", "/v1/completions", body);
    EXPECT_EQ(reply.status, 400);
    EXPECT_LT(reply.body.dump().size(), 1000u);
  }
  Reply reply = served.ask("GET", "/" + xs);
  EXPECT_EQ(reply.status, 404);
  EXPECT_LT(reply.body.dump().size(), 1000u);
}

TEST(Malformed, deepAndWideBodiesAreRefused) {
  Served served;
  auto nested = [](int depth) {
    return "{\"prompt\":" + std::string(size_t(depth), '[') +
           std::string(size_t(depth), ']') + "}";
  };
  Reply reply = served.ask("POST", "/v1/completions", nested(100000));
  EXPECT_EQ(reply.status, 400);
  EXPECT_THAT(reply.body["error"]["message"].get<std::string>(),
              HasSubstr("nests more than 64 deep"));
  EXPECT_THAT(served.ask("POST", "/v1/completions", nested(63))
                  .body["error"]["message"]
                  .get<std::string>(),
              testing::Not(HasSubstr("deep")));
  Json wide = {{"prompt", "x"}};
  for (int i = 0; i < 4096; ++i) {
    wide["logit_bias"][std::to_string(i)] = 0;
  }
  EXPECT_THAT(served.post("/v1/completions", wide)
                  .body["error"]["message"]
                  .get<std::string>(),
              testing::Not(HasSubstr("members")));
  wide["logit_bias"]["x"] = 0;
  EXPECT_THAT(served.post("/v1/completions", wide)
                  .body["error"]["message"]
                  .get<std::string>(),
              HasSubstr("more than 4096 members"));
}

/// Any JSON, made of the words that requests have.
Json anything(std::mt19937 &random, int depth) {
  static const char *words[] = {"messages",
                                "role",
                                "user",
                                "assistant",
                                "content",
                                "tools",
                                "type",
                                "function",
                                "name",
                                "arguments",
                                "stream",
                                "stop",
                                "prompt",
                                "echo",
                                "n",
                                "logprobs",
                                "input",
                                "tokens",
                                "temperature",
                                "max_tokens",
                                "tool_choice",
                                "required",
                                "text",
                                "logit_bias",
                                "response_format",
                                "json_schema",
                                "schema",
                                "parameters",
                                "tool_calls",
                                "<|im_end|>",
                                "top_logprobs",
                                "seed",
                                "\xC3\xA9",
                                ""};
  auto word = [&] { return words[random() % std::size(words)]; };
  switch (random() % (depth > 0 ? 8 : 6)) {
  case 0:
    return nullptr;
  case 1:
    return random() % 2 == 0;
  case 2:
    return int64_t(random() % 300) - 5;
  case 3:
    return double(random() % 100) / 7 - 3;
  case 4:
    return word();
  case 5:
    return random() % 2 == 0 ? Json(UINT64_MAX) : Json(INT64_MIN);
  case 6: {
    Json list = Json::array();
    for (unsigned i = random() % 4; i > 0; --i) {
      list.push_back(anything(random, depth - 1));
    }
    return list;
  }
  default: {
    Json object = Json::object();
    for (unsigned i = random() % 5; i > 0; --i) {
      object[word()] = anything(random, depth - 1);
    }
    return object;
  }
  }
}

/// Changes one place of a sound body.
void disturb(Json &body, std::mt19937 &random) {
  Json *place = &body;
  while (place->is_structured() && !place->empty() && random() % 4 != 0) {
    auto at = place->begin();
    std::advance(at, ptrdiff_t(random() % place->size()));
    place = &*at;
  }
  if (place != &body) {
    *place = anything(random, 2);
  } else {
    body["temperature"] = anything(random, 1);
  }
}

TEST(Malformed, randomBodiesGetOneAnswerThatIsSound) {
  Served served;
  served.engine.texts = {"x<tool_call>{\"name\":\"f\",\"arguments\":{}}"};
  std::mt19937 random(3);
  Json tool = {{"type", "function"},
               {"function", {{"name", "f"}, {"parameters", Json::object()}}}};
  const Json sound[] = {
      {{"messages",
        {{{"role", "system"}, {"content", "s"}},
         {{"role", "user"},
          {"content", Json::array({{{"type", "text"}, {"text", "t"}}})}},
         {{"role", "assistant"},
          {"content", ""},
          {"tool_calls",
           Json::array(
               {{{"type", "function"},
                 {"function", {{"name", "f"}, {"arguments", "{}"}}}}})}}}},
       {"tools", Json::array({tool})},
       {"tool_choice", "auto"},
       {"n", 2},
       {"stop", {"q"}},
       {"logprobs", true},
       {"top_logprobs", 2},
       {"logit_bias", {{"1", 2}}}},
      {{"prompt", {"a", "b"}},
       {"echo", true},
       {"logprobs", 1},
       {"max_tokens", 1},
       {"response_format", {{"type", "text"}}}},
      {{"prompt", {1, "b"}}, {"n_predict", 3}, {"stop", {"x"}}},
      {{"input", {"a", "b"}}, {"encoding_format", "base64"}},
      {{"content", "a"}, {"with_pieces", true}},
      {{"tokens", {1, 2}}},
      {{"messages", {{{"role", "user"}, {"content", "s"}}}}},
      {{"content", {"a", "b"}}, {"pooling", "last"}}};
  static_assert(std::size(sound) == std::size(paths));
  for (int round = 0; round < 3000; ++round) {
    size_t which = random() % std::size(paths);
    Json body = sound[which];
    if (random() % 8 == 0) {
      body = anything(random, 4);
    }
    for (unsigned i = 1 + random() % 2; i > 0 && body.is_object(); --i) {
      disturb(body, random);
    }
    bool streams = random() % 3 == 0 && body.is_object() && which < 3;
    if (streams) {
      body["stream"] = true;
    }
    Reply reply = served.post(paths[which], body);
    EXPECT_TRUE(reply.status == 200 || reply.status == 400)
        << paths[which] << body << reply.body;
    if (reply.status == 400) {
      EXPECT_TRUE(reply.body["error"]["message"].is_string());
      EXPECT_EQ(served.responder->begun, 0);
    } else if (streams && which < 2) {
      EXPECT_EQ(reply.events.back(), "[DONE]");
    }
  }
  for (const GenerationRequest &request : served.engine.requests) {
    ASSERT_FALSE(request.prompt.empty());
    ASSERT_GE(request.choices, 1);
    ASSERT_LE(request.choices, maximumChoices);
    for (int32_t token : request.prompt) {
      ASSERT_TRUE(token >= 0 && token < vocabularySize);
    }
    EXPECT_NO_THROW(validate(request.sampling));
  }
}

} // namespace
