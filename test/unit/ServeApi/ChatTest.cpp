// /v1/chat/completions: prompts, answers whole and in parts.
#include "ServeApiKit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

using namespace cheems;
using namespace cheems::serve;
using namespace cheems::test;
using testing::ElementsAre;

namespace {

const Json user = {{"role", "user"}, {"content", "hi"}};

Json chat(Json more = Json::object()) {
  Json body = {{"model", "any"}, {"messages", Json::array({user})}};
  body.update(more);
  return body;
}

std::string promptOf(Served &served) {
  return served.text->tokenizer().decode(served.request().prompt, false);
}

TEST(Chat, aWholeAnswerHasMessageUsageAndTimings) {
  Served served;
  Reply reply = served.post("/v1/chat/completions", chat());
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.body["object"], "chat.completion");
  EXPECT_EQ(reply.body["id"], "chatcmpl-r1");
  const Json &choice = reply.body["choices"][0];
  EXPECT_EQ(choice["message"]["role"], "assistant");
  EXPECT_EQ(choice["message"]["content"], "hello");
  EXPECT_EQ(choice["finish_reason"], "stop");
  EXPECT_TRUE(choice["logprobs"].is_null());
  const Json &usage = reply.body["usage"];
  int64_t prompt = int64_t(served.request().prompt.size());
  EXPECT_EQ(usage["prompt_tokens"], prompt);
  EXPECT_EQ(usage["completion_tokens"], 5);
  EXPECT_EQ(usage["total_tokens"], prompt + 5);
  EXPECT_EQ(usage["prompt_tokens_details"]["cached_tokens"], 3);
  const Json &timings = reply.body["timings"];
  EXPECT_EQ(timings["cache_n"], 3);
  EXPECT_EQ(timings["prompt_n"], prompt - 3);
  EXPECT_EQ(timings["predicted_per_second"], 2.5);
  EXPECT_THAT(served.responder->notes,
              ElementsAre("prompt_tokens=" + std::to_string(prompt),
                          "cached_tokens=3", "generated_tokens=5"));
}

TEST(Chat, aStreamBeginsWithTheRoleAndEndsWithUsageAndDone) {
  Served served;
  Reply reply = served.post(
      "/v1/chat/completions",
      chat({{"stream", true}, {"stream_options", {{"include_usage", true}}}}));
  EXPECT_EQ(served.responder->response.type, "text/event-stream");
  ASSERT_EQ(reply.events.size(), 9u); // role, 5 letters, end, usage, DONE
  EXPECT_EQ(reply.events.back(), "[DONE]");
  std::string said;
  for (size_t i = 0; i < 8; ++i) {
    Json event = Json::parse(reply.events[i]);
    EXPECT_EQ(event["object"], "chat.completion.chunk");
    EXPECT_EQ(event["id"], "chatcmpl-r1");
    if (i == 7) {
      EXPECT_EQ(event["choices"], Json::array());
      EXPECT_EQ(event["usage"]["completion_tokens"], 5);
      continue;
    }
    EXPECT_TRUE(event["usage"].is_null());
    const Json &choice = event["choices"][0];
    EXPECT_EQ(choice["delta"].contains("role"), i == 0);
    EXPECT_EQ(choice["finish_reason"].is_null(), i != 6);
    said += choice["delta"].value("content", "");
  }
  EXPECT_EQ(said, "hello");
  EXPECT_EQ(Json::parse(reply.events[6])["choices"][0]["finish_reason"],
            "stop");
}

TEST(Chat, withoutStreamOptionsNoUsageComes) {
  Served served;
  Reply reply = served.post("/v1/chat/completions", chat({{"stream", true}}));
  for (const std::string &event : reply.events) {
    EXPECT_EQ(event.find("usage"), std::string::npos) << event;
  }
}

TEST(Chat, eachOfSeveralChoicesHasItsIndex) {
  Served served;
  served.engine.texts = {"one", "two"};
  Reply reply = served.post("/v1/chat/completions", chat({{"n", 2}}));
  EXPECT_EQ(reply.body["choices"][0]["message"]["content"], "one");
  EXPECT_EQ(reply.body["choices"][1]["message"]["content"], "two");
  EXPECT_EQ(reply.body["choices"][1]["index"], 1);

  Reply stream =
      served.post("/v1/chat/completions", chat({{"n", 2}, {"stream", true}}));
  std::string said[2];
  for (size_t i = 0; i + 1 < stream.events.size(); ++i) {
    Json choice = Json::parse(stream.events[i])["choices"][0];
    said[choice["index"].get<size_t>()] += choice["delta"].value("content", "");
  }
  EXPECT_EQ(said[0], "one");
  EXPECT_EQ(said[1], "two");
}

