// Picking the template and the special tokens out of a model's files.
#include "runtime/ChatTemplate/TemplateSource.h"

#include "runtime/Error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems;
using testing::HasSubstr;

namespace {

std::string errorOf(const char *config) {
  try {
    chatTemplateSource(std::nullopt, config);
    specialTokens(config);
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

TEST(TemplateSource, TheFileWins) {
  EXPECT_EQ(chatTemplateSource("file", R"({"chat_template": "config"})"),
            "file");
  EXPECT_EQ(chatTemplateSource("file", std::nullopt), "file");
  EXPECT_EQ(chatTemplateSource(std::nullopt, R"({"chat_template": "config"})"),
            "config");
}

TEST(TemplateSource, MayBeMissing) {
  EXPECT_EQ(chatTemplateSource(std::nullopt, std::nullopt), std::nullopt);
  EXPECT_EQ(chatTemplateSource(std::nullopt, "{}"), std::nullopt);
  EXPECT_EQ(chatTemplateSource(std::nullopt, R"({"chat_template": null})"),
            std::nullopt);
}

TEST(TemplateSource, TakesTheDefaultOfSeveral) {
  EXPECT_EQ(chatTemplateSource(
                std::nullopt,
                R"({"chat_template": [{"name": "tool_use", "template": "a"},
                                                                   {"name": "default", "template": "b"}]})"),
            "b");
}

TEST(TemplateSource, FindsTheOneForToolsInTheListThatIsUsed) {
  const char *list =
      R"({"chat_template": [{"name": "default", "template": "b"},
                            {"name": "tool_use", "template": "a"}]})";
  const std::nullopt_t none = std::nullopt;
  EXPECT_EQ(toolUseTemplateSource(none, none, list), "a");
  EXPECT_EQ(toolUseTemplateSource("file", none, list), none);
  EXPECT_EQ(toolUseTemplateSource(none, none, none), none);
  // a file of its own, beside whichever general one
  EXPECT_EQ(toolUseTemplateSource("file", "c", list), "c");
  EXPECT_EQ(toolUseTemplateSource(none, "c", list), "c");
  for (const char *other :
       {"{}", R"({"chat_template": "b"})",
        R"({"chat_template": [{"name": "default", "template": "b"}]})"}) {
    EXPECT_EQ(toolUseTemplateSource(none, none, other), none);
  }
}

TEST(TemplateSource, ReadsSpecialTokens) {
  auto tokens = specialTokens(
      R"({"bos_token": "<s>", "eos_token": {"content": "</s>", "lstrip": false},
                                  "pad_token": null, "model_max_length": 5})");
  EXPECT_EQ(tokens, (std::map<std::string, std::string>{
                        {"bos_token", "<s>"}, {"eos_token", "</s>"}}));
}

TEST(TemplateSource, NamesTheMalformedField) {
  EXPECT_THAT(errorOf("{"),
              HasSubstr("tokenizer_config.json: must hold one JSON object"));
  EXPECT_THAT(errorOf("[]"), HasSubstr("one JSON object"));
  EXPECT_THAT(errorOf(R"({"chat_template": 5})"),
              HasSubstr("chat_template must be a string or a list"));
  EXPECT_THAT(errorOf(R"({"chat_template": ["a"]})"),
              HasSubstr("chat_template[0] must have a name and a template"));
  EXPECT_THAT(errorOf(R"({"chat_template": []})"),
              HasSubstr("no entry named \"default\""));
  EXPECT_THAT(errorOf(R"({"bos_token": 5})"),
              HasSubstr("bos_token must be a string"));
  EXPECT_THAT(errorOf(R"({"eos_token": {"id": 5}})"),
              HasSubstr("eos_token must be a string"));
}

} // namespace
