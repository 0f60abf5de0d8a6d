// UTF-8 as the tokenizer needs it: validation, one character at a time, and
// replacement of invalid bytes.
#ifndef CHEEMS_RUNTIME_TOKENIZER_UTF8_H
#define CHEEMS_RUNTIME_TOKENIZER_UTF8_H

#include <cstddef>
#include <string>
#include <string_view>

namespace cheems::utf8 {

/// What the bytes at the front of a string are.
struct Scan {
  enum Kind {
    character,  ///< one whole character of `length` bytes
    invalid,    ///< `length` bytes that no following byte can make valid
    incomplete, ///< the string ends inside a character that is valid so far
  } kind;
  size_t length;      ///< at least 1
  char32_t codepoint; ///< for `character`
};

/// Looks at the front of `text`, which must not be empty. Invalid runs are the
/// "maximal subparts" of the Unicode standard: each becomes one U+FFFD.
Scan scan(std::string_view text);

/// Offset of the first byte that is not part of valid UTF-8, or npos.
size_t firstInvalid(std::string_view text);

void append(std::string &out, char32_t codepoint);

/// Appends `bytes` with every invalid or cut-off run replaced by U+FFFD.
void appendLossy(std::string &out, std::string_view bytes);

/// The Unicode property White_Space.
bool isWhitespace(char32_t codepoint);

/// Offset of the character that ends at `offset` of valid text; offset > 0.
size_t previous(std::string_view text, size_t offset);

/// Throws Error naming the offset if `text` is not valid UTF-8. `what` starts
/// the message ("prompt").
void require(std::string_view text, const char *what);

} // namespace cheems::utf8

#endif
