// tokenizer_config.json: the tokens it names.
#include "TestSupport.h"

namespace cheems::test {
namespace {

TEST(Config, namesTokensByStringOrObject) {
  Tokenizer tokenizer(
      byteTokenizer().dump(),
      R"({"bos_token": "ab", "eos_token": {"content": "bc", "lstrip": false}, "pad_token": null})");
  EXPECT_EQ(tokenizer.bosId(), 256);
  EXPECT_EQ(tokenizer.eosId(), 257);
  EXPECT_EQ(tokenizer.padId(), std::nullopt);
}

TEST(Config, absentNamesNothing) {
  Tokenizer tokenizer(byteTokenizer().dump());
  EXPECT_EQ(tokenizer.bosId(), std::nullopt);
  EXPECT_EQ(tokenizer.eosId(), std::nullopt);
}

TEST(Config, unknownTokenIsRefused) {
  Error error =
      loadError(byteTokenizer().dump(), R"({"eos_token": "<nowhere>"})");
  EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("eos_token"),
                                           testing::HasSubstr("<nowhere>")));
}

TEST(Config, malformedIsRefused) {
  for (const char *config : {"{", "[]", "null", R"({"eos_token": 3})",
                             R"({"eos_token": {"text": "ab"}})"}) {
    EXPECT_THAT(loadError(byteTokenizer().dump(), config).what(),
                testing::HasSubstr("tokenizer_config.json"));
  }
}

} // namespace
} // namespace cheems::test
