// Cuts a template into text and the tokens of its tags, with Jinja's rules for
// the white space around them.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_LEXER_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_LEXER_H

#include "runtime/ChatTemplate/BigInteger.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cheems::jinja {

struct Token {
  enum Kind {
    data,       ///< text between tags, as it will be printed
    printBegin, ///< {{
    printEnd,   ///< }}
    blockBegin, ///< {%
    blockEnd,   ///< %}
    name,
    string, ///< with its escapes resolved
    integer,
    floating,
    symbol, ///< one of ( ) [ ] { } , : . | = == != < <= > >= + - * ** / // % ~
            ///< ;
    end,
  } kind;
  std::string text;
  int line;
  std::optional<BigInteger> integerValue = std::nullopt;
  double floatValue = 0;

  bool isName(std::string_view word) const {
    return kind == name && text == word;
  }
  bool isSymbol(std::string_view spelling) const {
    return kind == symbol && text == spelling;
  }
};

/// Comments are gone, `trim_blocks` and `lstrip_blocks` are on as in
/// transformers, one newline at the end is dropped. The last token is `end`.
/// Throws Error with the line.
std::vector<Token> tokenize(std::string_view source);

/// Throws Error "chat template, line N: message".
[[noreturn]] void failAt(int line, const std::string &message);
/// Throws Error(unsupported) "chat template, line N: `construct` is not
/// supported".
[[noreturn]] void unsupportedAt(int line, const std::string &construct);

} // namespace cheems::jinja

#endif
