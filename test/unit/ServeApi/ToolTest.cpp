// Requests that describe tools: rendered, forced, called, sent back.
#include "ServeApiKit.h"

#include "runtime/Grammar/TokenConstraint.h"
#include "server/Api/ApiError.h"
#include "server/Api/ChatMessages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems;
using namespace cheems::serve;
using namespace cheems::test;
using testing::HasSubstr;

namespace {

const Json weather = {{"type", "function"},
                      {"function",
                       {{"name", "weather"},
                        {"description", "of a place"},
                        {"parameters",
                         {{"type", "object"},
                          {"properties", {{"place", {{"type", "string"}}}}},
                          {"required", {"place"}}}}}}};

Json chat(const Json &more) {
  Json body = {
      {"messages", Json::array({{{"role", "user"}, {"content", "hi"}}})},
      {"tools", Json::array({weather})}};
  body.update(more);
  return body;
}

const char *const one = "<tool_call>\n{\"name\": \"weather\", \"arguments\": "
                        "{\"place\": \"Rome }\\\"\"}}\n</tool_call>";

TEST(Tools, toolsReachTheTemplateInTheirOrder) {
  Served served;
  served.post("/v1/chat/completions", chat(Json::object()));
  std::string prompt =
      served.text->tokenizer().decode(served.request().prompt, false);
  EXPECT_THAT(prompt, HasSubstr("{\"type\": \"function\", \"function\": "
                                "{\"name\": \"weather\", \"description\": "
                                "\"of a place\", \"parameters\": "));
  EXPECT_EQ(served.request().grammar, nullptr);
}

TEST(Tools, aTemplateWithoutToolsRefusesThem) {
  Served served(plainTemplate);
  Reply reply = served.post("/v1/chat/completions", chat(Json::object()));
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.body["error"]["param"], "tools");
  EXPECT_TRUE(served.engine.requests.empty());
}

TEST(Tools, anAnswersCallsAreParsed) {
  Served served;
  served.engine.texts = {std::string("Well.\n") + one};
  Reply reply = served.post("/v1/chat/completions", chat(Json::object()));
  const Json &choice = reply.body["choices"][0];
  EXPECT_EQ(choice["finish_reason"], "tool_calls");
  EXPECT_EQ(choice["message"]["content"], "Well.");
  const Json &call = choice["message"]["tool_calls"][0];
  EXPECT_EQ(call["type"], "function");
  EXPECT_EQ(call["function"]["name"], "weather");
  EXPECT_EQ(call["function"]["arguments"], "{\"place\": \"Rome }\\\"\"}");

  served.engine.texts = {one};
  reply = served.post("/v1/chat/completions", chat(Json::object()));
  EXPECT_TRUE(reply.body["choices"][0]["message"]["content"].is_null());

  reply = served.post("/v1/chat/completions", chat({{"tool_choice", "none"}}));
  EXPECT_EQ(reply.body["choices"][0]["message"]["content"], one);
  EXPECT_EQ(reply.body["choices"][0]["finish_reason"], "stop");
}

TEST(Tools, callsAreStreamedAsDeltas) {
  Served served;
  served.engine.texts = {std::string("Well.\n") + one + one};
  Reply reply = served.post("/v1/chat/completions", chat({{"stream", true}}));
  std::string said, arguments[2], ids[2];
  Json finish;
  for (size_t i = 0; i + 1 < reply.events.size(); ++i) {
    Json choice = Json::parse(reply.events[i])["choices"][0];
    said += choice["delta"].value("content", "");
    finish = choice["finish_reason"];
    if (!choice["delta"].contains("tool_calls")) {
      continue;
    }
    const Json &call = choice["delta"]["tool_calls"][0];
    size_t index = call["index"].get<size_t>();
    ASSERT_LT(index, 2u);
    if (call.contains("id")) {
      EXPECT_EQ(ids[index], "");
      ids[index] = call["id"];
      EXPECT_EQ(call["function"]["name"], "weather");
    }
    arguments[index] += call["function"]["arguments"].get<std::string>();
  }
  EXPECT_EQ(said, "Well.");
  EXPECT_EQ(arguments[0], "{\"place\": \"Rome }\\\"\"}");
  EXPECT_EQ(arguments[1], arguments[0]);
  EXPECT_NE(ids[0], ids[1]);
  EXPECT_EQ(finish, "tool_calls");
}