TEST(Chat, logprobsTellTokenBytesAndTheBest) {
  Served served;
  served.engine.texts = {"h\xC3\xA9"};
  Json wish = chat({{"logprobs", true}, {"top_logprobs", 2}});
  Reply reply = served.post("/v1/chat/completions", wish);
  const Json &content = reply.body["choices"][0]["logprobs"]["content"];
  ASSERT_EQ(content.size(), 3u);
  EXPECT_EQ(content[0]["token"], "h");
  EXPECT_EQ(content[0]["bytes"], Json::array({'h'}));
  EXPECT_EQ(content[1]["token"], "bytes:\\xc3");
  EXPECT_EQ(content[1]["bytes"], Json::array({0xC3}));
  ASSERT_EQ(content[0]["top_logprobs"].size(), 2u);
  EXPECT_EQ(content[0]["top_logprobs"][0]["logprob"], content[0]["logprob"]);

  wish["stream"] = true;
  Reply stream = served.post("/v1/chat/completions", wish);
  Json all = Json::array();
  for (size_t i = 0; i + 1 < stream.events.size(); ++i) {
    Json logprobs = Json::parse(stream.events[i])["choices"][0]["logprobs"];
    if (!logprobs.is_null()) {
      all.push_back(logprobs["content"][0]);
    }
  }
  EXPECT_EQ(all, content);
}

TEST(Chat, rolesAndPartsAreRenderedByTheTemplate) {
  Served served;
  Json parts = Json::array({{{"type", "text"}, {"text", "one"}},
                            {{"type", "text"}, {"text", "two"}}});
  served.post("/v1/chat/completions",
              {{"messages",
                {{{"role", "developer"}, {"content", "be kind"}},
                 {{"role", "user"}, {"content", parts}},
                 {{"role", "assistant"}, {"content", "yes"}},
                 user}}});
  EXPECT_EQ(promptOf(served),
            "<|im_start|>system\nbe kind<|im_end|>\n"
            "<|im_start|>user\none\ntwo<|im_end|>\n"
            "<|im_start|>assistant\nyes<|im_end|>\n"
            "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n");
}

/// A prompt in which an answer was sent back with `more`.
std::string promptWithAnswer(const Json &more) {
  Json answer = {{"role", "assistant"}, {"content", "{}"}};
  answer.update(more);
  Served served;
  Reply reply =
      served.post("/v1/chat/completions", {{"messages", {user, answer, user}}});
  EXPECT_EQ(reply.status, 200) << more << reply.body;
  return reply.status == 200 ? promptOf(served) : "";
}

TEST(Chat, whatAnswersHaveBesideTheirTextMayBeSentBack) {
  const std::string plain = promptWithAnswer(Json::object());
  const Json off = {{"type", "ephemeral"}};
  for (const Json &more : std::vector<Json>{
           {{"parsed", {{"a", 1}}}, {"refusal", nullptr}},
           {{"provider_specific_fields", {{"x", 1}}}},
           {{"annotations", Json::array()}, {"audio", nullptr}},
           {{"function_call", nullptr}, {"tool_calls", Json::array()}},
           {{"tool_calls", nullptr}, {"images", Json::array()}},
           {{"reasoning", nullptr}, {"reasoning_content", nullptr}},
           {{"reasoning", {{"effort", "low"}}}, {"thinking", true}},
           {{"reasoning_details", Json::array({off})},
            {"thinking_blocks", Json::array({off})}},
           {{"is_error", false}, {"cache_control", off}},
           {{"extra_content", {{"google", {{"thought_signature", "x"}}}}},
            {"citations", Json::array({off})},
            {"executed_tools", Json::array()},
            {"created_at", 1},
            {"finish_reason", "stop"},
            {"model", "m"},
            {"metadata", off},
            {"status", "completed"}},
           {{"content",
             Json::array({{{"type", "thinking"}, {"thinking", "hm"}},
                          {{"type", "redacted_thinking"}, {"data", "x"}},
                          {{"type", "text"},
                           {"text", "{}"},
                           {"cache_control", off},
                           {"annotations", Json::array()}}})}},
           {{"content", Json::array({{{"type", "output_text"},
                                      {"text", "{}"},
                                      {"logprobs", Json::array()}}})}}}) {
    EXPECT_EQ(promptWithAnswer(more), plain) << more;
  }
}

TEST(Chat, callsOfAParsedAnswerMayBeSentBack) {
  Json call = {{"id", "c"},
               {"type", "function"},
               {"index", 0},
               {"provider_specific_fields", nullptr},
               {"function",
                {{"name", "f"},
                 {"arguments", "{\"a\": 1}"},
                 {"parsed_arguments", {{"a", 1}}}}}};
  EXPECT_THAT(promptWithAnswer(
                  {{"content", nullptr}, {"tool_calls", Json::array({call})}}),
              testing::HasSubstr("\"arguments\": {\"a\": 1}}"));
}

