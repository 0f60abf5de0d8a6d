// Lists of token ids, sound and broken.
#include "runtime/Generation/TokenIds.h"
#include "../Artifact/FakeArtifact.h"
#include "runtime/Error.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <utility>

using namespace cheems;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(TokenIds, commasAndWhiteSpaceSeparate) {
  EXPECT_THAT(parseTokenIds("1,2,3", "ids"), ElementsAre(1, 2, 3));
  EXPECT_THAT(parseTokenIds(" 1 2,\t3,\n4,", "ids"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(parseTokenIds("-7", "ids"), ElementsAre(-7));
}

TEST(TokenIds, comeFromAFileToo) {
  test::TemporaryFile file("5,6\n7\n");
  EXPECT_THAT(parseTokenIds("@" + file.path(), "ids"), ElementsAre(5, 6, 7));
}

static std::string refusal(const std::string &list, Status status) {
  try {
    parseTokenIds(list, "--prompt-ids");
  } catch (const Error &error) {
    EXPECT_EQ(error.status, status) << error.what();
    return error.what();
  }
  return "";
}

TEST(TokenIds, whatIsNoNumberIsNamed) {
  for (const char *word :
       {"two", "1.5", "0x10", "3a", "99999999999999999999", "+1", "--1"}) {
    EXPECT_THAT(refusal(std::string("1,") + word, Status::usage),
                HasSubstr(std::string("'") + word + "'"));
  }
  EXPECT_LT(refusal(std::string(100000, 'x'), Status::usage).size(), 200u);
}

TEST(TokenIds, anEmptyListIsRefused) {
  EXPECT_THAT(refusal("", Status::usage), HasSubstr("--prompt-ids"));
  EXPECT_THAT(refusal(" , ", Status::usage), HasSubstr("no token id"));
}

TEST(TokenIds, anAbsentFileIsNamed) {
  EXPECT_THAT(refusal("@/no/such/file", Status::failed),
              HasSubstr("/no/such/file"));
}

TEST(TokenIds, outsideTheVocabularyIsRefusedWithBothNumbers) {
  std::vector<int64_t> good = {0, 15}, high = {3, 16}, low = {-1};
  EXPECT_THAT(checkTokenIds(good.data(), 2, 16, "ids"), ElementsAre(0, 15));
  for (const auto &bad : {high, low}) {
    try {
      checkTokenIds(bad.data(), bad.size(), 16, "ids");
      FAIL();
    } catch (const Error &error) {
      EXPECT_EQ(error.status, Status::failed);
      EXPECT_THAT(error.what(), HasSubstr(std::to_string(bad.back())));
      EXPECT_THAT(error.what(), HasSubstr("vocabulary of 16"));
    }
  }
}

TEST(TokenIds, aTokenizerOfAnotherModelIsNoticed) {
  EXPECT_THAT(checkVocabulary({1, 15}, 16), ElementsAre(1, 15));
  EXPECT_THROW(checkVocabulary({1, 16}, 16), Error);
}

TEST(TokenIds, areWrittenAsTheyAreRead) {
  EXPECT_EQ(formatTokenIds({1, 2, 3}), "1,2,3");
  EXPECT_EQ(formatTokenIds({}), "");
}

TEST(LogitBias, isSpelledAsInLlama) {
  auto parse = [](const char *text) {
    LogitBias bias = parseLogitBias(text, "--logit-bias");
    return std::pair(bias.token, bias.bias);
  };
  constexpr float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(parse("15043+1"), std::pair(15043, 1.f));
  EXPECT_EQ(parse("0-0.5"), std::pair(0, -0.5f));
  EXPECT_EQ(parse("7+1e2"), std::pair(7, 100.f));
  EXPECT_EQ(parse("7-inf"), std::pair(7, -infinity));
  EXPECT_EQ(parse("7+inf"), std::pair(7, infinity)); // refused as a value
  for (const char *text :
       {"", "7", "7+", "7-", "+1", "-7+1", "a+1", "7+a", "7 + 1", "7+1x",
        "7--1", "7+-1", "7++1", "7+nan", "9999999999+1", "7*1"}) {
    try {
      parse(text);
      ADD_FAILURE() << text;
    } catch (const Error &error) {
      EXPECT_EQ(error.status, Status::usage);
      EXPECT_THAT(error.what(), HasSubstr("--logit-bias: '"));
    }
  }
}
