//===- Cursor.h - Where a parser is in its tokens ---------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_PTX_CURSOR_H
#define CHEEMS_EMULATOR_PTX_CURSOR_H

#include "Lexer.h"

#include <initializer_list>

namespace cheems::emulator::ptx {

class Cursor {
public:
  explicit Cursor(std::string_view text) : tokens(tokenize(text)) {}

  const Token &peek(size_t ahead = 0) const;
  bool at(Token::Kind kind) const { return peek().kind == kind; }
  bool at(std::string_view text) const { return peek().is(text); }
  Location location() const { return peek().location; }

  const Token &take();
  bool accept(std::string_view text);
  /// `where` ends the sentence: "after an operand".
  void expect(std::string_view text, std::string_view where);
  /// `what` is a noun with its article: "the name of a variable".
  const Token &expect(Token::Kind kind, std::string_view what);

  /// "'x' stands where ... is expected", at the token that comes next.
  [[noreturn]] void refuseNext(std::string_view expected) const;

private:
  std::vector<Token> tokens;
  size_t position = 0;
};

/// Text as messages quote it: cut where it is long.
std::string quoted(std::string_view text);

} // namespace cheems::emulator::ptx

#endif
