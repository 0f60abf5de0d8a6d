// What a rule says of a string's characters, as a deterministic automaton: so a
// text is read in one way, and lengths multiply few states.
#ifndef CHEEMS_RUNTIME_GRAMMAR_STRINGTABLE_H
#define CHEEMS_RUNTIME_GRAMMAR_STRINGTABLE_H

#include "runtime/Grammar/JsonText.h"

namespace cheems::grammar {

class StringTable {
public:
  static constexpr int64_t endless = INT64_MAX;

  struct State {
    bool accepts = false;  ///< the text may end here
    bool anything = false; ///< and go on in any way
    std::vector<std::pair<CharacterSet, uint32_t>> next = {};
    /// Characters of the texts that lead from here to an end. None does where
    /// `shortest` is endless.
    int64_t shortest = endless, longest = endless;
  };

  /// The lengths of the rule are not looked at.
  StringTable(const StringRule &rule, const std::function<void()> &spend);

  /// Whether all texts are those of the rule. If not, they are some of the
  /// shorter ones: states are made in the order of the lengths at which they
  /// are met, until there are too many.
  bool complete() const { return whole; }
  bool hasText() const { return states[0].shortest != endless; }
  /// The first is where a string begins. What leads to no end is left out.
  const std::vector<State> &all() const { return states; }

private:
  void measure();

  std::vector<State> states;
  bool whole = true;
};

} // namespace cheems::grammar

#endif