TEST(Chat, howMuchToReasonIsForTheTemplate) {
  Served served("{{ reasoning_effort }} {{ verbosity is defined }}");
  served.post("/v1/chat/completions",
              {{"messages", {user}}, {"reasoning_effort", "low"}});
  EXPECT_EQ(promptOf(served), "low False");
  Served named("{{ reasoning_effort }} {{ verbosity }}");
  named.post("/v1/chat/completions",
             {{"messages", {user}},
              {"reasoning_effort", "low"},
              {"verbosity", "high"},
              {"chat_template_kwargs", {{"reasoning_effort", "none"}}}});
  EXPECT_EQ(promptOf(named), "none high");
}

TEST(Chat, reasoningHasOneNameForTemplates) {
  const char *tells = "{% for m in messages %}[{{ m.reasoning_content }}]"
                      "{% endfor %}";
  auto told = [&](const Json &more) {
    Json answer = {{"role", "assistant"}, {"content", "x"}};
    answer.update(more);
    Served served(tells);
    served.post("/v1/chat/completions", {{"messages", {user, answer}}});
    return promptOf(served);
  };
  for (const char *name : {"reasoning_content", "reasoning", "thinking"}) {
    EXPECT_EQ(told({{name, "hm"}}), "[][hm]") << name;
    EXPECT_EQ(told({{"content",
                     Json::array({{{"type", "thinking"}, {"thinking", "no"}}})},
                    {name, "hm"}}),
              "[][hm]");
  }
  EXPECT_EQ(told({{"content", Json::array({{{"type", "reasoning"},
                                            {"reasoning", "hm"}}})}}),
            "[][hm]");
}

TEST(Chat, aRefusalSaysWhatAPartLacks) {
  auto fault = [](const Json &part) {
    Json message = {{"role", "user"}, {"content", Json::array({part})}};
    Served served;
    Reply reply = served.post("/v1/chat/completions",
                              {{"messages", Json::array({message})}});
    return reply.body["error"].value("message", "");
  };
  EXPECT_EQ(fault({{"text", "x"}}), "messages[0].content[0].type is missing; "
                                    "text has the type 'text'");
  EXPECT_EQ(fault({{"type", "text"}}),
            "messages[0].content[0].text is missing");
  EXPECT_EQ(fault({{"type", "text"}, {"text", nullptr}}),
            "messages[0].content[0].text must be a string");
}

TEST(Chat, aContentOfNullIsAnEmptyOne) {
  const std::string empty = promptWithAnswer({{"content", ""}});
  EXPECT_EQ(promptWithAnswer({{"content", nullptr}}), empty);
  EXPECT_EQ(promptWithAnswer({{"content", Json::array()}}), empty);
  EXPECT_EQ(promptWithAnswer({{"content", nullptr}, {"refusal", "no"}}),
            promptWithAnswer({{"content", "no"}}));
  Served served;
  for (const char *role : {"system", "user", "assistant", "tool"}) {
    Reply reply = served.post(
        "/v1/chat/completions",
        {{"messages", {user, {{"role", role}, {"content", nullptr}}}}});
    EXPECT_EQ(reply.status, 200) << role << reply.body;
  }
  EXPECT_EQ(served
                .post("/v1/chat/completions",
                      {{"messages", {user, {{"role", "assistant"}}, user}}})
                .status,
            200);
}

TEST(Chat, mediaOfMessagesAreRefusedByName) {
  Served served;
  for (const char *name : {"images", "audio", "videos"}) {
    Json message = user;
    message[name] = Json::array({"aGVsbG8="});
    Reply reply = served.post("/v1/chat/completions",
                              {{"messages", Json::array({message})}});
    EXPECT_EQ(reply.status, 400) << name;
    EXPECT_EQ(reply.body["error"]["param"], "messages[0]." + std::string(name));
  }
}

TEST(Chat, boundariesAreTheEndsOfTheSystemPromptAndOfMessages) {
  Served served;
  served.post(
      "/v1/chat/completions",
      {{"messages", {{{"role", "system"}, {"content", "be kind"}}, user}}});
  const Tokenizer &tokenizer = served.text->tokenizer();
  auto lengthOf = [&](const char *text) {
    return int64_t(tokenizer.encode(text, false).size());
  };
  EXPECT_THAT(served.request().boundaries,
              ElementsAre(lengthOf("<|im_start|>system\nbe kind<|im_end|>\n"),
                          lengthOf("<|im_start|>system\nbe kind<|im_end|>\n"
                                   "<|im_start|>user\nhi<|im_end|>\n")));
}

