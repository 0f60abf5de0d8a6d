// Runs a compiled grammar over bytes. What is reached often is found once: sets
// of places in the grammar become states, like those of a deterministic
// automaton, made when they are first reached.
//
// A place is a node and the stack of nodes to return to. The part of their
// stacks that all places of a set have in common, at the bottom, is no part of
// the state: so a state is the same wherever the text stands, say within any
// string.
#ifndef CHEEMS_RUNTIME_GRAMMAR_AUTOMATON_H
#define CHEEMS_RUNTIME_GRAMMAR_AUTOMATON_H

#include "runtime/Grammar/CompiledGrammar.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cheems::grammar {

/// What one token of a text may take: who makes a grammar that can be read in
/// thousands of ways gets an error, not a hang. Work is counted in steps of
/// about 10 ns: an edge that is known is one, a place that is new takes
/// `placeSteps`.
inline constexpr size_t maximumPlaces = 4096;
inline constexpr size_t maximumWork = size_t(1) << 24;
inline constexpr size_t placeSteps = 8;
/// This bounds the work for one edge that is new, which is made in one go.
inline constexpr size_t maximumEdgeWork = size_t(1) << 17;

/// What is kept of an automaton: places and edges, of 16 bytes, and stacks.
/// After a token half of the places, or a quarter of the stacks, is enough to
/// begin anew.
inline constexpr size_t maximumKept = size_t(1) << 21;
inline constexpr size_t maximumStacks = size_t(1) << 18;

class Automaton {
public:
  using StateId = uint32_t;
  using StackId = uint32_t;
  /// No text goes on from this state.
  static constexpr StateId dead = 0;

  /// A state, and what is below its places.
  struct Position {
    StateId state = dead;
    StackId base = 0;
  };

  explicit Automaton(std::shared_ptr<const Grammar> grammar);

  Position start() const { return first; }
  /// After one more byte. Throws Error(usage) for a grammar that is too
  /// ambiguous.
  Position step(Position from, uint8_t byte) {
    return settle(move(from, byte));
  }
  /// How this step begins a list whose items must differ, in at least one
  /// reading of the text; Node::none if it does not. The step was taken before.
  Node::Mark opens(Position from, uint8_t byte) const {
    return from.state == dead
               ? Node::none
               : states[from.state].next[grammar->classOf[byte]].opens;
  }
  /// Whether a reading has at least `manyTexts` ways to the end of the item
  /// that the position is in, of the outermost list whose items must differ.
  /// `inScalar`: it is in a number, true, false or null.
  bool hasManyItems(Position from, bool inScalar) const;
  /// The same as `step`, but with a base of which nothing is known: what
  /// returns to it stays as it is, for `settle`. Only states with `returns` do.
  Position move(Position from, uint8_t byte) {
    if (from.state == dead) {
      return {};
    }
    uint8_t kind = grammar->classOf[byte];
    const Edge &edge = states[from.state].next[kind];
    return follow(from, edge.known ? edge : makeEdge(from.state, kind));
  }
  /// After what `move` gave, with the base put under it.
  Position settle(Position position);
  /// `above` was reached from an empty base; the same from `base`.
  StackId concatenate(StackId above, StackId base);

  /// Whether a rule that the base continues is complete; with an empty base,
  /// the text is.
  bool returns(StateId state) const { return states[state].returns; }
  /// Whether no byte can follow within the state.
  bool complete(StateId state) const { return states[state].places.empty(); }
  int depth(StackId stack) const { return stacks[stack].depth; }

  /// Begins the count of work of one token.
  void beginStep() { work = 0; }
  /// Since then.
  size_t worked() const { return work; }
  /// Throws Error(usage) for more than a token may take.
  void spend(size_t steps) {
    work += steps;
    if (work > maximumWork) {
      tooMuchWork();
    }
  }
  /// The depth that texts needed since this was last asked.
  int takeDeepest() { return std::exchange(deepest, 0); }
  /// Whether so much was kept that a new automaton is better.
  bool large() const {
    return kept > maximumKept / 2 || stacks.size() > maximumStacks / 4;
  }
  /// About what it takes of memory beside the grammar.
  size_t bytes() const {
    // with the tables by which each is found
    constexpr size_t perKept = 16, perState = 160, perStack = 64;
    return kept * perKept + states.size() * perState +
           (stacks.size() + returned.size()) * perStack;
  }
  /// Returns this automaton's position for one of another automaton of the same
  /// grammar.
  Position adopt(const Automaton &other, Position position);

private:
  /// A node with the stack above the state's base.
  using Place = std::pair<NodeId, StackId>;
  struct Edge {
    StateId state = dead;
    StackId push = 0;  ///< what goes onto the base
    uint16_t need = 0; ///< how much deeper than the base the text must get
    bool known = false;
    Node::Mark opens = Node::none;
  };
  struct State {
    std::vector<Place> places; ///< in order; each waits for a byte
    bool returns = false;
    std::vector<Edge> next; ///< by class of byte
  };
  struct Stack {
    NodeId top;
    StackId below;
    int depth;
  };

  Position follow(Position from, const Edge &edge) {
    int depth = stacks[from.base].depth + edge.need;
    deepest = std::max(deepest, depth);
    // no text could end where one of this depth went
    if (edge.state == dead || depth > maximumDepth) {
      return {};
    }
    return {edge.state,
            edge.push ? concatenate(edge.push, from.base) : from.base};
  }
  Edge makeEdge(StateId from, uint8_t kind);
  [[noreturn]] static void tooMuchWork();
  void checkSize() const;
  StackId push(StackId below, NodeId top);
  /// The places that are reached from `work` without a byte.
  Edge close(std::vector<Place> reached);
  StateId intern(State state);

  std::shared_ptr<const Grammar> grammar;
  std::vector<State> states;
  std::vector<Stack> stacks;
  std::unordered_map<uint64_t, StackId> stackIds;
  std::unordered_multimap<uint64_t, StateId> stateIds;
  std::unordered_map<uint64_t, Edge> returned; ///< by state and node
  Position first;
  size_t work = 0;
  int deepest = 0;
  size_t kept = 0; ///< places and edges
};

} // namespace cheems::grammar

#endif
