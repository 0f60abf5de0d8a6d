// The lexer. Jinja's works by regular expressions; each function here stands
// for one of them.
#include "runtime/ChatTemplate/Lexer.h"

#include "runtime/ChatTemplate/PythonText.h"
#include "runtime/Error.h"

#include <algorithm>
#include <cctype>

#include <utf8proc.h>

namespace cheems::jinja {

void failAt(int line, const std::string &message) {
  throw Error("chat template, line " + std::to_string(line) + ": " + message);
}

void unsupportedAt(int line, const std::string &construct) {
  throw Error(Status::unsupported, "chat template, line " +
                                       std::to_string(line) + ": " + construct +
                                       " is not supported");
}

namespace {

/// Newlines as "\n", the last one dropped.
std::string normalized(std::string_view source) {
  std::string out;
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      out += '\n';
      i += i + 1 < source.size() && source[i + 1] == '\n';
    } else {
      out += source[i];
    }
  }
  if (!out.empty() && out.back() == '\n') {
    out.pop_back();
  }
  return out;
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }

class Lexer {
public:
  explicit Lexer(std::string_view text) : source(normalized(text)) {}

  std::vector<Token> run() {
    while (position < source.size()) {
      lexData();
    }
    add(Token::end, "");
    return std::move(tokens);
  }

private:
  bool at(std::string_view text) const {
    return source.compare(position, text.size(), text) == 0;
  }
  char peek(size_t ahead = 0) const {
    return position + ahead < source.size() ? source[position + ahead] : '\0';
  }

  void add(Token::Kind kind, std::string text) {
    tokens.push_back({kind, std::move(text), line});
  }

