// UTF-8 scanning by the table of well-formed byte sequences (Unicode standard,
// table 3-7).
#include "runtime/Tokenizer/Utf8.h"

#include "runtime/Error.h"

namespace cheems::utf8 {

namespace {

struct Lead {
  size_t length;
  unsigned char secondLow, secondHigh;
};

/// The length a lead byte announces and the range of its second byte; length 0
/// for a byte that leads nothing.
Lead leadOf(unsigned char byte) {
  if (byte < 0x80) {
    return {1, 0, 0};
  }
  if (byte >= 0xC2 && byte <= 0xDF) {
    return {2, 0x80, 0xBF};
  }
  if (byte >= 0xE0 && byte <= 0xEF) {
    unsigned char low = byte == 0xE0 ? 0xA0 : 0x80,
                  high = byte == 0xED ? 0x9F : 0xBF;
    return {3, low, high};
  }
  if (byte >= 0xF0 && byte <= 0xF4) {
    unsigned char low = byte == 0xF0 ? 0x90 : 0x80,
                  high = byte == 0xF4 ? 0x8F : 0xBF;
    return {4, low, high};
  }
  return {0, 0, 0};
}

} // namespace

Scan scan(std::string_view text) {
  auto at = [&](size_t index) {
    return static_cast<unsigned char>(text[index]);
  };
  Lead lead = leadOf(at(0));
  if (lead.length == 0) {
    return {Scan::invalid, 1, 0};
  }
  if (lead.length == 1) {
    return {Scan::character, 1, at(0)};
  }
  char32_t codepoint = at(0) & (0x7F >> lead.length);
  for (size_t index = 1; index < lead.length; ++index) {
    if (index == text.size()) {
      return {Scan::incomplete, index, 0};
    }
    unsigned char low = index == 1 ? lead.secondLow : 0x80,
                  high = index == 1 ? lead.secondHigh : 0xBF;
    if (at(index) < low || at(index) > high) {
      return {Scan::invalid, index, 0};
    }
    codepoint = codepoint << 6 | (at(index) & 0x3F);
  }
  return {Scan::character, lead.length, codepoint};
}

size_t firstInvalid(std::string_view text) {
  for (size_t offset = 0; offset < text.size();) {
    if (static_cast<unsigned char>(text[offset]) < 0x80) {
      ++offset;
      continue;
    }
    Scan next = scan(text.substr(offset));
    if (next.kind != Scan::character) {
      return offset;
    }
    offset += next.length;
  }
  return std::string_view::npos;
}

void append(std::string &out, char32_t codepoint) {
  auto byte = [&](char32_t value) { out.push_back(static_cast<char>(value)); };
  if (codepoint < 0x80) {
    byte(codepoint);
  } else if (codepoint < 0x800) {
    byte(0xC0 | codepoint >> 6);
    byte(0x80 | (codepoint & 0x3F));
  } else if (codepoint < 0x10000) {
    byte(0xE0 | codepoint >> 12);
    byte(0x80 | (codepoint >> 6 & 0x3F));
    byte(0x80 | (codepoint & 0x3F));
  } else {
    byte(0xF0 | codepoint >> 18);
    byte(0x80 | (codepoint >> 12 & 0x3F));
    byte(0x80 | (codepoint >> 6 & 0x3F));
    byte(0x80 | (codepoint & 0x3F));
  }
}

void appendLossy(std::string &out, std::string_view bytes) {
  while (!bytes.empty()) {
    Scan next = scan(bytes);
    if (next.kind == Scan::character) {
      out.append(bytes.substr(0, next.length));
    } else {
      append(out, 0xFFFD);
    }
    bytes.remove_prefix(next.length);
  }
}

bool isWhitespace(char32_t codepoint) {
  return (codepoint >= 0x09 && codepoint <= 0x0D) || codepoint == 0x20 ||
         codepoint == 0x85 || codepoint == 0xA0 || codepoint == 0x1680 ||
         (codepoint >= 0x2000 && codepoint <= 0x200A) || codepoint == 0x2028 ||
         codepoint == 0x2029 || codepoint == 0x202F || codepoint == 0x205F ||
         codepoint == 0x3000;
}

size_t previous(std::string_view text, size_t offset) {
  do {
    --offset;
  } while (offset > 0 &&
           (static_cast<unsigned char>(text[offset]) & 0xC0) == 0x80);
  return offset;
}

void require(std::string_view text, const char *what) {
  size_t offset = firstInvalid(text);
  if (offset != std::string_view::npos) {
    throw Error(std::string(what) + " is not valid UTF-8 at byte " +
                std::to_string(offset) + "; convert it to UTF-8");
  }
}

} // namespace cheems::utf8
