//===- Lexer.h - PTX text as tokens -----------------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_PTX_LEXER_H
#define CHEEMS_EMULATOR_PTX_LEXER_H

#include "Syntax.h"

#include <string>
#include <string_view>
#include <vector>

namespace cheems::emulator::ptx {

struct Token {
  enum class Kind {
    end,
    identifier,  ///< also those with a percent sign: registers
    dotWord,     ///< `.reg`, `.v4`, `.shared::cta`, `.1d`: with the dot
    number,      ///< Literals.h reads it
    string,      ///< with its quotes
    punctuation, ///< one or two characters
  };
  Kind kind = Kind::end;
  std::string_view text; ///< part of the module's text
  Location location;

  /// No two kinds of tokens can have the same text.
  bool is(std::string_view expected) const { return text == expected; }
};

/// The tokens of a text, with one of kind `end` after them. Comments and white
/// space are left out. Throws Refusal for a character that starts no token.
std::vector<Token> tokenize(std::string_view text);

/// "column 7: " and the sentence, with the line.
[[noreturn]] void refuse(Location location, const std::string &what);

} // namespace cheems::emulator::ptx

#endif
