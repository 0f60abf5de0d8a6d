// Tool calls in the text of a model: found, whatever is around and in them.
#include "server/Api/ToolCallParser.h"

#include <gtest/gtest.h>
#include <random>

using namespace cheems;
using namespace cheems::serve;

namespace {

/// Said text, and calls as "name(arguments)".
struct Heard {
  std::string said;
  std::vector<std::string> calls;
  bool operator==(const Heard &other) const {
    return said == other.said && calls == other.calls;
  }
};

void hear(Heard &heard, const std::vector<AnswerEvent> &events) {
  for (const AnswerEvent &each : events) {
    if (each.kind == AnswerEvent::Kind::text) {
      heard.said += each.text;
    } else if (each.kind == AnswerEvent::Kind::call) {
      heard.calls.push_back(each.text + ":");
    } else {
      heard.calls.back() += each.text;
    }
  }
}

Heard parsed(const std::string &text, bool parallel = true) {
  ToolCallParser parser(callForms()[0], parallel, {});
  Heard heard;
  hear(heard, parser.push(text));
  hear(heard, parser.finish());
  return heard;
}

const char *const one = "<tool_call>\n{\"name\": \"weather\", \"arguments\": "
                        "{\"place\": \"Rome }\\\"\"}}\n</tool_call>";

TEST(ToolCallParser, theParserFindsCallsAndKeepsOtherText) {
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

TEST(ToolCallParser, tagsInAStringOfACallArePartOfIt) {
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

TEST(ToolCallParser, proseThatMentionsATagHidesNoCall) {
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

TEST(ToolCallParser, proseThatMentionsATagIsSaidAtOnce) {
  ToolCallParser parser(callForms()[0], true, {});
  Heard heard;
  hear(heard, parser.push("write <tool_call> then"));
  EXPECT_EQ(heard.said, "write <tool_call> then");
  hear(heard, parser.push(" and <tool_call>{no"));
  hear(heard, parser.push(" JSON"));
  EXPECT_EQ(heard.said, "write <tool_call> then and <tool_call>{no JSON");
}

TEST(ToolCallParser, whatIsAfterACallIsText) {
  std::string call = "<tool_call>{\"name\": \"f\", \"arguments\": {}}";
  for (auto [text, said] : std::vector<std::pair<std::string, std::string>>{
           {call + " </tool_call> more", " more"},
           {call + " and </tool_call>", " and </tool_call>"},
           {call + "}\n</tool_call> more", " more"}, // a bracket too many
           {call + "} more", "} more"},
           {call + "\n{\"no\": 1}</tool_call>", "\n{\"no\": 1}</tool_call>"},
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

TEST(ToolCallParser, severalCallsMayStandBetweenTwoTags) {
  Heard heard = parsed("<tool_call>{\"name\": \"f\", \"arguments\": {}}\n"
                       "{\"name\": \"g\", \"arguments\": {\"a\": 1}}"
                       "</tool_call> said");
  EXPECT_THAT(heard.calls, testing::ElementsAre("f:{}", "g:{\"a\": 1}"));
  EXPECT_EQ(heard.said, " said");
}

TEST(ToolCallParser, aCallWithoutANameIsText) {
  Heard heard =
      parsed("<tool_call>{\"name\": \"\", \"arguments\": {}}</tool_call>");
  EXPECT_THAT(heard.calls, testing::IsEmpty());
  EXPECT_EQ(heard.said,
            "<tool_call>{\"name\": \"\", \"arguments\": {}}</tool_call>");
}

TEST(ToolCallParser, argumentsThatAreNoJsonEndAtTheTag) {
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

TEST(ToolCallParser, manyTagsAreReadInLinearTime) {
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

TEST(ToolCallParser, callsAfterTheFirstAreLeftOutUnlessParallel) {
  Heard heard = parsed(std::string(one) + one, /*parallel=*/false);
  EXPECT_EQ(heard.calls.size(), 1u);
  EXPECT_EQ(heard.said, "");
  heard = parsed("a" + std::string(one) + "\n" + one + "b<tool_call>{",
                 /*parallel=*/false);
  EXPECT_EQ(heard.calls.size(), 1u);
  EXPECT_EQ(heard.said, "ab<tool_call>{");
}

TEST(ToolCallParser, howATextIsCutDoesNotMatter) {
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
    ToolCallParser parser(callForms()[0], parallel, {});
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

} // namespace
