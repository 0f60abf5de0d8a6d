// UTF-8 scanning against the standard's own examples.
#include "TestSupport.h"

#include "runtime/Tokenizer/Utf8.h"

namespace cheems::test {
namespace {

std::string lossy(const std::string &bytes) {
  std::string out;
  utf8::appendLossy(out, bytes);
  return out;
}

TEST(Utf8, everyCodePointRoundTrips) {
  for (char32_t codepoint = 0; codepoint <= 0x10FFFF; ++codepoint) {
    std::string text;
    utf8::append(text, codepoint);
    utf8::Scan scan = utf8::scan(text);
    bool surrogate = codepoint >= 0xD800 && codepoint <= 0xDFFF;
    ASSERT_EQ(scan.kind == utf8::Scan::character, !surrogate)
        << static_cast<uint32_t>(codepoint);
    if (!surrogate) {
      ASSERT_EQ(scan.codepoint, codepoint);
      ASSERT_EQ(scan.length, text.size());
      ASSERT_EQ(utf8::previous("x" + text, 1 + text.size()), 1u);
    }
  }
}

TEST(Utf8, maximalSubpartsBecomeOneReplacementEach) {
  const std::string r = "\xEF\xBF\xBD";
  // Unicode standard, section 3.9, tables 3-8 to 3-11
  EXPECT_EQ(lossy("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"),
            r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(lossy("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"),
            r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(lossy("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"),
            r + r + r + r + r + "A" + r + r + "B");
  EXPECT_EQ(lossy("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), r + r + r + r + "A");
}

TEST(Utf8, firstInvalid) {
  EXPECT_EQ(utf8::firstInvalid("é日🎉"), std::string::npos);
  EXPECT_EQ(utf8::firstInvalid(""), std::string::npos);
  EXPECT_EQ(utf8::firstInvalid("é\x80"), 2u);
  EXPECT_EQ(utf8::firstInvalid("a\xF0\x9F\x8E"), 1u);
}

TEST(Utf8, byteAlphabetIsReversible) {
  std::string bytes, characters, back;
  for (int byte = 0; byte < 256; ++byte) {
    bytes.push_back(static_cast<char>(byte));
  }
  byte_alphabet::appendCharacters(characters, bytes);
  EXPECT_EQ(utf8::firstInvalid(characters), std::string::npos);
  byte_alphabet::appendBytes(back, characters);
  EXPECT_EQ(back, bytes);
  EXPECT_EQ(byte_alphabet::characterOf(' '), "Ġ");
  EXPECT_EQ(byte_alphabet::characterOf('!'), "!");
}

} // namespace
} // namespace cheems::test
