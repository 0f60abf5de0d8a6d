// Masks are made by one walk through the trie. What a walk finds does not
// depend on the base of the automaton's state, but for tokens that return to
// it: so large walks are kept by state, and go on from there with the base.
#include "runtime/Grammar/TokenConstraint.h"

#include "runtime/Error.h"
#include "runtime/Grammar/Automaton.h"
#include "runtime/Grammar/VocabularyTrie.h"

#include <algorithm>
#include <unordered_map>

namespace cheems {

using grammar::Automaton;
using Position = Automaton::Position;

namespace {

/// A walk of fewer nodes is made anew.
constexpr size_t walkWorthKeeping = 256;
/// Of kept masks, all together.
constexpr size_t maximumMaskBytes = size_t(1) << 25;

/// What a walk from a state found, whatever its base is.
struct Walk {
  /// Where a token returns to the base, in the middle or at its end.
  struct Return {
    uint32_t node;
    Automaton::StateId state;
  };
  int depth = 0; ///< what its tokens need above the base
  std::vector<uint32_t> mask;
  std::vector<Return> returns;
};

} // namespace

struct TokenConstraint::State {
  std::shared_ptr<const Grammar> grammar;
  std::shared_ptr<const VocabularyTrie> vocabulary;
  Automaton automaton;
  Position position;
  bool ended = false; ///< an end token came
  std::vector<int32_t> endTokens;
  std::vector<uint32_t> mask;
  /// By state, and whether the base is empty.
  std::unordered_map<uint64_t, Walk> walks;
  size_t walkBytes = 0;
  std::vector<Position> path; ///< by depth in the trie

  State(std::shared_ptr<const Grammar> of,
        std::shared_ptr<const VocabularyTrie> tokens)
      : grammar(std::move(of)), vocabulary(std::move(tokens)),
        automaton(grammar), position(automaton.start()),
        mask(vocabulary->words()), path(vocabulary->maximumDepth() + 1) {}

  bool mayEnd() const {
    return ended || (position.base == 0 && automaton.returns(position.state));
  }
  bool mustEnd() const {
    return ended || (mayEnd() && automaton.complete(position.state));
  }

  void allow(std::vector<uint32_t> &bits, uint32_t node) const {
    for (uint32_t at = vocabulary->firstToken(node);
         at != vocabulary->firstToken(node + 1); ++at) {
      auto token = static_cast<uint32_t>(vocabulary->token(at));
      bits[token / 32] |= uint32_t(1) << token % 32;
    }
  }

  /// Visits what goes on from `root`, where `from` is; returns how many nodes
  /// that were. With `returns`, the base is not known.
  size_t walk(uint32_t root, Position from, std::vector<uint32_t> &bits,
              std::vector<Walk::Return> *returns) {
    const auto &nodes = vocabulary->nodes();
    path[nodes[root].depth] = from;
    size_t visited = 0;
    for (uint32_t node = root + 1; node < nodes[root].end; ++visited) {
      const VocabularyTrie::Node &at = nodes[node];
      Position next = automaton.move(path[at.depth - 1], at.byte);
      if (next.state != Automaton::dead && automaton.returns(next.state)) {
        if (!returns) {
          next = automaton.settle(next);
        } else if (next.base == 0) {
          returns->push_back({node, next.state});
          node = at.end;
          continue;
        } else {
          next = automaton.settle(next);
          if (next.base == 0 && next.state != Automaton::dead &&
              automaton.returns(next.state)) {
            returns->push_back({node, next.state});
            node = at.end;
            continue;
          }
        }
      }
      if (next.state == Automaton::dead) {
        node = at.end;
        continue;
      }
      allow(bits, node);
      path[at.depth] = next;
      ++node;
    }
    return visited;
  }

  void resume(const Walk &kept) {
    mask = kept.mask;
    for (const Walk::Return &at : kept.returns) {
      Position there = automaton.settle({at.state, position.base});
      if (there.state != Automaton::dead) {
        allow(mask, at.node);
        walk(at.node, there, mask, nullptr);
      }
    }
  }

