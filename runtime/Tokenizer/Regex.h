// Regular expressions of tokenizer.json: Oniguruma's language (Ruby syntax,
// Unicode), run by PCRE2.
//
// Expressions are translated where the two engines read the same text
// differently (\s, \w, \h, classes in classes, {,n}) and refused by name where
// they cannot be made to agree. Properties are those of Unicode 16, whatever
// version PCRE2 knows. Texts of the first 256 characters alone have a program
// of their own, several times as fast, with the same matches.
#ifndef CHEEMS_RUNTIME_TOKENIZER_REGEX_H
#define CHEEMS_RUNTIME_TOKENIZER_REGEX_H

#include "runtime/Tokenizer/Json.h"
#include "runtime/Tokenizer/RegexClass.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cheems {

/// A byte range [begin, end) of a text.
struct TextSpan {
  size_t begin, end;
};

class Regex {
public:
  /// Compiles `expression`; `where` starts error messages ("tokenizer.json:
  /// pre_tokenizer").
  static Regex oniguruma(const std::string &expression,
                         const std::string &where);
  static Regex oniguruma(const std::string &expression,
                         const std::string &where, RegexProperties properties);
  /// Matches one character of `set`.
  static Regex anyOf(const CodePoints &set, const std::string &where);
  /// Matches exactly `text`.
  static Regex literal(const std::string &text, const std::string &where);
  /// A pattern of tokenizer.json: {"Regex": expression} or {"String": text}.
  static Regex fromPattern(const tokenizer_json::Json &pattern,
                           const std::string &where);

  /// Fills `matches` with the successive matches in `text`, which must be valid
  /// UTF-8. They do not overlap; an empty match directly after another match
  /// is skipped. Throws Error when the expression backtracks without end. Safe
  /// to call from several threads.
  void findAll(std::string_view text, std::vector<TextSpan> &matches) const;

private:
  struct Compiled;
  Regex(const std::string &pcre, const std::string &latin, unsigned options,
        const std::string &source, const std::string &where);
  std::shared_ptr<const Compiled> compiled;
};

/// The PCRE2 expression that means what `expression` means to Oniguruma. Throws
/// Error(unsupported) naming the construct that has no equivalent.
std::string translateRegex(const std::string &expression,
                           const std::string &where,
                           RegexProperties properties);

} // namespace cheems

#endif
