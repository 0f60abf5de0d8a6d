// Calls of tools in the forms of several families: found in the template,
// forced, read whole and in pieces.
#include "FormTemplates.h"
#include "ServeApiKit.h"

#include "runtime/Grammar/TokenConstraint.h"
#include "server/Api/ToolCallParser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

using namespace cheems;
using namespace cheems::serve;
using namespace cheems::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

Json tool(const char *name) {
  Json word = {{"type", "string"}};
  return {{"type", "function"},
          {"function",
           {{"name", name},
            {"parameters",
             {{"type", "object"},
              {"properties", {{"word", word}}},
              {"required", {"word"}}}}}}};
}

Json chat(const Json &more) {
  Json body = {
      {"messages", Json::array({{{"role", "user"}, {"content", "hi"}}})},
      {"tools", Json::array({tool("find"), tool("keep")})}};
  body.update(more);
  return body;
}

struct Heard {
  std::string said, reasoning;
  std::vector<std::string> calls, ids; ///< name(arguments)
  std::string finish;
  bool operator==(const Heard &other) const {
    return said == other.said && calls == other.calls &&
           reasoning == other.reasoning && finish == other.finish;
  }
};

Heard whole(const Json &choice) {
  Heard heard;
  const Json &message = choice["message"];
  heard.said = message["content"].is_null() ? "" : message["content"];
  heard.reasoning = message.value("reasoning_content", "");
  for (const Json &call : message.value("tool_calls", Json::array())) {
    const Json &function = call["function"];
    heard.calls.push_back(function["name"].get<std::string>() + "(" +
                          function["arguments"].get<std::string>() + ")");
    heard.ids.push_back(call["id"]);
  }
  heard.finish = choice["finish_reason"];
  return heard;
}

Heard streamed(const std::vector<std::string> &events) {
  Heard heard;
  for (size_t i = 0; i + 1 < events.size(); ++i) {
    Json choice = Json::parse(events[i])["choices"][0];
    const Json &delta = choice["delta"];
    heard.said += delta.value("content", "");
    heard.reasoning += delta.value("reasoning_content", "");
    for (const Json &call : delta.value("tool_calls", Json::array())) {
      if (call.contains("id")) {
        heard.calls.push_back(call["function"]["name"].get<std::string>() +
                              "(");
        heard.ids.push_back(call["id"]);
      }
      heard.calls.at(call["index"]) +=
          call["function"]["arguments"].get<std::string>();
    }
    heard.finish = choice["finish_reason"].is_null()
                       ? ""
                       : choice["finish_reason"].get<std::string>();
  }
  for (std::string &call : heard.calls) {
    call += ")";
  }
  return heard;
}

/// What a client hears of `text`, which is the same in a stream.
Heard heard(Served &served, const std::string &text,
            const Json &more = Json::object()) {
  served.engine.texts = {text};
  Json body = chat(more);
  Reply reply = served.post("/v1/chat/completions", body);
  EXPECT_EQ(reply.status, 200) << reply.body;
  Heard all = whole(reply.body["choices"][0]);
  body["stream"] = true;
  reply = served.post("/v1/chat/completions", body);
  EXPECT_EQ(streamed(reply.events), all) << text;
  return all;
}

/// Whether the grammar of the last request takes `text`, a byte a token.
bool takes(Served &served, const std::string &text) {
  const auto &grammar = served.engine.requests.back().grammar;
  TokenConstraint constraint(grammar, makeVocabularyTrie(*served.text));
  for (int32_t token : bytesOf(text)) {
    const std::vector<uint32_t> &mask = constraint.mask({});
    if ((mask[size_t(token) / 32] >> token % 32 & 1) == 0) {
      return false;
    }
    constraint.accept(token);
  }
  return constraint.mayEnd();
}

TEST(CallForm, theFormIsFoundInTheTemplateWhenTheServerStarts) {
  for (const FormExample &form : formExamples()) {
    Served served(form.source);
    Json props = served.ask("GET", "/props").body;
    EXPECT_EQ(props["tool_calls"], form.form) << form.source;
  }
  EXPECT_TRUE(
      Served(plainTemplate).ask("GET", "/props").body["tool_calls"].is_null());
}

