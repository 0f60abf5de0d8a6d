// Paths of requests, and how they are escaped.
#include "server/Http/Target.h"
#include <gtest/gtest.h>

using namespace cheems::serve;

TEST(Target, SplitsPathAndQuery) {
  auto target = parseTarget("/v1/models?a=1&b=%41");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/v1/models");
  EXPECT_EQ(target->query, "a=1&b=%41");
  EXPECT_EQ(parseTarget("/a%20b%2Fc")->path, "/a b/c");
  EXPECT_EQ(parseTarget("/%c3%a9?")->path, "/\xc3\xa9");
  EXPECT_EQ(parseTarget("/a?b?c")->query, "b?c");
}

TEST(Target, TakesTheFormsOfProxiesAndOptions) {
  EXPECT_EQ(parseTarget("http://host:80/v1/models?x")->path, "/v1/models");
  EXPECT_EQ(parseTarget("https://host/")->path, "/");
  EXPECT_EQ(parseTarget("*")->path, "*");
}

TEST(Target, RefusesWhatIsBroken) {
  for (const char *text :
       {"", "v1/models", "/%", "/%4", "/%4g", "/%00", "/%0d%0a", "/%7f", "/a#b",
        "http://", "http://host", "ftp://host/", "?a"}) {
    EXPECT_FALSE(parseTarget(text)) << text;
  }
}

TEST(Target, DecodesEveryByte) {
  for (int byte = 0; byte < 256; ++byte) {
    char lower[8], upper[8];
    snprintf(lower, sizeof(lower), "%%%02x", byte);
    snprintf(upper, sizeof(upper), "%%%02X", byte);
    std::string expected(1, static_cast<char>(byte));
    EXPECT_EQ(percentDecoded(lower), expected);
    EXPECT_EQ(percentDecoded(upper), expected);
  }
}