TEST(Tools, requiredOrANamedToolForcesTheGrammar) {
  for (const Json &choice : std::vector<Json>{
           "required",
           {{"type", "function"}, {"function", {{"name", "weather"}}}}}) {
    Served served;
    served.engine.texts = {one};
    Reply reply =
        served.post("/v1/chat/completions", chat({{"tool_choice", choice}}));
    ASSERT_EQ(reply.status, 200) << reply.body;
    EXPECT_NE(served.request().grammar, nullptr);
    EXPECT_EQ(reply.body["choices"][0]["finish_reason"], "tool_calls");
  }
}

Json toolNamed(const char *name) {
  return {{"type", "function"}, {"function", {{"name", name}}}};
}

/// Whether the grammar of a request takes `text`, a byte a token.
bool takes(Served &served, const std::string &text) {
  TokenConstraint constraint(served.engine.requests.back().grammar,
                             makeVocabularyTrie(*served.text));
  for (int32_t token : bytesOf(text)) {
    const std::vector<uint32_t> &mask = constraint.mask({});
    if ((mask[size_t(token) / 32] >> token % 32 & 1) == 0) {
      return false;
    }
    constraint.accept(token);
  }
  return constraint.mayEnd();
}

std::string callOf(const char *name, const char *arguments) {
  return "<tool_call>\n{\"name\": \"" + std::string(name) +
         "\", \"arguments\": " + arguments + "}\n</tool_call>";
}

TEST(Tools, aForcedToolThatNamesNoParametersGetsNone) {
  Json empty = {{"type", "object"}, {"properties", Json::object()}};
  for (const Json &parameters : std::vector<Json>{
           "absent",
           nullptr,
           Json::object(),
           {{"type", "object"}},
           empty,
           {{"type", "object"},
            {"properties", Json::object()},
            {"required", Json::array()},
            {"additionalProperties", false},
            {"title", "Now"},
            {"description", "none"},
            {"$schema", "http://json-schema.org/draft-07/schema#"}},
           {{"type", {"object", "null"}}, {"properties", Json::object()}},
           {{"type", "object"}, {"nullable", true}, {"$comment", "none"}},
           {{"type", {"object"}}, {"minProperties", 0}, {"x-order", 1}},
           {{"allOf", Json::array({{{"type", "object"}}})}},
           {{"$ref", "#/$defs/None"},
            {"$defs",
             {{"None", {{"type", "object"}}},
              {"Other", {{"properties", {{"a", Json::object()}}}}}}}}}) {
    Json tool = toolNamed("now");
    if (parameters != "absent") {
      tool["function"]["parameters"] = parameters;
    }
    for (const Json &choice : {Json("required"), toolNamed("now")}) {
      Served served;
      Reply reply = served.post(
          "/v1/chat/completions",
          chat({{"tools", Json::array({tool})}, {"tool_choice", choice}}));
      ASSERT_EQ(reply.status, 200) << reply.body;
      EXPECT_TRUE(takes(served, callOf("now", "{}"))) << parameters;
      EXPECT_FALSE(takes(served, callOf("now", "{\"a\":1}"))) << parameters;
    }
  }
  // what says something of others leaves them free
  Json tool = toolNamed("now");
  tool["function"]["parameters"] = {{"type", "object"},
                                    {"additionalProperties", true}};
  Served served;
  served.post("/v1/chat/completions", chat({{"tools", Json::array({tool})},
                                            {"tool_choice", "required"}}));
  EXPECT_TRUE(takes(served, callOf("now", "{\"a\":1}")));
}

