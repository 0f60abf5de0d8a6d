// What a terminal would obey is taken out of text, and nothing else.
#include "runtime/Process/PlainText.h"
#include <gtest/gtest.h>

using namespace cheems;

namespace {

std::string marked(std::string_view text, std::string_view kept = "\n\t") {
  return withoutControls(text, kept, "?");
}

TEST(PlainText, commandsOfTerminalsGo) {
  EXPECT_EQ(marked("\033[31mred\033]0;title\a"), "?[31mred?]0;title?");
  EXPECT_EQ(marked(std::string_view("a\0b\b\r\x7f", 6)), "a?b???");
}

TEST(PlainText, whatIsKeptStays) {
  EXPECT_EQ(marked("a\n\tb"), "a\n\tb");
  EXPECT_EQ(marked("a\n\tb", ""), "a??b");
}

TEST(PlainText, secondControlsGoAsCharactersAndAsBytes) {
  EXPECT_EQ(marked("\u009b31m\u0080\u009f\u00a0"), "?31m??\u00a0");
  EXPECT_EQ(marked("\x9b"
                   "31m"),
            "?31m");
  EXPECT_EQ(marked("\xc2"), "\xc2");
  EXPECT_EQ(marked("\xe2\x1b\x9b"), "\xe2??"); // not a character that goes on
}

TEST(PlainText, charactersWithSuchBytesStay) {
  for (const char *text : {"\u00c2\u00db", "\u201b", "\u2580\u259b",
                           "\U0001f99b\U0001f680", "\ud7db"}) {
    EXPECT_EQ(marked(text), text);
  }
}

} // namespace
