// Stop strings in text that comes in pieces.
#include "runtime/Text/StopStrings.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

using namespace cheems;

namespace {

/// The text before the first stop string, all at once, by the definition: each
/// beginning of the text is looked at for one that it ends with.
std::string expected(const std::vector<std::string> &stops,
                     const std::string &text) {
  for (size_t length = 1; length <= text.size(); ++length) {
    size_t longest = 0;
    for (const std::string &stop : stops) {
      if (!stop.empty() && stop.size() <= length &&
          text.compare(length - stop.size(), stop.size(), stop) == 0) {
        longest = std::max(longest, stop.size());
      }
    }
    if (longest != 0) {
      return text.substr(0, length - longest);
    }
  }
  return text;
}

TEST(StopStrings, textBeforeTheFirstComesOut) {
  StopStrings stops({"\n\n", "END"});
  EXPECT_EQ(stops.push("one\n"), "one");
  EXPECT_EQ(stops.heldBytes(), 1u);
  EXPECT_EQ(stops.push("two EN"), "\ntwo ");
  EXPECT_EQ(stops.heldBytes(), 2u);
  EXPECT_EQ(stops.push("D and more"), "");
  EXPECT_EQ(stops.found(), "END");
  EXPECT_EQ(stops.push("more"), "");
  EXPECT_EQ(stops.finish(), "");
}

TEST(StopStrings, whatWasHeldBackComesOutAtTheEnd) {
  StopStrings stops({"abc"});
  EXPECT_EQ(stops.push("xab"), "x");
  EXPECT_EQ(stops.finish(), "ab");
  EXPECT_FALSE(stops.found());
}

TEST(StopStrings, emptyOnesAreLeftOut) {
  StopStrings stops({""});
  EXPECT_EQ(stops.push("text"), "text");
  EXPECT_FALSE(stops.found());
}

TEST(StopStrings, piecesDoNotMatter) {
  const char *seed = std::getenv("CHEEMS_TEST_SEED");
  std::mt19937 random(seed ? std::strtoul(seed, nullptr, 10) : 1);
  auto word = [&](size_t most) {
    std::string text(random() % (most + 1), 'a');
    for (char &c : text) {
      c = static_cast<char>('a' + random() % 2);
    }
    return text;
  };
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::string> texts;
    for (size_t count = random() % 4; texts.size() < count;) {
      texts.push_back(word(5));
    }
    std::string text = word(24), out;
    StopStrings stops(texts);
    for (size_t at = 0; at < text.size();) {
      size_t count = random() % 5;
      out += stops.push(text.substr(at, count));
      at += count;
    }
    out += stops.finish();
    EXPECT_EQ(out, expected(texts, text)) << text;
    EXPECT_EQ(stops.found().has_value(), out.size() != text.size()) << text;
  }
}

} // namespace
