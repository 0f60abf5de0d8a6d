// Regular expressions of JSON schemas (ECMAScript's), as automata over
// characters.
#ifndef CHEEMS_RUNTIME_GRAMMAR_PATTERN_H
#define CHEEMS_RUNTIME_GRAMMAR_PATTERN_H

#include "runtime/Grammar/CharacterSet.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cheems::grammar {

/// Matches whole texts: where an expression has no anchors, anything may be
/// around what it finds.
struct Pattern {
  struct Node {
    enum Kind : uint8_t {
      characters, ///< one of `set`, then `next`
      split,      ///< `next` or `other`
      begin,      ///< `next`, where the text begins
      end,        ///< `next`, where the text ends
      ahead,      ///< `next`, where what begins at `other` follows
      notAhead,   ///< `next`, where it does not
      accept,
    } kind;
    uint32_t next = 0, other = 0;
    uint32_t set = 0; ///< in `sets`
  };
  std::vector<Node> nodes;
  std::vector<CharacterSet> sets;
  uint32_t start = 0;
};

/// Matches these texts and no others; nothing may be around them.
Pattern patternOfTexts(const std::vector<std::string> &texts);

/// Throws Error(usage) for an expression that is malformed, too large, or not
/// regular; `what` begins the message. Where ECMAScript and Python take a class
/// for different characters, those of both are in it.
Pattern parsePattern(const std::string &text, const std::string &what);

} // namespace cheems::grammar

#endif
