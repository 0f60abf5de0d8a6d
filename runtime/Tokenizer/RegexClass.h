// Character classes of Oniguruma's expressions, as sets and as what PCRE2
// reads.
#ifndef CHEEMS_RUNTIME_TOKENIZER_REGEXCLASS_H
#define CHEEMS_RUNTIME_TOKENIZER_REGEXCLASS_H

#include "runtime/Tokenizer/CodePoints.h"

#include <optional>
#include <string>
#include <string_view>

namespace cheems {

/// Whose character properties an expression is translated to.
enum class RegexProperties {
  native, ///< PCRE2's, with what its Unicode lacks: they are faster. Right for
          ///< a PCRE2 that knows Unicode 14 to 16.
  listed, ///< every character is listed: right for any PCRE2
  latin,  ///< the first 256 alone are listed, which PCRE2 looks up in a bitmap:
          ///< right, and the fastest, for texts that hold no others
};

/// A set of characters and the members of a PCRE2 class that has just those.
struct RegexClass {
  CodePoints set;
  std::string members;

  static RegexClass of(CodePoints set);
  /// `native` are properties that hold every character of `set` which is as in
  /// Unicode 14 and none outside it.
  static RegexClass of(CodePoints set, std::string_view native,
                       RegexProperties properties);

  void add(const RegexClass &other);
  RegexClass negated() const { return of(~set); }

  /// \s, \w in a class and outside it (where Oniguruma also takes the Latin-1
  /// superscripts and fractions), \d, \h.
  static RegexClass space(RegexProperties properties);
  static RegexClass notSpace(RegexProperties properties);
  static RegexClass word(bool inBrackets, RegexProperties properties);
  static RegexClass digit(RegexProperties properties);
  static RegexClass hexadecimal();

  /// What stands in \p{}: a general category, a script or a POSIX name, in any
  /// case, with or without '_', ' ', '-'; nothing for other names.
  static std::optional<RegexClass> property(std::string_view name,
                                            RegexProperties properties);
  /// What stands in [: :].
  static std::optional<RegexClass> posix(std::string_view name,
                                         RegexProperties properties);
};

} // namespace cheems

#endif
