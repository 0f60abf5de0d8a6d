// The end of a thinking in tokens that have parts of it, and more than it.
#include "runtime/Grammar/ThinkingEnd.h"
#include "runtime/Grammar/Grammar.h"

#include <gtest/gtest.h>

using namespace cheems;

namespace {

TEST(ThinkingEnd, tokensOfAnyLengthSpellIt) {
  const std::vector<std::string> tokens = {"</",
                                           "think",
                                           ">",
                                           "<",
                                           "a</think>",
                                           ">\n\n",
                                           ">{",
                                           "</think",
                                           "</think>x",
                                           controlToken("</think>"),
                                           "a",
                                           "</think>\n",
                                           controlToken("<|x|>")};
  ThinkingEnd end(std::make_shared<VocabularyTrie>(tokens, 40));
  const size_t all = ThinkingEnd::text.size();
  auto after = [&](const std::vector<int32_t> &ids) {
    size_t matched = 0;
    for (int32_t id : ids) {
      matched = end.after(matched, id);
    }
    return matched;
  };
  EXPECT_EQ(after({0, 1}), all - 1);
  EXPECT_EQ(after({0, 1, 2}), all);
  EXPECT_EQ(after({3, 0, 1, 5}), all);
  EXPECT_EQ(after({0, 0, 1, 2}), all);
  EXPECT_EQ(after({0, 1, 10}), 0u);
  EXPECT_EQ(after({4}), all);
  EXPECT_EQ(after({7, 3, 7, 2}), all);
  EXPECT_EQ(after({9}), all);
  EXPECT_EQ(after({0, 9}), all);
  // neither an id without a token nor another special token is a text
  EXPECT_EQ(after({0, 39, 12, 1, 2}), all);
  auto allows = [&](size_t matched, int32_t id) {
    return (end.mask(matched)[size_t(id) / 32] >> id % 32 & 1) != 0;
  };
  for (size_t matched = 0; matched < all; ++matched) {
    EXPECT_FALSE(allows(matched, 8)); // an answer begins in it
    EXPECT_EQ(allows(matched, 6), matched != all - 1);
    for (int32_t id : {0, 1, 2, 3, 4, 5, 7, 9, 10, 11, 39}) {
      EXPECT_TRUE(allows(matched, id)) << matched << " " << id;
    }
  }
}

} // namespace
