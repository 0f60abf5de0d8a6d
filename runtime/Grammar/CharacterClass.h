// Classes of characters that patterns name.
#ifndef CHEEMS_RUNTIME_GRAMMAR_CHARACTERCLASS_H
#define CHEEMS_RUNTIME_GRAMMAR_CHARACTERCLASS_H

#include "runtime/Grammar/CharacterSet.h"

#include <optional>
#include <string_view>

namespace cheems::grammar {

/// What a class surely has, and what it may have: \w is not the same in all
/// languages.
struct CharacterClass {
  CharacterSet sure, possible;

  static CharacterClass exactly(uint32_t first, uint32_t final);
  /// Returns the class of \d, \s or \w.
  static CharacterClass named(char letter);
  /// Returns the class of a general category of Unicode, by its short or its
  /// long name, as in \p{Lu}; none: there is no such name. What Unicode has
  /// changed since its version 14, or has not assigned, is not sure. `anyCase`:
  /// nor are letters of another case.
  static std::optional<CharacterClass> category(std::string_view name,
                                                bool anyCase);

  void add(const CharacterClass &other) {
    sure.add(other.sure);
    possible.add(other.possible);
  }
  CharacterClass negated() const {
    return {possible.negated(), sure.negated()};
  }
  bool isExact() const { return sure == possible; }
  /// The class surely has both cases of ASCII letters, of others possibly.
  CharacterClass inAnyCase() const;
};

} // namespace cheems::grammar

#endif
