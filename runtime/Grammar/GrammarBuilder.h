// Makes compiled grammars: each function makes what comes before a node that
// exists, so texts are built from their ends.
#ifndef CHEEMS_RUNTIME_GRAMMAR_GRAMMARBUILDER_H
#define CHEEMS_RUNTIME_GRAMMAR_GRAMMARBUILDER_H

#include "runtime/Grammar/CharacterSet.h"
#include "runtime/Grammar/CompiledGrammar.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace cheems::grammar {

/// What a grammar or a schema may be at most. What is larger is refused by
/// name: grammars come from strangers.
inline constexpr size_t maximumText = size_t(1) << 20;
inline constexpr size_t maximumNodes = size_t(1) << 18;
inline constexpr size_t maximumBuildWork = size_t(1) << 22;
inline constexpr size_t maximumRules = size_t(1) << 14;
inline constexpr int64_t maximumRepetition = 65536;
inline constexpr int maximumNesting = 64;

class GrammarBuilder {
public:
  using RuleId = uint32_t;

  /// One byte of [low, high], then `next`.
  NodeId bytes(uint8_t low, uint8_t high, NodeId next);
  NodeId literal(std::string_view text, NodeId next);
  /// The bracket of a JSON list whose items must differ, which `next` does not
  /// say; `tuple`: its first items are listed.
  NodeId distinctList(bool tuple, NodeId next);
  /// Returns, for such a list, what each item, which is a call of a rule, is
  /// followed by.
  NodeId endOfItem(NodeId next);
  /// Requires for such a list that so many items, which begin at the node, must
  /// differ. `finish` throws Error(usage) with `why` where there are not so
  /// many.
  void requireTexts(NodeId item, int64_t minimum, std::string why);
  /// A space that changes no value, then `next`.
  NodeId blank(NodeId next);
  /// One character of the set, in UTF-8. The set must not be empty.
  NodeId characters(const CharacterSet &set, NodeId next);
  /// One of these texts; at least one. What they begin with in common is there
  /// once, so a text is read in one way however many there are.
  NodeId texts(std::vector<std::string> all, NodeId next);
  /// One of these; at least one.
  NodeId either(const std::vector<NodeId> &choices);
  NodeId call(RuleId rule, NodeId next);
  /// A node that `become` makes the same as others later: for loops.
  NodeId placeholder();
  void become(NodeId placeholder, NodeId same);

  /// `part` [minimum, maximum] times, then `next`; no maximum: any number.
  NodeId repeat(const std::function<NodeId(NodeId)> &part, int64_t minimum,
                std::optional<int64_t> maximum, NodeId next);

  /// Counts work, for what makes a grammar and its parts. Throws Error(usage)
  /// where it is more than a grammar may take.
  void spend(size_t steps = 1);

  /// The work so far.
  size_t worked() const { return work; }
  /// Throws Error(usage) for what would have too many.
  [[noreturn]] static void refuseStates();

  /// `name` is what messages call it.
  RuleId declare(std::string name);
  void define(RuleId rule, NodeId start);

  /// Whether some text ends from the node.
  bool hasText(NodeId node) const;
  /// Nodes so far.
  size_t size() const { return nodes.size(); }

  /// Throws Error(usage) naming rules that begin with themselves, and a root
  /// that no text ends: with `whyNothing`, if that is known.
  std::shared_ptr<const Grammar> finish(RuleId root,
                                        const std::string &whyNothing = "");

private:
  struct Rule {
    std::string name;
    NodeId start = 0;
  };

  /// The least number of items of a list without repeats.
  struct Minimum {
    NodeId item;
    int64_t count;
    std::string why;
  };

  NodeId add(const Node &node);
  NodeId textsFrom(const std::vector<std::string> &all, size_t begin,
                   size_t end, size_t at, NodeId next);
  NodeId utf8(uint32_t first, uint32_t final, NodeId next);
  std::vector<bool> nullable() const;
  void refuseLeftRecursion() const;
  void findNeeds(Grammar &made) const;
  void findClasses(Grammar &made) const;
  /// Returns, for each node, those that it is reached from.
  std::vector<std::vector<NodeId>> predecessors() const;

  std::vector<Node> nodes = {Node()};
  std::vector<Rule> rules;
  size_t work = 0;      ///< also for nodes that were there already
  size_t paidNodes = 0; ///< whose memory was taken of the thread's work
  std::map<std::tuple<uint8_t, uint8_t, NodeId>, NodeId> byteNodes;
  std::map<NodeId, NodeId> blanks; ///< by what follows
  std::vector<Minimum> minimums;
};

} // namespace cheems::grammar

#endif