  void advance(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      line += source[position + i] == '\n';
    }
    position += count;
  }

  void skipSpace() {
    while (position < source.size()) {
      size_t next = position;
      if (!isSpace(nextCharacter(source, next))) {
        return;
      }
      advance(next - position);
    }
  }

  /// The tag's opening at `start`, or npos if there is none any more.
  size_t findTag(size_t start) const {
    for (size_t i = source.find('{', start); i != std::string::npos;
         i = source.find('{', i + 1)) {
      char next = i + 1 < source.size() ? source[i + 1] : '\0';
      if (next == '{' || next == '%' || next == '#') {
        return i;
      }
    }
    return std::string::npos;
  }

  /// Adds the text up to a tag. `sign` is the tag's: "-" strips all space
  /// before it, "+" none; otherwise a block or comment alone on its line loses
  /// its indent. Moves to the tag.
  void addText(size_t tag, char sign, bool isPrint) {
    std::string_view text =
        std::string_view(source).substr(position, tag - position);
    if (sign == '-') {
      text = strip(text, Side::right);
    } else if (sign != '+' && !isPrint) {
      size_t lineStart = text.rfind('\n') + 1; // npos + 1 is 0
      if ((lineStart > 0 || startsLine) &&
          strip(text.substr(lineStart), Side::both).empty()) {
        text = text.substr(0, lineStart);
      }
    }
    if (!text.empty()) {
      add(Token::data, std::string(text));
    }
    advance(tag - position);
  }

  void lexData() {
    size_t tag = findTag(position);
    if (tag == std::string::npos) {
      add(Token::data, source.substr(position));
      position = source.size();
      return;
    }
    char kind = source[tag + 1];
    char sign = tag + 2 < source.size() ? source[tag + 2] : '\0';
    addText(tag, sign, kind == '{');
    advance(sign == '-' || sign == '+' ? 3 : 2);
    startsLine = false;
    if (kind == '#') {
      lexComment();
    } else if (kind == '%' && atRaw()) {
      lexRaw();
    } else {
      lexTag(kind == '{');
    }
  }

  /// Moves past the end of a block or comment, whose sign and closing start
  /// here.
  void endBlock(size_t signLength, bool strips, bool keepsNewline) {
    advance(signLength + 2);
    startsLine = source[position - 1] == '\n';
    if (strips) {
      skipSpace();
      startsLine = source[position - 1] == '\n';
    } else if (!keepsNewline && peek() == '\n') {
      advance(1);
      startsLine = true;
    }
  }

  void lexComment() {
    size_t close = source.find("#}", position);
    if (close == std::string::npos) {
      failAt(line, "this comment has no end: '#}' is missing");
    }
    char sign = close > position ? source[close - 1] : '\0';
    advance(close - position);
    endBlock(0, sign == '-', sign == '+');
  }

  size_t spaceEnd(size_t start) const {
    size_t end = start;
    while (end < source.size() && isSpace(nextCharacter(source, end))) {
      start = end;
    }
    return start;
  }

  /// Returns where the closing of a tag that holds nothing but `word` starts,
  /// its sign included; npos if what follows `start` is not that.
  size_t closingOf(std::string_view word, size_t start) const {
    size_t at = spaceEnd(start);
    if (source.compare(at, word.size(), word) != 0) {
      return std::string::npos;
    }
    at = spaceEnd(at + word.size());
    size_t signs =
        at < source.size() && (source[at] == '-' || source[at] == '+');
    return source.compare(at + signs, 2, "%}") == 0 ? at : std::string::npos;
  }

  bool atRaw() const {
    size_t closing = closingOf("raw", position);
    return closing != std::string::npos && source[closing] != '+';
  }

  /// Text up to `endraw`, tags in it included.
  void lexRaw() {
    advance(closingOf("raw", position) - position);
    bool strips = peek() == '-';
    endBlock(strips, strips, /*keepsNewline=*/true);
    size_t tag = source.find("{%", position);
    for (; tag != std::string::npos; tag = source.find("{%", tag + 1)) {
      char sign = tag + 2 < source.size() ? source[tag + 2] : '\0';
      bool isSigned = sign == '-' || sign == '+';
      size_t closing = closingOf("endraw", tag + 2 + isSigned);
      if (closing != std::string::npos) {
        addText(tag, sign, /*isPrint=*/false);
        advance(closing - tag);
        bool isClosingSigned = peek() == '-' || peek() == '+';
        endBlock(isClosingSigned, peek() == '-', peek() == '+');
        return;
      }
    }
    failAt(line, "this raw block has no end: '{% endraw %}' is missing");
  }

  void lexTag(bool isPrint) {
    add(isPrint ? Token::printBegin : Token::blockBegin, "");
    std::vector<char>
        open; // closings expected; while there are any, "}}" is two of them
    for (;;) {
      skipSpace();
      if (position >= source.size()) {
        failAt(line, isPrint ? "'}}' is missing" : "'%}' is missing");
      }
      if (open.empty() && atTagEnd(isPrint)) {
        return;
      }
      lexToken(open);
    }
  }

  bool atTagEnd(bool isPrint) {
    std::string_view close = isPrint ? "}}" : "%}";
    bool strips = peek() == '-' && source.compare(position + 1, 2, close) == 0;
    bool keeps = !isPrint && peek() == '+' &&
                 source.compare(position + 1, 2, close) == 0;
    if (!strips && !keeps && !at(close)) {
      return false;
    }
    add(isPrint ? Token::printEnd : Token::blockEnd, "");
    endBlock(strips || keeps, strips, keeps || isPrint);
    return true;
  }

  void lexToken(std::vector<char> &open) {
    char c = peek();
    if (isDigit(c)) {
      lexNumber();
    } else if (c == '\'' || c == '"') {
      lexString(c);
    } else if (!lexName()) {
      lexSymbol(open);
    }
  }

  /// Digits with single underscores inside, from `start`; their end.
  size_t digitsEnd(size_t start) const {
    size_t end = start;
    while (end < source.size() &&
           (isDigit(source[end]) ||
            (source[end] == '_' && end > start && end + 1 < source.size() &&
             isDigit(source[end + 1])))) {
      ++end;
    }
    return end;
  }

  void lexNumber() {
    if (peek() == '0' &&
        (std::isalpha(static_cast<unsigned char>(peek(1))) != 0 &&
         peek(1) != 'e' && peek(1) != 'E')) {
      unsupportedAt(line, "a number that is not decimal");
    }
    size_t whole = digitsEnd(position);
    size_t end = whole;
    bool afterDot =
        position > 0 && source[position - 1] == '.'; // x.0.1 is two subscripts
    if (!afterDot && end + 1 < source.size() && source[end] == '.' &&
        isDigit(source[end + 1])) {
      end = digitsEnd(end + 1);
    }
    if (!afterDot && end < source.size() &&
        (source[end] == 'e' || source[end] == 'E')) {
      size_t digits = end + 1;
      digits += digits < source.size() &&
                (source[digits] == '+' || source[digits] == '-');
      if (digits < source.size() && isDigit(source[digits])) {
        end = digitsEnd(digits);
      }
    }
    std::string text = source.substr(position, end - position);
    add(end == whole ? Token::integer : Token::floating, text);
    if (end == whole) {
      auto value = parseInteger(text, 10);
      if (!value) {
        failAt(line, "an integer has more than " +
                         std::to_string(maximumDigits) + " digits");
      }
      if (text[0] == '0' && *value != 0) {
        failAt(line, "an integer must not start with 0");
      }
      tokens.back().integerValue = *value;
    } else {
      tokens.back().floatValue = *parseFloat(text);
    }
    advance(end - position);
  }

  bool lexName() {
    size_t end = position;
    while (end < source.size()) {
      size_t next = end;
      char32_t c = nextCharacter(source, next);
      // \w: letters, numbers, underscore
      auto category = utf8proc_category(utf8proc_int32_t(c));
      bool isWord = c == '_' ||
                    (category >= UTF8PROC_CATEGORY_LU &&
                     category <= UTF8PROC_CATEGORY_LO) ||
                    (category >= UTF8PROC_CATEGORY_ND &&
                     category <= UTF8PROC_CATEGORY_NO);
      if (!isWord) {
        break;
      }
      end = next;
    }
    if (end == position) {
      return false;
    }
    std::string text = source.substr(position, end - position);
    if (std::any_of(text.begin(), text.end(), [](char c) {
          return static_cast<unsigned char>(c) >= 0x80;
        })) {
      unsupportedAt(line, "the name '" + text + "' with letters beyond ASCII");
    }
    add(Token::name, std::move(text));
    position = end;
    return true;
  }

  void lexString(char quote) {
    std::string text;
    size_t i = position + 1;
    for (; i < source.size() && source[i] != quote; ++i) {
      if (source[i] == '\\') {
        i = resolveEscape(i + 1, text);
      } else {
        text += source[i];
      }
    }
    if (i >= source.size()) {
      failAt(line, "this string has no end");
    }
    add(Token::string, std::move(text));
    advance(i + 1 - position);
  }

  /// Appends what the escape whose letter is at `i` means; the escape's last
  /// position.
  size_t resolveEscape(size_t i, std::string &text) {
    static constexpr std::string_view letters = "abfnrtv\\'\"";
    static constexpr std::string_view meanings = "\a\b\f\n\r\t\v\\'\"";
    char letter = i < source.size() ? source[i] : '\0';
    size_t simple = letters.find(letter);
    if (letter != '\0' && simple != std::string_view::npos) {
      text += meanings[simple];
      return i;
    }
    if (letter == '\n') {
      return i;
    }
    size_t digits = letter == 'x'   ? 2
                    : letter == 'u' ? 4
                    : letter == 'U' ? 8
                                    : 0;
    if (digits > 0) {
      char32_t value = 0;
      for (size_t k = 1; k <= digits; ++k) {
        char c = i + k < source.size() ? source[i + k] : '\0';
        if (!std::isxdigit(static_cast<unsigned char>(c))) {
          failAt(line, std::string("the escape '\\") + letter + "' needs " +
                           std::to_string(digits) + " hex digits");
        }
        value =
            value * 16 + char32_t(isDigit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
      }
      if (value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) {
        failAt(line, std::string("the escape '\\") + letter +
                         "' is no Unicode character");
      }
      appendCharacter(text, value);
      return i + digits;
    }
    if (letter == 'N' || (letter >= '0' && letter <= '7')) {
      unsupportedAt(line, std::string("the escape '\\") + letter + "'");
    }
    // Python leaves what it does not know
    text += '\\';
    if (letter != '\0') {
      text += letter;
    }
    return i;
  }

  void lexSymbol(std::vector<char> &open) {
    static const char *const symbols[] = {
        "**", "//", "==", "!=", "<=", ">=", "(", ")", "[", "]", "{", "}", ",",
        ":",  ".",  "|",  "=",  "<",  ">",  "+", "-", "*", "/", "%", "~", ";"};
    for (const char *each : symbols) {
      if (!at(each)) {
        continue;
      }
      std::string text = each;
      char c = text[0];
      if (c == '(' || c == '[' || c == '{') {
        open.push_back(c == '(' ? ')' : c == '[' ? ']' : '}');
      } else if (c == ')' || c == ']' || c == '}') {
        if (open.empty() || open.back() != c) {
          failAt(line, "unexpected '" + text + "'" +
                           (open.empty() ? ""
                                         : std::string(", '") + open.back() +
                                               "' is still missing"));
        }
        open.pop_back();
      }
      add(Token::symbol, text);
      advance(text.size());
      return;
    }
    size_t next = position;
    nextCharacter(source, next);
    failAt(line,
           "unexpected character " + inQuotes(std::string_view(source).substr(
                                         position, next - position)));
  }

  std::string source;
  size_t position = 0;
  int line = 1;
  bool startsLine =
      true; ///< the last tag ended with a newline, or there was none yet
  std::vector<Token> tokens;
};

} // namespace

std::vector<Token> tokenize(std::string_view source) {
  return Lexer(source).run();
}

} // namespace cheems::jinja
