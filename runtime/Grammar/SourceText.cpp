#include "runtime/Grammar/SourceText.h"

#include "runtime/Error.h"
#include "runtime/Grammar/GrammarBuilder.h"
#include "runtime/Tokenizer/Utf8.h"

#include <algorithm>
#include <cstdio>

namespace cheems::grammar {

SourceText::SourceText(std::string_view of, std::string name)
    : text(of), what(std::move(name)) {
  if (text.size() > maximumText) {
    throw Error(Status::usage, what + " has " + std::to_string(text.size()) +
                                   " bytes; at most " +
                                   std::to_string(maximumText) +
                                   " are possible");
  }
  size_t offset = utf8::firstInvalid(text);
  if (offset != text.npos) {
    throw Error(Status::usage,
                what + " is not valid UTF-8 at byte " + std::to_string(offset));
  }
}

bool SourceText::accept(std::string_view expected) {
  bool is = ahead(expected);
  at += is ? expected.size() : 0;
  return is;
}

uint32_t SourceText::character() {
  utf8::Scan next = utf8::scan(text.substr(at));
  at += next.length;
  return next.codepoint;
}

uint32_t SourceText::hexadecimal(int digits) {
  uint32_t value = 0;
  for (int index = 0; index < digits; ++index) {
    char digit = peek();
    int number = digit >= '0' && digit <= '9'   ? digit - '0'
                 : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                 : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10
                                                : -1;
    if (number < 0) {
      fail("expected " + std::to_string(digits) + " hexadecimal digits, not " +
           shown());
    }
    value = value * 16 + static_cast<uint32_t>(number);
    ++at;
  }
  return value;
}

int64_t SourceText::number() {
  size_t begin = at;
  int64_t value = 0;
  for (; peek() >= '0' && peek() <= '9'; ++at) {
    if (at - begin == 9) {
      fail("the number is too large");
    }
    value = value * 10 + (peek() - '0');
  }
  if (at == begin) {
    fail("expected a number, not " + shown());
  }
  return value;
}

void SourceText::fail(const std::string &message) const {
  size_t line = 1, column = 1;
  for (char byte : text.substr(0, at)) {
    if (byte == '\n') {
      ++line;
      column = 1;
    } else {
      column += (static_cast<uint8_t>(byte) & 0xC0) != 0x80;
    }
  }
  throw Error(Status::usage, what + ", line " + std::to_string(line) +
                                 ", column " + std::to_string(column) + ": " +
                                 message);
}

std::string SourceText::shown() const {
  if (done()) {
    return "the end";
  }
  if (peek() == '\n' || peek() == '\r') {
    return "the end of the line";
  }
  if (static_cast<uint8_t>(peek()) < 0x20 || peek() == 0x7F) {
    return "a control character";
  }
  utf8::Scan next = utf8::scan(text.substr(at));
  std::string character = "'" + std::string(text.substr(at, next.length)) + "'";
  // some characters beyond ASCII are invisible, or look like others
  if (next.codepoint >= 0x80) {
    char number[16];
    snprintf(number, sizeof(number), " (U+%04X)", unsigned(next.codepoint));
    character += number;
  }
  return character;
}

} // namespace cheems::grammar