TEST(Tools, argumentsAreNamedAndNeverNull) {
  Json tool = toolNamed("now");
  tool["function"]["parameters"] = {{"type", {"object", "null"}},
                                    {"properties", {{"a", {{"type", "null"}}}}},
                                    {"required", {"a"}}};
  Served served;
  served.post("/v1/chat/completions", chat({{"tools", Json::array({tool})},
                                            {"tool_choice", "required"}}));
  EXPECT_TRUE(takes(served, callOf("now", "{\"a\":null}")));
  EXPECT_FALSE(takes(served, callOf("now", "null")));
  tool["function"]["parameters"] = {{"type", "array"}};
  Reply reply = served.post("/v1/chat/completions",
                            chat({{"tools", Json::array({tool})}}));
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.body["error"]["param"], "tools[0].function.parameters");
}

TEST(Tools, aForcedCallIsAllThatComesWhateverFormatTheRestWouldHave) {
  Served served;
  Reply reply =
      served.post("/v1/chat/completions",
                  chat({{"tool_choice", "required"},
                        {"response_format", {{"type", "json_object"}}}}));
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_TRUE(takes(served, callOf("weather", "{\"place\":\"x\"}")));
  EXPECT_FALSE(takes(served, "{}"));
  reply = served.post(
      "/v1/chat/completions",
      chat({{"tool_choice", "required"}, {"grammar", "root ::= \"a\""}}));
  EXPECT_EQ(reply.status, 400);
}

TEST(Tools, allowedToolsAreTheOnlyOnes) {
  auto allowed = [](const char *mode, const Json &tools) {
    return Json{{"type", "allowed_tools"},
                {"allowed_tools", {{"mode", mode}, {"tools", tools}}}};
  };
  Json all = Json::array({toolNamed("one"), toolNamed("two")});
  Json second = Json::array({toolNamed("two")});
  for (const char *mode : {"auto", "required"}) {
    Served served;
    served.engine.texts = {callOf("two", "{}")};
    Reply reply = served.post(
        "/v1/chat/completions",
        chat({{"tools", all}, {"tool_choice", allowed(mode, second)}}));
    ASSERT_EQ(reply.status, 200) << reply.body;
    std::string prompt =
        served.text->tokenizer().decode(served.request().prompt, false);
    EXPECT_THAT(prompt, testing::Not(HasSubstr("\"one\"")));
    EXPECT_THAT(prompt, HasSubstr("\"two\""));
    EXPECT_EQ(reply.body["choices"][0]["finish_reason"], "tool_calls");
    EXPECT_EQ(served.request().grammar != nullptr,
              mode == std::string("required"));
    if (served.request().grammar) {
      EXPECT_TRUE(takes(served, callOf("two", "{}")));
      EXPECT_FALSE(takes(served, callOf("one", "{}")));
    }
  }
  Served served;
  const std::string where = "tool_choice.allowed_tools";
  for (auto [choice, param] : std::vector<std::pair<Json, std::string>>{
           {allowed("often", second), where + ".mode"},
           {allowed("auto", Json::array()), where + ".tools"},
           {allowed("auto", Json::array({"two"})), where + ".tools[0]"},
           {allowed("auto", Json::array({toolNamed("three")})), "tool_choice"},
           {{{"type", "allowed_tools"}}, where},
           {{{"type", "allowed_tools"}, {"mode", "auto"}, {"tools", second}},
            where}}) {
    Reply reply = served.post("/v1/chat/completions",
                              chat({{"tools", all}, {"tool_choice", choice}}));
    EXPECT_EQ(reply.status, 400) << choice;
    EXPECT_EQ(reply.body["error"]["param"], param) << reply.body;
  }
}

TEST(Tools, whatOtherServicesReadInToolsReachesNoTemplate) {
  Json tool = weather;
  Served served;
  served.post("/v1/chat/completions", chat({{"tools", Json::array({tool})}}));
  tool["cache_control"] = {{"type", "ephemeral"}};
  tool["function"]["cache_control"] = {{"type", "ephemeral"}};
  tool["provider_specific_fields"] = Json::object();
  tool["function"]["annotations"] = {{"readOnlyHint", true}};
  tool["input_examples"] = Json::array({"x"});
  Reply reply = served.post("/v1/chat/completions",
                            chat({{"tools", Json::array({tool})}}));
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(served.engine.requests[0].prompt, served.engine.requests[1].prompt);
}

