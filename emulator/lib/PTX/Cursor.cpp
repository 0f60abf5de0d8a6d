//===- Cursor.cpp ---------------------------------------------------------===//
#include "Cursor.h"

#include <algorithm>

namespace cheems::emulator::ptx {

const Token &Cursor::peek(size_t ahead) const {
  return tokens[std::min(position + ahead, tokens.size() - 1)];
}

const Token &Cursor::take() {
  const Token &token = peek();
  if (token.kind != Token::Kind::end) {
    ++position;
  }
  return token;
}

bool Cursor::accept(std::string_view text) {
  if (!at(text)) {
    return false;
  }
  take();
  return true;
}

void Cursor::expect(std::string_view text, std::string_view where) {
  if (!accept(text)) {
    refuseNext(quoted(text) + " " + std::string(where));
  }
}

const Token &Cursor::expect(Token::Kind kind, std::string_view what) {
  if (!at(kind)) {
    refuseNext(what);
  }
  return take();
}

void Cursor::refuseNext(std::string_view expected) const {
  std::string next =
      at(Token::Kind::end) ? "the text ends" : quoted(peek().text) + " stands";
  refuse(location(), next + " where " + std::string(expected) + " is expected");
}

std::string quoted(std::string_view text) {
  constexpr size_t longest = 60;
  std::string shown(text.substr(0, longest));
  for (char &c : shown) {
    if (c == '\n') {
      c = ' ';
    }
  }
  return "'" + shown + (text.size() > longest ? "..." : "") + "'";
}

} // namespace cheems::emulator::ptx