  bool hasRoomFor(const Walk &kept) const {
    return automaton.depth(position.base) + kept.depth <= grammar::maximumDepth;
  }

  void makeMask() {
    // below an empty base is nothing to return to: its walks are complete
    auto key = uint64_t(position.state) << 1 | (position.base == 0);
    auto kept = walks.find(key);
    if (kept != walks.end() && hasRoomFor(kept->second)) {
      return resume(kept->second);
    }
    Walk made;
    made.mask.resize(mask.size());
    automaton.takeDeepest();
    size_t visited = walk(0, {position.state, 0}, made.mask,
                          position.base == 0 ? nullptr : &made.returns);
    made.depth = automaton.takeDeepest();
    if (hasRoomFor(made)) {
      resume(made);
      if (kept == walks.end()) {
        keep(key, std::move(made), visited);
      }
      return;
    }
    std::fill(mask.begin(), mask.end(), 0);
    walk(0, position, mask, nullptr);
  }

  void keep(uint64_t key, Walk made, size_t visited) {
    size_t bytes = made.mask.size() * sizeof(uint32_t) +
                   made.returns.size() * sizeof(Walk::Return);
    if (visited >= walkWorthKeeping && walkBytes + bytes <= maximumMaskBytes) {
      walkBytes += bytes;
      walks.emplace(key, std::move(made));
    }
  }

  /// Forgets states that were made for texts that did not come.
  void tidy() {
    if (automaton.large() || walkBytes > maximumMaskBytes / 2) {
      Automaton fresh(grammar);
      position = fresh.adopt(automaton, position);
      automaton = std::move(fresh);
      walks.clear();
      walkBytes = 0;
    }
  }
};

TokenConstraint::TokenConstraint(
    std::shared_ptr<const Grammar> grammar,
    std::shared_ptr<const VocabularyTrie> vocabulary)
    : state(
          std::make_unique<State>(std::move(grammar), std::move(vocabulary))) {}
TokenConstraint::~TokenConstraint() = default;
TokenConstraint::TokenConstraint(const TokenConstraint &other)
    : state(std::make_unique<State>(*other.state)) {}

const std::vector<uint32_t> &
TokenConstraint::mask(const std::vector<int32_t> &endTokens) {
  State &is = *state;
  is.endTokens = endTokens;
  is.automaton.beginStep();
  is.tidy();
  if (is.ended) {
    std::fill(is.mask.begin(), is.mask.end(), 0);
  } else {
    is.makeMask();
  }
  for (int32_t token : endTokens) {
    auto id = static_cast<size_t>(token);
    if (token < 0 || id >= is.vocabulary->vocabulary()) {
      continue;
    }
    uint32_t bit = uint32_t(1) << id % 32;
    is.mask[id / 32] =
        is.mayEnd() ? is.mask[id / 32] | bit : is.mask[id / 32] & ~bit;
  }
  if (!is.mayEnd() && std::all_of(is.mask.begin(), is.mask.end(),
                                  [](uint32_t word) { return word == 0; })) {
    throw Error("no token of the vocabulary can continue the text as the "
                "grammar asks; use characters that the tokenizer knows");
  }
  return is.mask;
}

void TokenConstraint::accept(int32_t token) {
  State &is = *state;
  is.automaton.beginStep();
  bool ends = std::find(is.endTokens.begin(), is.endTokens.end(), token) !=
              is.endTokens.end();
  Position next = is.ended ? Position() : is.position;
  std::string_view bytes = is.vocabulary->bytes(token);
  if (ends) {
    next = is.mayEnd() ? is.position : Position();
  } else if (bytes.empty()) {
    next = {};
  }
  if (!ends) {
    for (char byte : bytes) {
      next = is.automaton.step(next, static_cast<uint8_t>(byte));
    }
  }
  if (next.state == Automaton::dead) {
    throw Error("token " + std::to_string(token) +
                " is not one that the grammar allows here");
  }
  is.position = next;
  is.ended = is.ended || ends;
}

bool TokenConstraint::mayEnd() const { return state->mayEnd(); }
bool TokenConstraint::mustEnd() const { return state->mustEnd(); }

} // namespace cheems