TEST(CallForm, callsAreReadInEachForm) {
  const std::string arguments =
      "{\"word\": \"a }]\\\"{[\\u00e9\", \"n\": [{}]}";
  for (const FormExample &form : formExamples()) {
    Served served(form.source);
    std::string call = callIn(form, "find", arguments);
    Heard got = heard(served, call);
    EXPECT_EQ(got.said, "") << form.form;
    EXPECT_THAT(got.calls, ElementsAre("find(" + arguments + ")")) << form.form;
    EXPECT_EQ(got.finish, "tool_calls");
    std::string joint =
        form.joint.empty() ? form.after + form.before : form.joint;
    std::string two = form.before + "find" + form.between + "{}" + joint +
                      "keep" + form.between + arguments + form.after;
    got = heard(served, two);
    EXPECT_EQ(got.said, "") << two;
    EXPECT_THAT(got.calls, ElementsAre("find({})", "keep(" + arguments + ")"))
        << two;
    got = heard(served, two, {{"parallel_tool_calls", false}});
    EXPECT_THAT(got.calls, ElementsAre("find({})")) << two;
    EXPECT_EQ(heard(served, call, {{"tool_choice", "none"}}).said, call);
  }
}

TEST(CallForm, aListMayLackItsBrackets) {
  for (const FormExample &form : formExamples()) {
    size_t bracket = form.before.find("[{");
    if (bracket == form.before.npos) {
      continue;
    }
    Served served(form.source);
    FormExample bare = form;
    bare.before.erase(bracket, 1);
    bare.after.erase(bare.after.find(']'), 1);
    const std::string arguments = "{\"word\": [ \"x\", [1] ]}";
    Heard got = heard(served, callIn(bare, "find", arguments));
    EXPECT_THAT(got.calls, ElementsAre("find(" + arguments + ")")) << form.form;
    EXPECT_EQ(got.said, "");
  }
}

TEST(CallForm, argumentsThatAreNoJsonEndWithTheirCall) {
  for (const FormExample &form : formExamples()) {
    Served served(form.source);
    std::string call = callIn(form, "find", "{\"word\": !}");
    Heard got = heard(served, call);
    EXPECT_THAT(got.calls, ElementsAre("find({\"word\": !})")) << form.form;
    EXPECT_EQ(got.said, "");
    if (form.before[0] != '{') {
      got = heard(served, call + "\n" + callIn(form, "keep", "{}"));
      EXPECT_THAT(got.calls, ElementsAre("find({\"word\": !})", "keep({})"))
          << form.form;
    }
  }
}

TEST(CallForm, textStandsBeforeAndAfterCalls) {
  for (const FormExample &form : formExamples()) {
    Served served(form.source);
    std::string call = callIn(form, "find", "{\"word\": \"x\"}");
    EXPECT_EQ(heard(served, call + "\nand on").said, "\nand on") << form.form;
    bool isBare = form.before[0] == '{';
    Heard got = heard(served, "Well.\n" + call);
    EXPECT_EQ(got.calls.size(), isBare ? 0 : 1) << form.form;
    EXPECT_EQ(got.said, isBare ? "Well.\n" + call : "Well.") << form.form;
  }
}

TEST(CallForm, aCallThatIsCutIsToldAsFarAsItCame) {
  const std::string arguments = "{\"word\": \"xyz\"}";
  for (const FormExample &form : formExamples()) {
    Served served(form.source);
    std::string call = callIn(form, "find", arguments);
    size_t from = (form.before + "find" + form.between).size();
    for (size_t length = 1; length < call.size(); ++length) {
      Heard got = heard(served, call, {{"max_tokens", length}});
      EXPECT_EQ(got.finish, "length");
      if (length <= from) { // nothing of the arguments
        EXPECT_EQ(got.said, call.substr(0, length)) << form.form;
        EXPECT_TRUE(got.calls.empty());
        continue;
      }
      EXPECT_EQ(got.said, "") << form.form;
      std::string came = arguments.substr(0, length - from);
      EXPECT_THAT(got.calls, ElementsAre("find(" + came + ")")) << form.form;
    }
  }
}

