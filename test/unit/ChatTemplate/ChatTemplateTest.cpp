// Whole chat templates: recorded conversations, variables, refusals.
#include "runtime/ChatTemplate/ChatTemplate.h"

#include "runtime/Error.h"
#include "test/unit/Support/TestPaths.h"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace cheems;
using testing::HasSubstr;

namespace {

const std::string folder = std::string(cheems::test_paths::sourceFolder) +
                           "/test/unit/ChatTemplate/data/";

std::string read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class RecordedChats : public testing::TestWithParam<const char *> {};

TEST_P(RecordedChats, RenderAsTransformersRendersThem) {
  ChatTemplate chat(read(folder + GetParam() + ".jinja"));
  std::istringstream lines(read(folder + GetParam() + "_chat.jsonl"));
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    auto row = nlohmann::json::parse(line);
    std::vector<ChatMessage> messages;
    for (const auto &each : row["messages"]) {
      messages.push_back({each["role"], each["content"]});
    }
    EXPECT_EQ(chat.render(messages, row["add_generation_prompt"],
                          {{"bos_token", "<|begin_of_text|>"},
                           {"eos_token", "<|end_of_text|>"}})
                  .text,
              row["rendered"].get<std::string>());
  }
  EXPECT_EQ(count, 8u);
}

INSTANTIATE_TEST_SUITE_P(Models, RecordedChats,
                         testing::Values("doge", "small"));

TEST(ChatTemplate, DogeListsToolsInTheFirstUserMessage) {
  ChatTemplate chat(read(folder + "doge.jinja"));
  std::string rendered =
      chat.renderJson(
              R"({"bos_token": "<s>", "messages": [{"role": "user", "content": "hi"}],
    "tools": [{"name": "f", "parameters": {"x": 1}}], "add_generation_prompt": false})")
          .text;
  EXPECT_THAT(rendered,
              HasSubstr("{\n    \"name\": \"f\",\n    \"parameters\": {\n      "
                        "  \"x\": 1\n    }\n}\n\nhi"));
}

TEST(ChatTemplate, VariablesAreSeenAndToolsAreNone) {
  ChatTemplate chat("{{ bos_token }}{{ tools is none }}{{ documents is none "
                    "}}{{ eos_token is defined }}"
                    "{{ messages | length }}{{ add_generation_prompt }}");
  EXPECT_EQ(chat.render({{"user", "x"}}, true, {{"bos_token", "<s>"}}).text,
            "<s>TrueTrueFalse1True");
  EXPECT_EQ(chat.render({}, false).text, "TrueTrueFalse0False");
}

// as transformers chooses
TEST(ChatTemplate, AnotherTemplateMayBeForConversationsWithTools) {
  ChatTemplate chat("D{{ messages[0].content }}",
                    "\nT{{ messages[0].content }}{{ tools[0] + 'x' }}");
  auto rendered = [&](const std::string &tools) {
    return chat
        .renderMessages("{\"messages\": [{\"content\": \"c\"}]" + tools + "}",
                        true)
        .text;
  };
  EXPECT_EQ(rendered(""), "Dc");
  EXPECT_EQ(rendered(", \"tools\": null"), "Dc");
  EXPECT_EQ(rendered(", \"tools\": [\"t\"]"), "\nTctx");
  EXPECT_EQ(chat.render({{"user", "c"}}, true).text, "Dc");
  try {
    rendered(", \"tools\": [1]");
    FAIL();
  } catch (const Error &error) {
    EXPECT_THAT(error.what(), HasSubstr("chat template tool_use, line 2: "));
  }
  EXPECT_THROW(ChatTemplate("a", "{% if %}"), Error);
  EXPECT_THROW(ChatTemplate("a", "a\xff"), Error);
}

