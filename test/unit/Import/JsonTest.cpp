// Numbers that JSON lacks, as transformers writes them.
#include "lib/Import/Json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace cheems;
using testing::HasSubstr;

namespace {

TEST(Json, BareInfinitiesAreSpelledAsObjects) {
  EXPECT_EQ(spellFloats("[0.0, Infinity]"),
            R"([0.0, {"__float__": "Infinity"}])");
  EXPECT_EQ(spellFloats("{\"a\":-Infinity,\"b\":NaN}"),
            R"({"a":{"__float__": "-Infinity"},"b":{"__float__": "NaN"}})");
  // neither in strings nor in longer words
  for (const char *text :
       {R"({"Infinity": "NaN, Infinity", "a\"Infinity": -1.5e3})",
        "[Infinityx, xNaN, - 1, --Infinity]", "\"Infinity", "",
        "[true, null]"}) {
    EXPECT_EQ(spellFloats(text), text);
  }
}

TEST(Json, SpelledFloatsAreNumbers) {
  auto number = [](llvm::StringRef text) {
    return spelledFloat(llvm::cantFail(parseJson(spellFloats(text), "test")));
  };
  EXPECT_EQ(number("Infinity"), INFINITY);
  EXPECT_EQ(number("-Infinity"), -INFINITY);
  EXPECT_TRUE(std::isnan(*number("NaN")));
  EXPECT_EQ(number(R"({"__float__": "Infinity"})"), INFINITY);
  for (const char *text : {R"({"__float__": "1"})", R"({"__float__": 1})",
                           R"({"__float__": "NaN", "a": 1})", "{}", "1"}) {
    EXPECT_EQ(number(text), std::nullopt) << text;
  }
}

} // namespace