TEST(CallForm, marksInStringsArePartOfThem) {
  for (const FormExample &form : formExamples()) {
    Served served(form.source);
    for (const std::string &mark :
         {form.before, form.after, std::string("[TOOL_CALLS]"),
          std::string("</tool_call>"), std::string("]</TOOLCALL>"),
          std::string("<|python_tag|>{}"), std::string("[ARGS]"),
          std::string("<think>"), std::string("}}]}")}) {
      std::string arguments = Json({{"word", mark}, {mark, 1}}).dump();
      Heard got = heard(served, callIn(form, "find", arguments));
      EXPECT_THAT(got.calls, ElementsAre("find(" + arguments + ")"))
          << form.form << mark;
      EXPECT_EQ(got.said, "");
    }
  }
}

TEST(CallForm, whatIsNoCallIsText) {
  for (const FormExample &form : formExamples()) {
    Served served(form.source);
    std::string opener = form.before.substr(0, form.before.find('{'));
    for (const std::string &text : std::vector<std::string>{
             opener + "no", opener + "[1, 2]", opener + "{\"a\": 1}",
             opener + "{\"name\": 5}", opener.substr(0, opener.size() / 2),
             "I would write " + opener + ".", "{\"word\": \"find\"}",
             opener + "[]", opener + "{}"}) {
      Heard got = heard(served, text);
      EXPECT_EQ(got.said, text) << form.form;
      EXPECT_TRUE(got.calls.empty()) << text;
      EXPECT_EQ(got.finish, "stop");
    }
  }
}

TEST(CallForm, jsonIsACallOfLlamasOnlyIfItNamesATool) {
  const FormExample &llama = formExamples()[8];
  ASSERT_EQ(llama.form, "llama3");
  Served served(llama.source);
  for (const char *text :
       {"{\"name\": \"Ada\", \"parameters\": {\"word\": \"x\"}}",
        "{\"name\": \"find\"}", "{\"name\": \"find\", \"age\": 1}",
        "{\"parameters\": {\"word\": \"x\"}}", "{\"name\": \"find"}) {
    Heard got = heard(served, text);
    EXPECT_EQ(got.said, text);
    EXPECT_TRUE(got.calls.empty());
  }
  EXPECT_THAT(heard(served, "\n {\"type\": \"function\", \"name\": \"f\\u0069nd"
                            "\", \"parameters\": {}}")
                  .calls,
              ElementsAre("find({})"));
  // JSON that is an answer streams as soon as that is sure
  std::set<std::string> names = {"find"};
  const CallForm *form = nullptr;
  for (const CallForm &each : callForms()) {
    form = each.bare ? &each : form;
  }
  ToolCallParser parser(*form, true, names);
  EXPECT_EQ(parser.push("{\"answer\": \"on").size(), 1u);
}

TEST(CallForm, aForcedCallIsOfTheTemplatesForm) {
  for (const FormExample &form : formExamples()) {
    Served served(form.source);
    for (const Json &choice : {Json("required"), tool("find")}) {
      Json named = choice;
      if (named.is_object()) {
        named["function"].erase("parameters");
      }
      Reply reply =
          served.post("/v1/chat/completions", chat({{"tool_choice", named}}));
      ASSERT_EQ(reply.status, 200) << reply.body;
      EXPECT_TRUE(served.engine.requests.back().grammar) << form.form;
    }
    // what the grammar takes is a call that is read
    Json all = {{"tool_choice", "required"}};
    std::string written;
    for (const FormExample &each : formExamples()) {
      std::string call = callIn(each, "keep", "{\"word\":\"x\"}");
      served.post("/v1/chat/completions", chat(all));
      if (takes(served, call)) {
        EXPECT_EQ(each.form, form.form);
        written = call;
      }
    }
    ASSERT_NE(written, "") << form.form;
    EXPECT_THAT(heard(served, written, all).calls,
                ElementsAre("keep({\"word\":\"x\"})"));
    EXPECT_FALSE(takes(served, "text"));
    served.post("/v1/chat/completions", chat({{"tool_choice", "auto"}}));
    EXPECT_EQ(served.engine.requests.back().grammar, nullptr);
  }
}