TEST(Chat, aPromptThatIsTooLongIsRefusedOnceItIsRendered) {
  Served served;
  Json message = {{"role", "user"}, {"content", std::string(600, 'x')}};
  Reply reply =
      served.post("/v1/chat/completions", {{"messages", {user, message}}});
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.body["error"]["code"], "context_length_exceeded");
  EXPECT_EQ(reply.body["error"]["param"], "messages");
  EXPECT_EQ(served.post("/tokenize", {{"messages", {user, message}}}).status,
            200);
}

TEST(Chat, templateVariablesReachTheTemplate) {
  Served served;
  served.post("/v1/chat/completions",
              chat({{"chat_template_kwargs", {{"enable_thinking", false}}}}));
  EXPECT_THAT(promptOf(served), testing::EndsWith("<think>\n\n</think>\n\n"));
}

TEST(Chat, whatATemplateRefusesIsTheClientsFault) {
  Served served(plainTemplate);
  Reply reply = served.post(
      "/v1/chat/completions",
      {{"messages", {{{"role", "system"}, {"content", "x"}}, user}}});
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.body["error"]["param"], "messages");
  EXPECT_THAT(reply.body["error"]["message"].get<std::string>(),
              testing::HasSubstr("no system prompt, please"));
}

TEST(Chat, aModelWithoutATemplateRefusesChats) {
  Served served("");
  Reply reply = served.post("/v1/chat/completions", chat());
  EXPECT_EQ(reply.status, 400);
  EXPECT_THAT(reply.body["error"]["message"].get<std::string>(),
              testing::HasSubstr("no chat template"));
}

TEST(Chat, stopStringsOfTheModelsChatsAreAdded) {
  Served served(qwenTemplate, {},
                R"({"stop_strings": ["S"], "chat_stop_strings": ["C"]})");
  served.post("/v1/chat/completions", chat({{"stop", "mine"}}));
  EXPECT_THAT(served.request().stopStrings, ElementsAre("mine", "S", "C"));
}

TEST(Chat, aRefusalOfTheEngineHasItsStatus) {
  using Kind = GenerationFault::Kind;
  struct Case {
    Kind kind;
    int status;
    const char *code;
  };
  for (auto [kind, status, code] :
       {Case{Kind::invalid, 400, ""},
        {Kind::contextLength, 400, "context_length_exceeded"},
        {Kind::queueFull, 429, "queue_full"},
        {Kind::timeout, 503, "timeout"},
        {Kind::shuttingDown, 503, "shutting_down"},
        {Kind::internal, 500, ""}}) {
    for (bool streams : {false, true}) {
      Served served;
      served.engine.refusal = GenerationFault{kind, "because", "messages"};
      Reply reply =
          served.post("/v1/chat/completions", chat({{"stream", streams}}));
      EXPECT_EQ(reply.status, status);
      EXPECT_EQ(reply.body["error"]["message"], "because");
      EXPECT_EQ(reply.body["error"]["param"], "messages");
      EXPECT_EQ(reply.body["error"]["code"], *code ? Json(code) : Json());
      bool again = status == 429 || status == 503;
      EXPECT_EQ(reply.fields.size(), again ? 1u : 0u);
    }
  }
}

TEST(Chat, aFaultAfterTheHeadersIsAnErrorEvent) {
  Served served;
  served.engine.fault =
      GenerationFault{GenerationFault::Kind::internal, "it broke", ""};
  Reply reply = served.post("/v1/chat/completions", chat({{"stream", true}}));
  EXPECT_EQ(reply.status, 200);
  Json last = Json::parse(reply.events.back());
  EXPECT_EQ(last["error"]["message"], "it broke");
  EXPECT_THAT(served.responder->stream,
              testing::HasSubstr("\n\nevent: error\ndata: {"));
  EXPECT_EQ(served.responder->ended, 1);
  EXPECT_THAT(served.responder->notes, ElementsAre("error=\"it broke\""));

  Reply whole = served.post("/v1/chat/completions", chat());
  EXPECT_EQ(whole.status, 500);
  EXPECT_THAT(served.responder->notes, ElementsAre("error=\"it broke\""));
}

TEST(Chat, aClientThatHasGoneCancelsItsRequest) {
  Served served;
  served.engine.waits = true;
  HttpRequest request;
  request.method = "POST";
  request.path = "/v1/chat/completions";
  request.body = chat({{"stream", true}}).dump();
  auto responder = std::make_shared<StandInResponder>();
  served.api.handle(request, responder);
  responder->drop(); // waits for the stream's beginning
  // the ticket may be on its way back to the answer
  for (int i = 0; i < 1000 && served.engine.tickets.empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ASSERT_EQ(served.engine.tickets.size(), 1u);
  for (int i = 0; i < 1000 && !served.engine.tickets[0]->cancelled; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(served.engine.tickets[0]->cancelled);
  served.engine.sinks[0]->done({});
}

} // namespace
