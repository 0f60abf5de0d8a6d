// A cursor over text that a person wrote, with errors that say where they are.
#ifndef CHEEMS_RUNTIME_GRAMMAR_SOURCETEXT_H
#define CHEEMS_RUNTIME_GRAMMAR_SOURCETEXT_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cheems::grammar {

class SourceText {
public:
  /// Throws Error(usage) for text that is too large or not UTF-8. `what` begins
  /// every message.
  SourceText(std::string_view text, std::string what);

  bool done() const { return at == text.size(); }
  /// The next byte, or 0 at the end.
  char peek() const { return done() ? '\0' : text[at]; }
  bool ahead(std::string_view expected) const {
    return text.substr(at, expected.size()) == expected;
  }
  bool accept(std::string_view expected);
  /// The next character. There must be one.
  uint32_t character();
  /// The number that this many hexadecimal digits are.
  uint32_t hexadecimal(int digits);
  /// A decimal number, of 9 digits at most.
  int64_t number();
  size_t offset() const { return at; }
  std::string_view since(size_t begin) const {
    return text.substr(begin, at - begin);
  }
  void back(size_t offset) { at = offset; }

  /// Throws Error(usage) with line and column, both from 1; a column counts
  /// characters.
  [[noreturn]] void fail(const std::string &message) const;
  /// The next character, or the end, for messages.
  std::string shown() const;

private:
  std::string_view text;
  std::string what;
  size_t at = 0;
};

} // namespace cheems::grammar

#endif
