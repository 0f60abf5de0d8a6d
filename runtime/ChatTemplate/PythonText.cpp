// Characters, spaces, lines and repr().
#include "runtime/ChatTemplate/PythonText.h"

#include <cstring>

#include <utf8proc.h>

namespace cheems::jinja {

size_t firstInvalid(std::string_view text) {
  size_t offset = 0;
  while (offset < text.size()) {
    utf8proc_int32_t character;
    auto length = utf8proc_iterate(
        reinterpret_cast<const utf8proc_uint8_t *>(text.data()) + offset,
        utf8proc_ssize_t(text.size() - offset), &character);
    if (length <= 0) {
      return offset;
    }
    offset += size_t(length);
  }
  return std::string_view::npos;
}

char32_t nextWideCharacter(std::string_view text, size_t &offset) {
  utf8proc_int32_t character;
  auto length = utf8proc_iterate(
      reinterpret_cast<const utf8proc_uint8_t *>(text.data()) + offset,
      utf8proc_ssize_t(text.size() - offset), &character);
  offset += length > 0 ? size_t(length) : 1;
  return length > 0 ? char32_t(character) : U'\uFFFD';
}

void appendCharacter(std::string &out, char32_t character) {
  utf8proc_uint8_t bytes[4];
  auto length = utf8proc_encode_char(utf8proc_int32_t(character), bytes);
  out.append(reinterpret_cast<const char *>(bytes), size_t(length));
}

void appendCharacter(TrackedText &out, char32_t character, Origin origin) {
  std::string bytes; // short enough to need no memory
  appendCharacter(bytes, character);
  out.append(bytes, origin);
}

MeteredVector<std::string_view> characters(std::string_view text) {
  MeteredVector<std::string_view> all;
  for (size_t offset = 0; offset < text.size();) {
    size_t start = offset;
    nextCharacter(text, offset);
    all.push_back(text.substr(start, offset - start));
  }
  return all;
}

size_t lengthOf(std::string_view text) {
  size_t count = 0;
  for (char byte : text) {
    count += (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
  }
  return count;
}

size_t offsetOf(std::string_view text, size_t index) {
  size_t offset = 0;
  for (size_t i = 0; i < index && offset < text.size(); ++i) {
    nextCharacter(text, offset);
  }
  return offset;
}

size_t find(std::string_view text, std::string_view wanted, size_t from) {
  if (from > text.size()) {
    return std::string_view::npos;
  }
  const void *found = memmem(text.data() + from, text.size() - from,
                             wanted.data(), wanted.size());
  return found ? size_t(static_cast<const char *>(found) - text.data())
               : std::string_view::npos;
}

bool isSpace(char32_t c) {
  return (c >= 9 && c <= 13) || (c >= 28 && c <= 32) || c == 0x85 ||
         c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
         c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

std::string_view strip(std::string_view text, Side side,
                       std::optional<std::string_view> set) {
  MeteredVector<std::string_view> members;
  if (set) {
    members = characters(*set);
  }
  auto goes = [&](std::string_view character) {
    if (!set) {
      size_t offset = 0;
      return isSpace(nextCharacter(character, offset));
    }
    for (std::string_view each : members) {
      if (each == character) {
        return true;
      }
    }
    return false;
  };
  while (side != Side::right && !text.empty()) {
    size_t end = 0;
    nextCharacter(text, end);
    if (!goes(text.substr(0, end))) {
      break;
    }
    text.remove_prefix(end);
  }
  while (side != Side::left && !text.empty()) {
    size_t start = text.size() - 1;
    while (start > 0 &&
           (static_cast<unsigned char>(text[start]) & 0xC0) == 0x80) {
      --start;
    }
    if (!goes(text.substr(start))) {
      break;
    }
    text.remove_suffix(text.size() - start);
  }
  return text;
}

MeteredVector<std::string_view> splitLines(std::string_view text) {
  MeteredVector<std::string_view> lines;
  size_t start = 0;
  for (size_t offset = 0; offset < text.size();) {
    size_t end = offset;
    char32_t c = nextCharacter(text, offset);
    bool ends = (c >= 10 && c <= 13) || (c >= 0x1C && c <= 0x1E) || c == 0x85 ||
                c == 0x2028 || c == 0x2029;
    if (!ends) {
      continue;
    }
    lines.push_back(text.substr(start, end - start));
    if (c == '\r' && offset < text.size() && text[offset] == '\n') {
      ++offset;
    }
    start = offset;
  }
  if (start < text.size()) {
    lines.push_back(text.substr(start));
  }
  return lines;
}

namespace {

bool isPrintable(char32_t character) {
  if (character < 0x7F) {
    return character >= ' ';
  }
  switch (utf8proc_category(utf8proc_int32_t(character))) {
  case UTF8PROC_CATEGORY_CC:
  case UTF8PROC_CATEGORY_CF:
  case UTF8PROC_CATEGORY_CS:
  case UTF8PROC_CATEGORY_CO:
  case UTF8PROC_CATEGORY_CN:
  case UTF8PROC_CATEGORY_ZL:
  case UTF8PROC_CATEGORY_ZP:
    return false;
  case UTF8PROC_CATEGORY_ZS:
    return character == ' ';
  default:
    return true;
  }
}

} // namespace

void appendEscape(TrackedText &out, char32_t c, Origin origin) {
  int digits = c < 0x100 ? 2 : c < 0x10000 ? 4 : 8;
  std::string text = c < 0x100 ? "\\x" : c < 0x10000 ? "\\u" : "\\U";
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
    text += "0123456789abcdef"[(c >> shift) & 15];
  }
  out.append(text, origin);
}

void appendQuoted(TrackedText &out, const TrackedText &text) {
  bool single = text.bytes().find('\'') != std::string_view::npos;
  bool twice = text.bytes().find('"') != std::string_view::npos;
  char quote = single && !twice ? '"' : '\'';
  std::string_view quotes(&quote, 1);
  out.append(quotes);
  text.visitRuns([&](std::string_view run, Origin origin) {
    for (size_t offset = 0; offset < run.size();) {
      size_t start = offset;
      char32_t c = nextCharacter(run, offset);
      if (c == char32_t(quote) || c == '\\') {
        out.append("\\", origin);
        out.append(run.substr(start, 1), origin);
      } else if (c == '\n' || c == '\r' || c == '\t') {
        out.append(c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t", origin);
      } else if (isPrintable(c)) {
        out.append(run.substr(start, offset - start), origin);
      } else {
        appendEscape(out, c, origin);
      }
    }
  });
  out.append(quotes);
}

std::string inQuotes(std::string_view text) {
  TrackedText out;
  appendQuoted(out, TrackedText(text));
  return std::string(out.bytes());
}

} // namespace cheems::jinja