TEST(Tools, whatIsNotSoundIsRefusedByName) {
  Served served;
  Json unnamed = weather, twice = Json::array({weather, weather});
  unnamed["function"].erase("name");
  Json odd = weather;
  odd["function"]["parameters"] = 5;
  struct Case {
    Json more;
    const char *param;
  };
  for (const Case &each : std::vector<Case>{
           {{{"tools", 5}}, "tools"},
           {{{"tools", {5}}}, "tools[0]"},
           {{{"tools", {{{"type", "web"}}}}}, "tools[0].type"},
           {{{"tools", Json::array({unnamed})}}, "tools[0].function.name"},
           {{{"tools", twice}}, "tools[1].function.name"},
           {{{"tools", Json::array({odd})}}, "tools[0].function.parameters"},
           {{{"tool_choice", "often"}}, "tool_choice"},
           {{{"tool_choice",
              {{"type", "function"}, {"function", {{"name", "x"}}}}}},
            "tool_choice"},
           {{{"tool_choice", "required"}, {"grammar", "root ::= \"a\""}},
            "tool_choice"}}) {
    Reply reply = served.post("/v1/chat/completions", chat(each.more));
    EXPECT_EQ(reply.status, 400) << each.more;
    EXPECT_EQ(reply.body["error"]["param"], each.param) << reply.body;
  }
}

TEST(Tools, aRefusalSaysWhatAToolLacks) {
  Served served;
  auto fault = [&](const Json &tool) {
    Reply reply = served.post("/v1/chat/completions",
                              chat({{"tools", Json::array({tool})}}));
    return reply.body["error"].value("message", "");
  };
  EXPECT_EQ(fault({{"type", "function"}, {"function", {{"name", ""}}}}),
            "tools[0].function.name must have 1 to 256 bytes");
  // as another interface of OpenAI has tools
  EXPECT_EQ(fault({{"type", "function"}, {"name", "weather"}}),
            "tools[0].function must be {name, description, parameters}");
}

TEST(Tools, aSecondTurnRendersCallsAndTheirResults) {
  Served served;
  Json call = {{"id", "call_1"},
               {"type", "function"},
               {"function",
                {{"name", "weather"},
                 {"arguments", "{\"place\":\"Rome\", \"at\": [1.5]}"}}}};
  Reply reply = served.post("/v1/chat/completions",
                            chat({{"messages",
                                   {{{"role", "user"}, {"content", "hi"}},
                                    {{"role", "assistant"},
                                     {"content", nullptr},
                                     {"tool_calls", Json::array({call})}},
                                    {{"role", "tool"},
                                     {"tool_call_id", "call_1"},
                                     {"content", "sunny"}}}}}));
  ASSERT_EQ(reply.status, 200) << reply.body;
  std::string prompt =
      served.text->tokenizer().decode(served.request().prompt, false);
  EXPECT_THAT(prompt,
              HasSubstr("<|im_start|>assistant\n<tool_call>\n{\"name\": "
                        "\"weather\", \"arguments\": {\"place\": \"Rome\", "
                        "\"at\": [1.5]}}\n</tool_call><|im_end|>\n"
                        "<|im_start|>user\n<tool_response>\nsunny\n"
                        "</tool_response><|im_end|>\n"));
}