TEST(ChatTemplate, RendersTheSameAgain) {
  ChatTemplate chat("{% set ns = namespace(n=0) %}{% for m in messages %}{% "
                    "set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }}");
  EXPECT_EQ(chat.render({{"user", "x"}}, true).text, "1");
  EXPECT_EQ(chat.render({{"user", "x"}}, true).text, "1");
  ChatTemplate moved = std::move(chat);
  EXPECT_EQ(moved.render({}, true).text, "0");
}

TEST(ChatTemplate, PassesTheTemplatesOwnRefusalOn) {
  ChatTemplate chat("\n{{ raise_exception('Roles must\\nalternate') }}");
  try {
    chat.render({}, false);
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.status, Status::failed);
    EXPECT_STREQ(error.what(), "chat template, line 2: the template refuses "
                               "these messages: Roles must alternate");
  }
}

TEST(ChatTemplate, RefusesTextThatIsNotUtf8) {
  EXPECT_THROW(ChatTemplate("a\xff"), Error);
  EXPECT_THROW(ChatTemplate("{{ messages }}").render({{"user", "\xc3"}}, false),
               Error);
  EXPECT_THROW(ChatTemplate("{{ x }}").render({}, false, {{"x", "\x80"}}),
               Error);
  EXPECT_THROW(ChatTemplate("{{ x }}").renderJson("[1]"), Error);
}

TEST(ChatTemplate, RefusesVariablesThatNestTooDeep) {
  std::string deep =
      "{\"a\": " + std::string(100, '[') + std::string(100, ']') + "}";
  EXPECT_THROW(ChatTemplate("x").renderJson(deep), Error);
}

TEST(ChatTemplate, LimitsBoundALongConversation) {
  std::vector<ChatMessage> messages(2000, {"user", std::string(2000, 'x')});
  ChatTemplate chat(
      "{% for m in messages %}{{ m.role + m.content | trim }}{% endfor %}");
  EXPECT_EQ(chat.render(messages, true).text.size(), 2000u * 2004u);
  try {
    chat.renderJson(
        R"({"messages": [{"role": "a", "content": "b"}, {"role": "a", "content": "b"}]})",
        {10, 1 << 20, 100, 0, 0});
    FAIL();
  } catch (const Error &error) {
    EXPECT_THAT(error.what(), HasSubstr("runs for too long"));
  }
}

TEST(ChatTemplate, LimitsGrowWithTheInput) {
  // a look at each of 400,000 letters takes more steps than a short
  // conversation may
  ChatTemplate byLetter(
      "{% for m in messages %}{% for c in m.content %}"
      "{{ c | upper if c is string and c != 'y' else c }}{% endfor %}"
      "{{ m.content.split('x') | length }}{% endfor %}");
  EXPECT_EQ(byLetter.render({{"user", std::string(400'000, 'x')}}, true).text,
            std::string(400'000, 'X') + "400001");

  // and so does collecting 2,000 messages, in bytes
  ChatTemplate collecting("{% set ns = namespace(text='') %}"
                          "{% for m in messages %}"
                          "{% set ns.text = ns.text + m.content %}{% endfor %}"
                          "{{ ns.text | length }}");
  std::vector<ChatMessage> messages(2000, {"user", std::string(200, 'y')});
  EXPECT_EQ(collecting.render(messages, true).text, "400000");
}

TEST(ChatTemplate, LimitsStayFiniteHoweverLongTheInputIs) {
  std::string variables = "{\"text\": \"" + std::string(1000, 'x') + "\"}";
  ChatTemplateLimits limits = {1000, 1000, 100, 10, 100};
  EXPECT_EQ(ChatTemplate("{% for c in text %}{{ c }}{% endfor %}")
                .renderJson(variables, limits)
                .text.size(),
            1000u);
  EXPECT_THROW(ChatTemplate("{% for a in text %}{% for b in text %}{{ b }}"
                            "{% endfor %}{% endfor %}")
                   .renderJson(variables, limits),
               Error);
  EXPECT_THROW(ChatTemplate("{{ text * 1000 }}").renderJson(variables, limits),
               Error);
}

} // namespace
