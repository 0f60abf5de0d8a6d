// What a model thinks before it answers: told apart, cut, forced, switched off.
#include "FormTemplates.h"
#include "ServeApiKit.h"

#include "server/Api/ReasoningSplitter.h"
#include "server/Engine/GrammarConstraint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

using namespace cheems;
using namespace cheems::serve;
using namespace cheems::test;
using testing::HasSubstr;

namespace {

Json chat(const Json &more = Json::object()) {
  Json body = {
      {"messages", Json::array({{{"role", "user"}, {"content", "hi"}}})}};
  body.update(more);
  return body;
}

const Json findTool = {{"type", "function"},
                       {"function",
                        {{"name", "find"},
                         {"parameters",
                          {{"type", "object"},
                           {"properties", {{"word", {{"type", "string"}}}}},
                           {"required", {"word"}}}}}}};

struct Split {
  std::string reasoning, said;
  bool operator==(const Split &other) const {
    return reasoning == other.reasoning && said == other.said;
  }
};

Split splitWhole(const std::string &text, Thinking start) {
  ReasoningSplitter splitter(start);
  auto first = splitter.push(text), last = splitter.finish();
  return {first.reasoning + last.reasoning, first.said + last.said};
}

TEST(Reasoning, thinkingIsToldFromWhatIsSaid) {
  struct Case {
    Thinking start;
    std::string text, reasoning, said;
  };
  const Thinking may = Thinking::may, inside = Thinking::inside;
  for (const Case &each : std::vector<Case>{
           {may, "<think>\nhm,\nwell\n</think>\n\nyes\n", "hm,\nwell", "yes\n"},
           {may, "\n <think>hm</think>yes", "hm", "yes"},
           {may, "<think></think>yes", "", "yes"},
           {may, "<think>\n\n</think>\n\nyes", "", "yes"},
           {may, "yes", "", "yes"},
           {may, " \nyes", "", " \nyes"},
           {may, "so <think>hm</think>", "", "so <think>hm</think>"},
           {may, "<thinking>hm", "", "<thinking>hm"},
           {may, "<thi", "", "<thi"},
           {may, "<think>hm", "hm", ""},
           {may, "<think>hm</thi", "hm</thi", ""},
           {may, "<think>a</thin k></think>b", "a</thin k>", "b"},
           {may, "<think>a<think>b</think>c</think>d", "a<think>b",
            "c</think>d"},
           {may, "</think>yes", "", "</think>yes"},
           {may, "<think>a</think><think>b</think>", "a", "<think>b</think>"},
           {may, "", "", ""},
           {inside, "hm</think>\nyes", "hm", "yes"},
           {inside, "\n hm", "hm", ""},
           {inside, "<think>\nhm</think>yes", "hm", "yes"},
           {inside, "</think>yes", "", "yes"},
           {inside, "<thi", "<thi", ""},
           {inside, "\n", "", ""},
           {inside, "\xC3\xA9</think>\xC3\xA9", "\xC3\xA9", "\xC3\xA9"},
           {Thinking::none, "<think>hm</think>yes", "",
            "<think>hm</think>yes"}}) {
    Split got = splitWhole(each.text, each.start);
    EXPECT_EQ(got.reasoning, each.reasoning) << each.text;
    EXPECT_EQ(got.said, each.said) << each.text;
  }
}

TEST(Reasoning, howATextIsCutDoesNotMatter) {
  const char *pieces[] = {"<think>", "</think>", "<", "</",   "think", ">",
                          " ",       "\n",       "a", "<thi", "nk>",   "b"};
  std::mt19937 random(5);
  for (int round = 0; round < 4000; ++round) {
    std::string text;
    for (unsigned i = random() % 9; i > 0; --i) {
      text += pieces[random() % std::size(pieces)];
    }
    auto start = Thinking(random() % 3);
    ReasoningSplitter splitter(start);
    Split got;
    auto add = [&](const ReasoningSplitter::Parts &parts) {
      got.reasoning += parts.reasoning;
      got.said += parts.said;
    };
    for (size_t at = 0; at < text.size();) {
      size_t length = 1 + random() % 5;
      add(splitter.push(text.substr(at, length)));
      at += length;
    }
    add(splitter.finish());
    EXPECT_EQ(got, splitWhole(text, start)) << text;
  }
}

/// The message of an answer, which its stream says, too.
Json answered(Served &served, const Json &body) {
  Reply reply = served.post("/v1/chat/completions", body);
  EXPECT_EQ(reply.status, 200) << reply.body;
  Json message = reply.body["choices"][0]["message"];
  Json again = body;
  again["stream"] = true;
  std::string said, reasoning, arguments;
  for (const std::string &event :
       served.post("/v1/chat/completions", again).events) {
    if (event == "[DONE]") {
      break;
    }
    Json delta = Json::parse(event)["choices"][0]["delta"];
    said += delta.value("content", "");
    reasoning += delta.value("reasoning_content", "");
    for (const Json &call : delta.value("tool_calls", Json::array())) {
      arguments += call["function"]["arguments"].get<std::string>();
    }
  }
  EXPECT_EQ(said, message["content"].is_null() ? "" : message["content"]);
  EXPECT_EQ(reasoning, message.value("reasoning_content", ""));
  std::string all;
  for (const Json &call : message.value("tool_calls", Json::array())) {
    all += call["function"]["arguments"].get<std::string>();
  }
  EXPECT_EQ(arguments, all);
  return message;
}

TEST(Reasoning, anAnswerHasItBesideItsContent) {
  Served served(thinkingTemplate);
  EXPECT_EQ(served.ask("GET", "/props").body["reasoning"], "think");
  served.engine.texts = {"let me see\n</think>\n\nyes"};
  Json message = answered(served, chat());
  EXPECT_EQ(message["content"], "yes");
  EXPECT_EQ(message["reasoning_content"], "let me see");
  // without thinking nothing is told of it
  message = answered(
      served, chat({{"chat_template_kwargs", {{"enable_thinking", false}}}}));
  EXPECT_EQ(message["content"], "let me see\n</think>\n\nyes");
  EXPECT_FALSE(message.contains("reasoning_content"));
  message = answered(served, chat({{"reasoning_format", "none"}}));
  EXPECT_EQ(message["content"], "let me see\n</think>\n\nyes");
  // a template that knows no thinking leaves it where it is
  Served plain(plainTemplate);
  EXPECT_TRUE(plain.ask("GET", "/props").body["reasoning"].is_null());
  plain.engine.texts = {"<think>a</think>b"};
  EXPECT_EQ(answered(plain, chat())["content"], "<think>a</think>b");
}

TEST(Reasoning, anAnswerThatIsCutWithinItHasNoContent) {
  Served served(thinkingTemplate);
  served.engine.texts = {"let me see</think>yes"};
  for (int length : {1, 6, 10, 11, 17}) {
    Json message = answered(served, chat({{"max_tokens", length}}));
    EXPECT_EQ(message["content"], "");
    std::string came = served.engine.texts[0].substr(0, size_t(length));
    came.erase(came.find_last_not_of(' ') + 1);
    EXPECT_EQ(message["reasoning_content"], came);
  }
  Json message = answered(served, chat({{"max_tokens", 18}}));
  EXPECT_EQ(message["reasoning_content"], "let me see");
  EXPECT_EQ(message["content"], "");
}

TEST(Reasoning, callsAreLookedForAfterItAlone) {
  Served served(thinkingTemplate);
  const std::string call = "<tool_call>\n{\"name\": \"find\", \"arguments\": "
                           "{\"word\": \"</think>\"}}\n</tool_call>";
  served.engine.texts = {"I might write " + call.substr(0, 20) +
                         "</think>\nWell.\n" + call};
  Json message = answered(served, chat({{"tools", Json::array({findTool})}}));
  EXPECT_EQ(message["reasoning_content"],
            "I might write " + call.substr(0, 20));
  EXPECT_EQ(message["content"], "Well.");
  ASSERT_EQ(message["tool_calls"].size(), 1u);
  EXPECT_EQ(message["tool_calls"][0]["function"]["arguments"],
            "{\"word\": \"</think>\"}");
  served.engine.texts = {"hm</think>" + call};
  message = answered(served, chat({{"tools", Json::array({findTool})}}));
  EXPECT_TRUE(message["content"].is_null());
  EXPECT_EQ(message["tool_calls"].size(), 1u);
  // and with log-probabilities, each token's come once
  Json body = chat({{"logprobs", true}, {"stream", true}});
  served.engine.texts = {"hm</think>yes"};
  size_t tokens = 0;
  for (const std::string &event :
       served.post("/v1/chat/completions", body).events) {
    Json logprobs = event == "[DONE]"
                        ? Json()
                        : Json::parse(event)["choices"][0]["logprobs"];
    tokens += logprobs.is_null() ? 0 : logprobs["content"].size();
  }
  EXPECT_EQ(tokens, served.engine.texts[0].size());
}

TEST(Reasoning, aMessageThatSpellsTheTagOpensNothing) {
  Served served("{% for m in messages %}{{ m.content }}{% endfor %}"
                "{# </think> #}");
  served.engine.texts = {"a</think>b"};
  Json messages = Json::array({{{"role", "user"}, {"content", "say <think>"}}});
  Json message = answered(served, chat({{"messages", messages}}));
  EXPECT_EQ(message["content"], "a</think>b");
}

TEST(Reasoning, variablesReachTheTemplateAndTheirTypesAreChecked) {
  Served served(thinkingTemplate);
  auto prompt = [&](const Json &variables) {
    return served
        .post("/apply-template", chat({{"chat_template_kwargs", variables}}))
        .body.value("prompt", "");
  };
  EXPECT_THAT(prompt(Json::object()), testing::EndsWith("assistant:<think>\n"));
  EXPECT_THAT(prompt({{"enable_thinking", nullptr}}),
              testing::EndsWith("assistant:<think>\n"));
  EXPECT_THAT(prompt({{"enable_thinking", true}}),
              testing::EndsWith("assistant:<think>\n"));
  EXPECT_THAT(prompt({{"enable_thinking", false}}),
              testing::EndsWith("<think>\n\n</think>\n\n"));
  EXPECT_THAT(prompt({{"other", "known to nobody"}, {"more", {1, 2}}}),
              testing::EndsWith("known to nobody"));
  struct Case {
    Json more;
    const char *param;
  };
  for (const Case &each : std::vector<Case>{
           {{{"chat_template_kwargs", {{"enable_thinking", "false"}}}},
            "chat_template_kwargs.enable_thinking"},
           {{{"chat_template_kwargs", {{"enable_thinking", 0}}}},
            "chat_template_kwargs.enable_thinking"},
           {{{"chat_template_kwargs", {{"messages", Json::array()}}}},
            "chat_template_kwargs.messages"},
           {{{"chat_template_kwargs", {{"tools", Json::array()}}}},
            "chat_template_kwargs.tools"},
           {{{"chat_template_kwargs", "x"}}, "chat_template_kwargs"},
           {{{"reasoning_format", "other"}}, "reasoning_format"},
           {{{"reasoning_format", 1}}, "reasoning_format"}}) {
    Reply reply = served.post("/v1/chat/completions", chat(each.more));
    EXPECT_EQ(reply.status, 400) << each.more;
    EXPECT_EQ(reply.body["error"]["param"], each.param);
  }
}

TEST(Reasoning, anAnswerMayBeSentBackWithIt) {
  Served served(thinkingTemplate);
  served.engine.texts = {"hm</think>yes"};
  Json messages = chat()["messages"];
  messages.push_back(answered(served, chat()));
  messages.push_back({{"role", "user"}, {"content", "why?"}});
  EXPECT_THAT(served.post("/apply-template", chat({{"messages", messages}}))
                  .body["prompt"]
                  .get<std::string>(),
              HasSubstr("assistant:<think>hm</think>yes|user:why?|"));
}

/// Returns the constraint of the last request after these tokens; null: it does
/// not take them.
std::unique_ptr<Constraint> constrained(Served &served,
                                        const std::vector<int32_t> &tokens) {
  const GenerationRequest &request = served.engine.requests.back();
  auto constraint =
      grammarConstraints(served.text)(request.grammar, request.thinksFirst);
  for (int32_t token : tokens) {
    while (!constraint->prepare({endId})) {
    }
    const std::vector<uint32_t> &mask = constraint->mask({endId});
    if ((mask[size_t(token) / 32] >> token % 32 & 1) == 0) {
      return nullptr;
    }
    constraint->accept(token);
  }
  return constraint;
}

TEST(Reasoning, aGrammarHoldsWhatComesAfterIt) {
  Served served(thinkingTemplate, {}, "", {"</think>"});
  const std::string call = "<tool_call>\n{\"name\": \"find\", \"arguments\": "
                           "{\"word\":\"x\"}}\n</tool_call>";
  served.post("/v1/chat/completions", chat({{"tools", Json::array({findTool})},
                                            {"tool_choice", "required"}}));
  EXPECT_TRUE(served.engine.requests.back().thinksFirst);
  for (const std::string &thought :
       {"hm", "", "no <tool_call>{}", "</thin", "<</think", "a</thinka"}) {
    auto after = constrained(served, bytesOf(thought + "</think>" + call));
    ASSERT_TRUE(after) << thought;
    EXPECT_TRUE(after->mustEnd());
    EXPECT_FALSE(constrained(served, bytesOf(thought + "</think>no")));
    auto within = constrained(served, bytesOf(thought));
    ASSERT_TRUE(within);
    EXPECT_FALSE(within->mustEnd());
    // the text does not end within the thinking
    EXPECT_FALSE(within->mask({endId})[endId / 32] >> endId % 32 & 1);
    auto copy = within->clone();
    for (int32_t token : bytesOf("</think>")) {
      copy->accept(token);
    }
    EXPECT_NE(copy->mask({endId}), within->mask({endId}));
  }
  // the end may be a token of its own
  int32_t end = *served.text->tokenizer().tokenToId("</think>");
  std::vector<int32_t> tokens = bytesOf("hm");
  tokens.push_back(end);
  for (int32_t token : bytesOf(call)) {
    tokens.push_back(token);
  }
  EXPECT_TRUE(constrained(served, tokens));
  EXPECT_THAT(served.engine.requests.back().shownTokens,
              testing::ElementsAre(end));
  // without thinking the grammar holds all of it
  served.post("/v1/chat/completions",
              chat({{"response_format", {{"type", "json_object"}}},
                    {"chat_template_kwargs", {{"enable_thinking", false}}}}));
  EXPECT_FALSE(served.engine.requests.back().thinksFirst);
  EXPECT_FALSE(constrained(served, bytesOf("hm")));
  EXPECT_TRUE(constrained(served, bytesOf("{}")));
}

} // namespace