TEST(CallForm, marksThatAreSpecialTokensAreForcedAndShownAsThose) {
  const FormExample &form = formExamples()[6];
  ASSERT_EQ(form.form, "mistral-named");
  Served served(form.source, {}, "", {"[TOOL_CALLS]", "[ARGS]"});
  served.post("/v1/chat/completions", chat({{"tool_choice", "required"}}));
  const GenerationRequest &request = served.engine.requests.back();
  const Tokenizer &tokenizer = served.text->tokenizer();
  int32_t opener = *tokenizer.tokenToId("[TOOL_CALLS]"),
          mark = *tokenizer.tokenToId("[ARGS]");
  EXPECT_THAT(request.shownTokens, ElementsAre(opener, mark));
  TokenConstraint constraint(request.grammar, makeVocabularyTrie(*served.text));
  std::vector<int32_t> tokens = {opener, 'f', 'i', 'n', 'd', mark};
  for (int32_t token : bytesOf("{\"word\":\"[")) {
    tokens.push_back(token);
  }
  for (int32_t token : tokens) {
    const std::vector<uint32_t> &mask = constraint.mask({});
    ASSERT_TRUE(mask[size_t(token) / 32] >> token % 32 & 1) << token;
    constraint.accept(token);
  }
  // within a string no special token comes, though its letters would fit
  const std::vector<uint32_t> &mask = constraint.mask({});
  EXPECT_FALSE(mask[size_t(opener) / 32] >> opener % 32 & 1);
  EXPECT_FALSE(takes(served, "[TOOL_CALLS]find[ARGS]{\"word\":\"x\"}"));
}

TEST(CallForm, idsHaveTheLengthThatATemplateWants) {
  for (const FormExample &form : formExamples()) {
    Served served(form.source);
    Heard got = heard(served, callIn(form, "find", "{}") + "\n" +
                                  callIn(form, "keep", "{}"));
    ASSERT_FALSE(got.ids.empty());
    std::set<std::string> different(got.ids.begin(), got.ids.end());
    EXPECT_EQ(different.size(), got.ids.size());
    bool isShort = form.form.substr(0, 7) == "mistral";
    EXPECT_EQ(got.ids[0].size() == 9, isShort) << got.ids[0];
    Json call = {{"id", got.ids[0]},
                 {"type", "function"},
                 {"function", {{"name", "find"}, {"arguments", "{}"}}}};
    Json messages = chat(Json::object())["messages"];
    messages.push_back({{"role", "assistant"},
                        {"content", nullptr},
                        {"tool_calls", Json::array({call})}});
    messages.push_back(
        {{"role", "tool"}, {"tool_call_id", got.ids[0]}, {"content", "found"}});
    Reply reply =
        served.post("/v1/chat/completions", chat({{"messages", messages}}));
    EXPECT_EQ(reply.status, 200) << form.form << reply.body;
  }
}

TEST(CallForm, anotherFormIsRefusedForTools) {
  const char *format =
      "{% for t in tools or [] %}{{ t | tojson }}{% endfor %}"
      "{% for m in messages %}{{ m.role }}:{{ m.content }}"
      "{% for c in m.tool_calls or [] %}<call>\n<function="
      "{{ c.function.name }}>{% endfor %}|{% endfor %}assistant:";
  Served served(format);
  Reply reply = served.post("/v1/chat/completions", chat(Json::object()));
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.body["error"]["param"], "tools");
  std::string message = reply.body["error"]["message"];
  EXPECT_THAT(message, HasSubstr("<call>\\n<function=NAME"));
  EXPECT_THAT(message, HasSubstr("hermes, "));
  EXPECT_EQ(message.find('\n'), std::string::npos);
  reply = served.post("/v1/chat/completions", chat({{"tool_choice", "none"}}));
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(served.post("/apply-template", chat(Json::object())).status, 200);
  // one that tells nothing of calls
  Served silent("{% for t in tools or [] %}{{ t | tojson }}{% endfor %}"
                "{% for m in messages %}{{ m.content }}{% endfor %}");
  reply = silent.post("/v1/chat/completions", chat(Json::object()));
  EXPECT_EQ(reply.status, 400);
  EXPECT_THAT(reply.body["error"]["message"].get<std::string>(),
              HasSubstr("shows no form"));
}