TEST(Tools, argumentsThatAreNoObjectReachTheTemplateAsTheyAre) {
  struct Case {
    Json sent;
    const char *rendered;
  };
  for (const Case &each :
       std::vector<Case>{{"{\"s\": \"y pea", "\"{\\\"s\\\": \\\"y pea\""},
                         {"[1]", "\"[1]\""},
                         {"1", "\"1\""},
                         {"not JSON", "\"not JSON\""},
                         {"null", "{}"},
                         {"", "{}"},
                         {" \n", "{}"},
                         {nullptr, "{}"},
                         {{{"a", 1}}, "{\"a\": 1}"}}) {
    Json call = toolNamed("weather");
    call["id"] = "c1";
    call["function"]["arguments"] = each.sent;
    Served served;
    Reply reply = served.post("/v1/chat/completions",
                              chat({{"messages",
                                     {{{"role", "user"}, {"content", "hi"}},
                                      {{"role", "assistant"},
                                       {"content", nullptr},
                                       {"tool_calls", Json::array({call})}},
                                      {{"role", "tool"},
                                       {"tool_call_id", "c1"},
                                       {"content", "cut"}}}}}));
    ASSERT_EQ(reply.status, 200) << reply.body;
    EXPECT_THAT(served.text->tokenizer().decode(served.request().prompt, false),
                HasSubstr("\"arguments\": " + std::string(each.rendered) +
                          "}\n</tool_call>"));
  }
}

TEST(Tools, callsAreToldAlsoByTemplatesThatAskForContentThatIsNone) {
  const char *format =
      "{% for m in messages %}{% if m.role == 'assistant' and m.content is none"
      " %}{{ m.tool_calls[0].function.name }}!{% else %}{{ m.content }}."
      "{% endif %}{% endfor %}";
  auto rendered = [&](const char *source, const Json &content) {
    Json messages =
        Json::array({{{"role", "user"}, {"content", "hi"}},
                     {{"role", "assistant"},
                      {"content", content},
                      {"tool_calls", Json::array({toolNamed("weather")})}}});
    ChatInput input;
    input.messages = readMessages(&messages);
    auto text = bytesModel(source);
    return ChatRenderer(*text).render(input).text;
  };
  EXPECT_EQ(rendered(format, nullptr), "hi.weather!");
  EXPECT_EQ(rendered(format, ""), "hi.weather!");
  EXPECT_EQ(rendered(format, "so"), "hi.so.");
  // one that knows no calls does not print None
  EXPECT_EQ(
      rendered("{% for m in messages %}{{ m.content }}.{% endfor %}", nullptr),
      "hi..");
}

TEST(Tools, aCallThatWasCutEndsNoConversationWhoseTemplateTakesObjectsAlone) {
  const char *format =
      "{% for m in messages %}{% for c in m.tool_calls or [] %}"
      "{{ c.function.name }}({% for k, v in c.function.arguments.items() %}"
      "{{ k }}={{ v }};{% endfor %}){% endfor %}{{ m.content }}{% endfor %}";
  for (auto [sent, rendered] :
       std::vector<std::pair<const char *, const char *>>{
           {"{\"s\": \"y pea", "weather()"},
           {"[1]", "weather()"},
           {"{\"s\": 1}", "weather(s=1;)"}}) {
    Json call = toolNamed("weather");
    call["function"]["arguments"] = sent;
    ChatInput input;
    input.messages = Json::array({{{"role", "user"}, {"content", "hi"}},
                                  {{"role", "assistant"},
                                   {"content", ""},
                                   {"tool_calls", Json::array({call})}}});
    input.messages = readMessages(&input.messages);
    auto text = bytesModel(format);
    EXPECT_EQ(ChatRenderer(*text).render(input).text,
              std::string("hi") + rendered);
  }
  // one that fails with objects, too, is refused for what it said first
  Json call = toolNamed("weather");
  call["function"]["arguments"] = "[1]";
  Json messages = Json::array(
      {{{"role", "user"}, {"content", "hi"}},
       {{"role", "assistant"}, {"tool_calls", Json::array({call})}}});
  ChatInput input;
  input.messages = readMessages(&messages);
  auto text = bytesModel("{{ raise_exception(messages[1].tool_calls[0]"
                         ".function.arguments | string) }}");
  try {
    ChatRenderer(*text).render(input);
    ADD_FAILURE() << "not refused";
  } catch (const ApiError &error) {
    EXPECT_THAT(error.what(), HasSubstr("[1]"));
  }
}

} // namespace
