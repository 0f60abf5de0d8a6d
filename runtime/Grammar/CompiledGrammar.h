// A grammar as it is run: nodes of one automaton per rule, over bytes, that
// call each other.
#ifndef CHEEMS_RUNTIME_GRAMMAR_COMPILEDGRAMMAR_H
#define CHEEMS_RUNTIME_GRAMMAR_COMPILEDGRAMMAR_H

#include "runtime/Grammar/Grammar.h"

#include <array>
#include <cstdint>
#include <vector>

namespace cheems {

namespace grammar {

using NodeId = uint32_t;

struct Node {
  enum Kind : uint8_t {
    end,   ///< the rule is complete
    bytes, ///< one byte of [low, high], then `next`
    split, ///< `next` or `other`, without a byte
    call,  ///< the rule that begins at `other`, then `next`
  } kind = end;
  uint8_t low = 0, high = 0;
  enum Mark : uint8_t {
    none,
    opensDistinct, ///< the bracket of a JSON list whose items must differ
    opensTuple,    ///< the same, and its first items are listed
    endsItem,      ///< where the rules of its items return to
    blank,         ///< white space that changes no value
  } mark = none;
  NodeId next = 0, other = 0;
};

/// The one node where every rule ends.
inline constexpr NodeId endNode = 0;

/// How deep rules may be inside each other. A text that could not end within
/// this depth is not one of the grammar.
inline constexpr int maximumDepth = 512;
inline constexpr uint32_t manyTexts = 1024;
/// The need of a node from which no text ends.
inline constexpr uint16_t endless = UINT16_MAX;

} // namespace grammar

class Grammar {
public:
  std::vector<grammar::Node> nodes;
  grammar::NodeId start = 0;
  /// Per node: how deep rules must be inside each other, from there to the end
  /// of its rule, in the shallowest text; `endless` where none ends.
  std::vector<uint16_t> need;
  /// Bytes that no node tells apart have one class, of which `sample` has one.
  std::array<uint8_t, 256> classOf = {};
  std::vector<uint8_t> sample;
  /// Whether there are lists whose items must differ. Then `texts` has of each
  /// node how many lead from there to the end of its rule, at most `manyTexts`.
  /// Blanks do not count, and of such a list at most one further item.
  bool hasDistinct = false;
  std::vector<uint16_t> texts;
};

} // namespace cheems

#endif
