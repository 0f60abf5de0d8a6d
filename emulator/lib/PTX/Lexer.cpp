//===- Lexer.cpp ----------------------------------------------------------===//
#include "Lexer.h"

#include "Support/Error.h"

#include <cstdio>

namespace cheems::emulator::ptx {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
/// What follows the first character of an identifier (PTX ISA, "Identifiers").
bool isFollow(char c) {
  return isLetter(c) || isDigit(c) || c == '_' || c == '$';
}

constexpr std::string_view pairs[] = {"<<", ">>", "&&", "||",
                                      "==", "!=", "<=", ">="};
constexpr std::string_view singles = "{}[]()<>,;:@=+-*/%!~&|^?";

class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) {}

  std::vector<Token> all() {
    std::vector<Token> tokens;
    do {
      tokens.push_back(next(tokens.empty() ? Token() : tokens.back()));
    } while (tokens.back().kind != Token::Kind::end);
    return tokens;
  }

private:
  char at(size_t ahead) const {
    return position + ahead < text.size() ? text[position + ahead] : '\0';
  }

  void advance(size_t characters) {
    for (; characters > 0; --characters, ++position) {
      if (text[position] == '\n') {
        ++here.line;
        here.column = 1;
      } else {
        ++here.column;
      }
    }
  }

  void skipSpace() {
    while (position < text.size()) {
      char c = at(0);
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' ||
          c == '\f') {
        advance(1);
      } else if (c == '/' && at(1) == '/') {
        size_t end = text.find('\n', position);
        advance((end == text.npos ? text.size() : end) - position);
      } else if (c == '/' && at(1) == '*') {
        size_t end = text.find("*/", position + 2);
        if (end == text.npos) {
          refuse(here, "a comment has no end");
        }
        advance(end + 2 - position);
      } else {
        return;
      }
    }
  }

  size_t followLength(size_t from) const {
    size_t length = from;
    while (isFollow(at(length))) {
      ++length;
    }
    return length;
  }

  /// A dot, a word, and words after `::`.
  size_t dotWordLength() const {
    size_t length = followLength(1);
    while (at(length) == ':' && at(length + 1) == ':' &&
           isFollow(at(length + 2))) {
      length = followLength(length + 2);
    }
    return length;
  }

  /// All characters that can belong to it: Literals.h says whether they are a
  /// number.
  size_t numberLength() const {
    size_t length = 0;
    bool hexadecimal =
        at(0) == '0' && (at(1) == 'x' || at(1) == 'X' || at(1) == 'f' ||
                         at(1) == 'F' || at(1) == 'd' || at(1) == 'D');
    while (true) {
      char c = at(length);
      bool exponent = !hexadecimal && (c == 'e' || c == 'E');
      if (exponent && (at(length + 1) == '+' || at(length + 1) == '-')) {
        length += 2;
      } else if (isFollow(c) || (c == '.' && !hexadecimal)) {
        ++length;
      } else {
        return length;
      }
    }
  }

  size_t stringLength() const {
    for (size_t length = 1; position + length < text.size(); ++length) {
      char c = at(length);
      if (c == '\\') {
        ++length;
      } else if (c == '"') {
        return length + 1;
      } else if (c == '\n') {
        break;
      }
    }
    refuse(here, "a string has no end");
  }

  Token make(Token::Kind kind, size_t length) {
    Token token{kind, text.substr(position, length), here};
    advance(token.text.size());
    return token;
  }

  Token next(const Token &before) {
    skipSpace();
    if (position == text.size()) {
      return make(Token::Kind::end, 0);
    }
    char c = at(0);
    if (isLetter(c)) {
      return make(Token::Kind::identifier, followLength(1));
    }
    if (c == '_' || c == '$' || (c == '%' && isFollow(at(1)))) {
      return make(Token::Kind::identifier, followLength(1));
    }
    if (c == '.') {
      // `.1d` is a modifier after an opcode or another modifier, and `.5` is a
      // number elsewhere.
      bool modifier = before.kind == Token::Kind::identifier ||
                      before.kind == Token::Kind::dotWord;
      if (isDigit(at(1)) && !modifier) {
        return make(Token::Kind::number, numberLength());
      }
      if (isFollow(at(1))) {
        return make(Token::Kind::dotWord, dotWordLength());
      }
    }
    if (isDigit(c)) {
      return make(Token::Kind::number, numberLength());
    }
    if (c == '"') {
      return make(Token::Kind::string, stringLength());
    }
    for (std::string_view pair : pairs) {
      if (text.substr(position, 2) == pair) {
        return make(Token::Kind::punctuation, 2);
      }
    }
    if (singles.find(c) != singles.npos) {
      return make(Token::Kind::punctuation, 1);
    }
    if (c > ' ' && c < 127) {
      refuse(here, std::string("'") + c + "' starts no token of PTX");
    }
    char code[8];
    std::snprintf(code, sizeof(code), "0x%02x", static_cast<unsigned char>(c));
    refuse(here, std::string("a byte ") + code + " starts no token of PTX");
  }

  std::string_view text;
  size_t position = 0;
  Location here{1, 1};
};

} // namespace

std::vector<Token> tokenize(std::string_view text) { return Lexer(text).all(); }

void refuse(Location location, const std::string &what) {
  throw Refusal(location.line,
                "column " + std::to_string(location.column) + ": " + what);
}

} // namespace cheems::emulator::ptx
