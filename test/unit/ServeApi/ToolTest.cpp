// Tools: rendered, forced, found in answers whole and in parts.
#include "ServeApiKit.h"

#include "runtime/Grammar/TokenConstraint.h"
#include "runtime/Serve/Api/ToolCallParser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

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

/// Said text, and calls as "name(arguments)".
struct Heard {
  std::string said;
  std::vector<std::string> calls;
  bool operator==(const Heard &other) const {
    return said == other.said && calls == other.calls;
  }
};

void hear(Heard &heard, const std::vector<ToolEvent> &events) {
  for (const ToolEvent &each : events) {
    if (each.kind == ToolEvent::Kind::text) {
      heard.said += each.text;
    } else if (each.kind == ToolEvent::Kind::call) {
      heard.calls.push_back(each.text + ":");
    } else {
      heard.calls.back() += each.text;
    }
  }
}

Heard parsed(const std::string &text, bool parallel = true) {
  ToolCallParser parser(parallel);
  Heard heard;
  hear(heard, parser.push(text));
  hear(heard, parser.finish());
  return heard;
}

const char *const one = "<tool_call>\n{\"name\": \"weather\", \"arguments\": "
                        "{\"place\": \"Rome }\\\"\"}}\n</tool_call>";

TEST(Tools, theParserFindsCallsAndKeepsOtherText) {
  struct Case {
    std::string text, said;
    std::vector<std::string> calls;
  };
  for (const Case &each : std::vector<Case>{
           {"plain text\n", "plain text\n", {}},
           {"  \n", "  \n", {}},
           {one, "", {"weather:{\"place\": \"Rome }\\\"\"}"}},
           {std::string("Let me see.\n") + one + "\n" + one,
            "Let me see.",
            {"weather:{\"place\": \"Rome }\\\"\"}",
             "weather:{\"place\": \"Rome }\\\"\"}"}},
           {"<tool_call>{\"name\":\"f\"}</tool_call>", "", {"f:{}"}},
           {"<tool_call>{\"arguments\":{\"a\":[1,{}]},\"name\":\"f\"}"
            "</tool_call>",
            "",
            {"f:{\"a\":[1,{}]}"}},
           {"<tool_call>{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1}\"}"
            "</tool_call>",
            "",
            {"f:{\"a\":1}"}},
           {"<tool_call>{\"name\":\"f\",\"parameters\":{}}</tool_call>",
            "",
            {"f:{}"}},
           {"<tool_call>no JSON</tool_call> more",
            "<tool_call>no JSON</tool_call> more",
            {}},
           {"<tool_call>{\"nam", "<tool_call>{\"nam", {}},
           {"a <tool_cal", "a <tool_cal", {}},
           {"<tool_call>{\"name\":\"f\",\"arguments\":{\"a\"",
            "",
            {"f:{\"a\""}}}) {
    Heard heard = parsed(each.text);
    EXPECT_EQ(heard.said, each.said) << each.text;
    EXPECT_EQ(heard.calls, each.calls) << each.text;
  }
}

TEST(Tools, tagsInAStringOfACallArePartOfIt) {
  for (const char *tag : {"</tool_call>", "<tool_call>", "<tool_call>{}",
                          "\\\"}</tool_call>", "\\\\"}) {
    std::string quoted = "\"" + std::string(tag) + "\"";
    std::string arguments = "{\"a\": " + quoted + ", " + quoted + ": [1]}";
    std::string call = "<tool_call>\n{\"id\": " + quoted +
                       ", \"name\": \"f\", \"arguments\": " + arguments +
                       "}\n</tool_call>";
    Heard heard = parsed("a" + call + "b" + call);
    EXPECT_EQ(heard.said, "ab") << tag;
    EXPECT_EQ(heard.calls, std::vector<std::string>(2, "f:" + arguments))
        << tag;
  }
  EXPECT_EQ(parsed("<tool_call>{\"name\": \"</tool_call>\", "
                   "\"arguments\": {}}</tool_call>")
                .calls,
            std::vector<std::string>{"</tool_call>:{}"});
}

TEST(Tools, proseThatMentionsATagHidesNoCall) {
  for (const std::string &prose : std::vector<std::string>{
           "I write <tool_call> for that. ", "<tool_call>", "<tool_call>{",
           "<tool_call><tool_call>",
           "as <tool_call>{...}</tool_call>: ", "<tool_call>{\"",
           "<tool_call>{\"name\": ", "<tool_call>{\"name\": \"f",
           "<tool_call>{\"a\": 1}</tool_call> ",
           "<tool_call>{\"name\": 1, \"arguments\": {}}</tool_call>",
           "<tool_call>{\"arguments\": {\"a\": \"", "</tool_call>",
           "<tool_call>[{\"name\": \"f\"}]</tool_call>", "<tool_cal",
           "<tool_call>{\"arguments\": {}] "}) {
    Heard heard = parsed(prose + one);
    std::string said = prose.substr(0, prose.find_last_not_of(' ') + 1);
    EXPECT_EQ(heard.said, said) << prose;
    EXPECT_EQ(heard.calls.size(), 1u) << prose;
  }
}