TEST(CallForm, aNameThatAFormCannotWriteIsRefused) {
  for (const FormExample &form : formExamples()) {
    Served served(form.source);
    Reply reply = served.post("/v1/chat/completions",
                              chat({{"tools", Json::array({tool("a b")})}}));
    bool isNamed = form.form == "mistral-named";
    EXPECT_EQ(reply.status, isNamed ? 400 : 200) << form.form;
  }
}

TEST(CallForm, howATextIsCutDoesNotMatter) {
  std::mt19937 random(7);
  for (const CallForm &form : callForms()) {
    std::vector<std::string> pieces = form.openers;
    pieces.insert(pieces.end(), {form.closer,
                                 "{",
                                 "}",
                                 "[",
                                 "]",
                                 "\"name\"",
                                 "\"arguments\"",
                                 "\"parameters\"",
                                 ":",
                                 "\"find\"",
                                 ",",
                                 ";",
                                 " ",
                                 "\n",
                                 "x",
                                 "\\",
                                 "\"",
                                 "<",
                                 "find[ARGS]{}",
                                 "[CALL_ID]",
                                 "[ARGS]",
                                 "{\"name\":\"find\",\"parameters\":{}}",
                                 "{\"name\":\"find\",\"arguments\":{\"a\":1}}",
                                 "find"});
    auto read = [&](const std::string &text, bool parallel, bool inPieces) {
      ToolCallParser parser(form, parallel, {"find"});
      std::string all;
      auto add = [&](const std::vector<AnswerEvent> &events) {
        for (const AnswerEvent &each : events) {
          std::string kind = std::to_string(int(each.kind));
          bool goesOn = each.kind != AnswerEvent::Kind::call && !all.empty() &&
                        all[all.rfind('\x01') + 1] == kind[0];
          all += (goesOn ? "" : '\x01' + kind) + each.text;
        }
      };
      for (size_t at = 0; at < text.size();) {
        size_t length = inPieces ? 1 + random() % 7 : text.size();
        add(parser.push(text.substr(at, length)));
        at += length;
      }
      add(parser.finish());
      return all;
    };
    for (int round = 0; round < 1500; ++round) {
      std::string text;
      for (unsigned i = random() % 12; i > 0; --i) {
        text += pieces[random() % pieces.size()];
      }
      bool parallel = random() % 2 == 0;
      EXPECT_EQ(read(text, parallel, true), read(text, parallel, false))
          << form.name << ": " << text;
    }
  }
}

TEST(CallForm, manyMarksAreReadInLinearTime) {
  for (const CallForm &form : callForms()) {
    for (const char *rest : {"", "[", "{\"", "[{\"a\":\"", "a[CALL_ID]",
                             "a[ARGS]", "{\"x\":\"\\\"", "{\"arguments\":{\"",
                             "[{\"a\":1}", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa"}) {
      std::string text, unit = form.openers[0] + rest;
      while (text.size() < 100000) {
        text += unit;
      }
      ToolCallParser parser(form, true, {});
      std::string said;
      for (const auto &events : {parser.push(text), parser.finish()}) {
        for (const AnswerEvent &each : events) {
          said += each.kind == AnswerEvent::Kind::text ? each.text : "";
        }
      }
      EXPECT_EQ(said, text) << form.name << unit;
    }
  }
}

} // namespace
