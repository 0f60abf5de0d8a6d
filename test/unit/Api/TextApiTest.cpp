// The C interface: text to tokens and back.
#include "ApiFixture.h"
#include <cstring>

using namespace cheems::test;
using testing::HasSubstr;

namespace {

TEST_F(Api, textBecomesTokensAndComesBack) {
  int64_t count = 0;
  ASSERT_EQ(cheems_tokenize(model, "badge", 5, 0, nullptr, 0, &count),
            CHEEMS_OK)
      << cheems_last_error();
  ASSERT_EQ(count, 5);
  std::vector<int32_t> tokens(5, -1);
  ASSERT_EQ(cheems_tokenize(model, "badge", 5, 0, tokens.data(), 3, &count),
            CHEEMS_OK);
  EXPECT_EQ(tokens, (std::vector<int32_t>{1, 0, 3, -1, -1}));
  ASSERT_EQ(cheems_tokenize(model, "badge", 5, 0, tokens.data(), 5, &count),
            CHEEMS_OK);
  EXPECT_EQ(cheems_tokenize(model, nullptr, 0, 0, nullptr, 0, &count),
            CHEEMS_OK);
  EXPECT_EQ(count, 0);

  size_t length = 0;
  char text[8];
  std::memset(text, '?', sizeof(text));
  ASSERT_EQ(cheems_detokenize(model, tokens.data(), 5, 0, nullptr, 0, &length),
            CHEEMS_OK);
  EXPECT_EQ(length, 5u);
  ASSERT_EQ(cheems_detokenize(model, tokens.data(), 5, 0, text, 4, &length),
            CHEEMS_OK);
  EXPECT_EQ(std::string(text, 5), "badg?");
  ASSERT_EQ(cheems_detokenize(model, tokens.data(), 5, 0, text, sizeof(text),
                              &length),
            CHEEMS_OK);
  EXPECT_STREQ(text, "badge");
  tokens[0] = 99;
  EXPECT_EQ(cheems_detokenize(model, tokens.data(), 5, 0, text, sizeof(text),
                              &length),
            CHEEMS_FAILED);
  EXPECT_THAT(cheems_last_error(), HasSubstr("99"));
  EXPECT_EQ(cheems_detokenize(model, tokens.data(), -1, 0, text, sizeof(text),
                              &length),
            CHEEMS_USAGE);
}

TEST_F(Api, specialTokensInTextAreParsedOrStayText) {
  auto tokensOf = [&](const std::string &text, int flags) {
    std::vector<int32_t> tokens(16);
    int64_t count = 0;
    EXPECT_EQ(cheems_tokenize(model, text.data(), text.size(), flags,
                              tokens.data(), 16, &count),
              CHEEMS_OK)
        << cheems_last_error();
    tokens.resize(static_cast<size_t>(count));
    return tokens;
  };
  using Tokens = std::vector<int32_t>;
  EXPECT_EQ(tokensOf("bend", 0), (Tokens{1, controlToken}));
  EXPECT_EQ(tokensOf("bend", CHEEMS_SPECIAL_AS_TEXT), (Tokens{1, 4, 13, 3}));
  EXPECT_EQ(tokensOf("bend", CHEEMS_ADD_SPECIAL),
            (Tokens{controlToken, 1, controlToken}));
  EXPECT_EQ(tokensOf("bend", CHEEMS_ADD_SPECIAL | CHEEMS_SPECIAL_AS_TEXT),
            (Tokens{controlToken, 1, 4, 13, 3}));
  int64_t count = -1;
  EXPECT_EQ(cheems_tokenize(model, "b", 1, 4, nullptr, 0, &count),
            CHEEMS_USAGE);
  EXPECT_STREQ(cheems_last_error(),
               "flags has bits that are not cheems_tokenize_flags: 4");
  EXPECT_EQ(count, -1);
}

TEST_F(Api, modelWithoutTokenizerSaysSo) {
  FakeArtifact artifact;
  artifact.texts = {{CHEEMS_SECTION_CONFIG, "{}"}};
  TemporaryFile file(artifact.bytes());
  cheems_model *bare = nullptr;
  ASSERT_EQ(cheems_model_open(file.path().c_str(), &bare), CHEEMS_OK);
  int64_t count;
  EXPECT_EQ(cheems_tokenize(bare, "a", 1, 0, nullptr, 0, &count),
            CHEEMS_FAILED);
  EXPECT_THAT(cheems_last_error(), HasSubstr("no tokenizer"));
  cheems_model_close(bare);
}

} // namespace