TEST(Tools, proseThatMentionsATagIsSaidAtOnce) {
  ToolCallParser parser(true);
  Heard heard;
  hear(heard, parser.push("write <tool_call> then"));
  EXPECT_EQ(heard.said, "write <tool_call> then");
  hear(heard, parser.push(" and <tool_call>{no"));
  hear(heard, parser.push(" JSON"));
  EXPECT_EQ(heard.said, "write <tool_call> then and <tool_call>{no JSON");
}

TEST(Tools, whatIsBehindACallIsText) {
  std::string call = "<tool_call>{\"name\": \"f\", \"arguments\": {}}";
  for (auto [text, said] : std::vector<std::pair<std::string, std::string>>{
           {call + " </tool_call> more", " more"},
           {call + " and </tool_call>", " and </tool_call>"},
           {call + "}\n</tool_call>", "}\n</tool_call>"},
           {call + "</tool>", "</tool>"},
           {call + "\n</tool_c", ""}, // cut in the tag
           {call + call, ""},
           {call.substr(0, call.size() - 1) + "\n</tool_call>a", "a"},
           {call.substr(0, call.size() - 1) + ", \"id\": 1</tool_call>a", "a"},
           {call.substr(0, call.size() - 1) + ", because", "because"}}) {
    Heard heard = parsed(text);
    EXPECT_EQ(heard.said, said) << text;
    ASSERT_FALSE(heard.calls.empty()) << text;
    EXPECT_EQ(heard.calls[0], "f:{}") << text;
  }
}

TEST(Tools, argumentsThatAreNoJsonEndAtTheTag) {
  for (const char *broken :
       {"{\"say\": \"a \"word\" \"}", "{\"a\": !}", "{\"a\": {!} }",
        "{\"a\": <tool_call>}", "{\"a\": 1; \"b\": \"}\"}", "{!"}) {
    std::string before = "<tool_call>{\"name\": \"f\", \"arguments\": ";
    Heard heard =
        parsed("x" + before + broken + "}\n</tool_call> then " + one + "y");
    EXPECT_EQ(heard.said, "x theny") << broken;
    ASSERT_EQ(heard.calls.size(), 2u) << broken;
    EXPECT_EQ(heard.calls[0], "f:" + std::string(broken));
    EXPECT_EQ(parsed(before + broken).calls[0], "f:" + std::string(broken));
  }
}

TEST(Tools, manyTagsAreReadInLinearTime) {
  for (const char *unit :
       {"<tool_call>", "<tool_call>{\"", "<tool_call>{\"a\":[",
        "<tool_call>{\"a\":\"\\\"", "<tool_call>{\"x\":\"",
        "<tool_call>{\"arguments\":{\"", "<tool_call>{\"a\":1}"}) {
    std::string text;
    while (text.size() < 200000) {
      text += unit;
    }
    EXPECT_EQ(parsed(text).said, text) << unit;
  }
}

TEST(Tools, callsBehindTheFirstAreLeftOutUnlessParallel) {
  Heard heard = parsed(std::string(one) + one, /*parallel=*/false);
  EXPECT_EQ(heard.calls.size(), 1u);
  EXPECT_EQ(heard.said, "");
  heard = parsed("a" + std::string(one) + "\n" + one + "b<tool_call>{",
                 /*parallel=*/false);
  EXPECT_EQ(heard.calls.size(), 1u);
  EXPECT_EQ(heard.said, "ab<tool_call>{");
}

TEST(Tools, howATextIsCutDoesNotMatter) {
  const char *pieces[] = {"<tool_call>", "</tool_call>",
                          "{",           "}",
                          "\"name\"",    "\"arguments\"",
                          ":",           "\"f\"",
                          ",",           " ",
                          "\n",          "x",
                          "[",           "]",
                          "\\",          "\"",
                          "<",           one,
                          "{}",          "1",
                          "</tool_",     "<tool_call>{\"name\":\"f\","};
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (unsigned i = random() % 14; i > 0; --i) {
      text += pieces[random() % std::size(pieces)];
    }
    bool parallel = random() % 2 == 0;
    ToolCallParser parser(parallel);
    Heard heard;
    for (size_t at = 0; at < text.size();) {
      size_t length = 1 + random() % 9;
      hear(heard, parser.push(text.substr(at, length)));
      at += length;
    }
    hear(heard, parser.finish());
    EXPECT_EQ(heard, parsed(text, parallel)) << text;
  }
}

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
            {"$schema", "http://json-schema.org/draft-07/schema#"}}}) {
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
           {{{"tool_choice", "required"},
             {"response_format", {{"type", "json_object"}}}},
            "tool_choice"}}) {
    Reply reply = served.post("/v1/chat/completions", chat(each.more));
    EXPECT_EQ(reply.status, 400) << each.more;
    EXPECT_EQ(reply.body["error"]["param"], each.param) << reply.body;
  }
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

} // namespace
