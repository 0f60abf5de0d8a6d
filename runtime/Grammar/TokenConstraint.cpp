// Masks are made by one walk through the trie. What a walk finds does not
// depend on the base of the automaton's state, but for tokens that return to
// it: so large walks are kept by state, and go on from there with the base.
//
// A walk may stop after any node, and go on later: a server has others to
// serve.
#include "runtime/Grammar/TokenConstraint.h"

#include "runtime/Error.h"
#include "runtime/Grammar/Automaton.h"
#include "runtime/Grammar/RepeatFilter.h"
#include "runtime/Grammar/VocabularyTrie.h"

#include <algorithm>
#include <unordered_map>

namespace cheems {

using grammar::Automaton;
using Position = Automaton::Position;

namespace {

/// A walk of fewer nodes is made anew.
constexpr size_t walkWorthKeeping = 256;
/// This bounds all kept masks together.
constexpr size_t maximumMaskBytes = size_t(1) << 23;

/// What a walk from a state found, whatever its base is.
struct Walk {
  /// Says where a token returns to the base, in the middle or at its end.
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
  Limits limits;
  Automaton automaton;
  Position position;
  bool ended = false; ///< an end token came
  std::vector<int32_t> endTokens;
  std::vector<uint32_t> mask;
  /// Walks are found by state, and by whether the base is empty.
  std::unordered_map<uint64_t, std::shared_ptr<const Walk>> walks;
  size_t walkBytes = 0;
  std::vector<Position> path; ///< by depth in the trie
  uint64_t work = 0;          ///< of the tokens before

  grammar::RepeatFilter repeats; ///< where the grammar has such lists

  /// How far the mask is. `first` walks without a base; `returning` goes on
  /// from where that returned; `whole` walks with the base; `filtering` takes
  /// repeated items out.
  enum Stage : uint8_t {
    none,
    first,
    returning,
    whole,
    filtering,
    done
  } stage = none;
  Walk made;
  std::shared_ptr<const Walk> kept; ///< that `returning` goes on from
  size_t nextReturn = 0;
  uint32_t node = 0, end = 0; ///< of the trie: where the walk is
  size_t visited = 0;
  size_t until = 0; ///< work at which this piece ends

  State(std::shared_ptr<const Grammar> of,
        std::shared_ptr<const VocabularyTrie> tokens, const Limits &limits)
      : grammar(std::move(of)), vocabulary(std::move(tokens)), limits(limits),
        automaton(grammar), position(automaton.start()),
        mask(vocabulary->words()), path(vocabulary->maximumDepth() + 1) {}

  bool mayEnd() const {
    return ended || (position.base == 0 && automaton.returns(position.state));
  }
  bool mustEnd() const {
    return ended || (mayEnd() && automaton.complete(position.state));
  }

  void beginToken() {
    work += automaton.worked();
    automaton.beginStep();
    stage = none;
  }

  void allow(std::vector<uint32_t> &bits, uint32_t node) const {
    for (uint32_t at = vocabulary->firstToken(node);
         at != vocabulary->firstToken(node + 1); ++at) {
      auto token = static_cast<uint32_t>(vocabulary->token(at));
      bits[token / 32] |= uint32_t(1) << token % 32;
    }
  }

  void beginWalk(uint32_t root, Position from) {
    const VocabularyTrie::Node &at = vocabulary->nodes()[root];
    path[at.depth] = from;
    node = root + 1;
    end = at.end;
  }

  /// Visits what goes on from where the walk is; whether it is over. With
  /// `returns`, the base is not known.
  bool walk(std::vector<uint32_t> &bits, std::vector<Walk::Return> *returns) {
    const auto &nodes = vocabulary->nodes();
    for (; node < end; ++visited) {
      if (automaton.worked() >= until) {
        return false;
      }
      automaton.spend(1);
      const VocabularyTrie::Node &at = nodes[node];
      Position next = automaton.move(path[at.depth - 1], at.byte);
      if (next.state != Automaton::dead && automaton.returns(next.state)) {
        if (!returns || next.base != 0) {
          next = automaton.settle(next);
        }
        if (returns && next.base == 0 && next.state != Automaton::dead &&
            automaton.returns(next.state)) {
          returns->push_back({node, next.state});
          node = at.end;
          continue;
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
    return true;
  }

  bool hasRoomFor(const Walk &kept) const {
    return automaton.depth(position.base) + kept.depth <= grammar::maximumDepth;
  }

  void goOnFrom(std::shared_ptr<const Walk> walk) {
    kept = std::move(walk);
    mask = kept->mask;
    nextReturn = 0;
    node = end = 0;
    stage = returning;
  }

  /// A piece of the work; whether the mask is made.
  bool advance() {
    // below an empty base is nothing to return to: its walks are complete
    bool complete = position.base == 0;
    auto key = uint64_t(position.state) << 1 | complete;
    switch (stage) {
    case none:
      tidy();
      key = uint64_t(position.state) << 1 | complete;
      if (auto found = walks.find(key);
          found != walks.end() && hasRoomFor(*found->second)) {
        goOnFrom(found->second);
        return false;
      }
      made = Walk();
      made.mask.resize(mask.size());
      automaton.takeDeepest();
      visited = 0;
      beginWalk(0, {position.state, 0});
      stage = first;
      return false;
    case first:
      if (!walk(made.mask, complete ? nullptr : &made.returns)) {
        return false;
      }
      made.depth = automaton.takeDeepest();
      if (hasRoomFor(made)) {
        goOnFrom(std::make_shared<const Walk>(std::move(made)));
        keep(key);
      } else {
        std::fill(mask.begin(), mask.end(), 0);
        beginWalk(0, position);
        stage = whole;
      }
      return false;
    case returning:
      if (!walk(mask, nullptr)) {
        return false;
      }
      if (nextReturn < kept->returns.size()) {
        const Walk::Return &at = kept->returns[nextReturn++];
        automaton.spend(1);
        Position there = automaton.settle({at.state, position.base});
        if (there.state != Automaton::dead) {
          allow(mask, at.node);
          beginWalk(at.node, there);
        }
        return false;
      }
      kept.reset();
      beginFilter();
      return stage == done;
    case whole:
      if (!walk(mask, nullptr)) {
        return false;
      }
      beginFilter();
      return stage == done;
    case filtering:
      if (!repeats.advance(automaton, mask, until)) {
        return false;
      }
      stage = done;
      return true;
    case done:
      break;
    }
    return true;
  }

  void beginFilter() {
    stage = done;
    if (grammar->hasDistinct) {
      repeats.begin(*vocabulary, position);
      stage = filtering;
    }
  }

  void keep(uint64_t key) {
    size_t bytes = kept->mask.size() * sizeof(uint32_t) +
                   kept->returns.size() * sizeof(Walk::Return);
    if (visited >= walkWorthKeeping && walkBytes + bytes <= maximumMaskBytes &&
        walks.emplace(key, kept).second) {
      walkBytes += bytes;
    }
  }

  /// Forgets states that were made for texts that did not come.
  void tidy() {
    if (automaton.large() || walkBytes > maximumMaskBytes / 2) {
      Automaton fresh(grammar);
      position = fresh.adopt(automaton, position);
      work += automaton.worked();
      automaton = std::move(fresh);
      repeats.forgetPositions();
      walks.clear();
      walkBytes = 0;
    }
  }

  /// Bits of the end tokens, where the rest of the mask is made.
  void addEndTokens() {
    for (int32_t token : endTokens) {
      auto id = static_cast<size_t>(token);
      if (token < 0 || id >= vocabulary->vocabulary()) {
        continue;
      }
      uint32_t bit = uint32_t(1) << id % 32;
      mask[id / 32] = mayEnd() ? mask[id / 32] | bit : mask[id / 32] & ~bit;
    }
    if (!mayEnd() && std::all_of(mask.begin(), mask.end(),
                                 [](uint32_t word) { return word == 0; })) {
      throw Error(
          std::string("no token of the vocabulary can continue the text as the "
                      "grammar asks; use characters that the tokenizer knows") +
          (grammar->hasDistinct ? ", and ask for fewer items that differ"
                                : ""));
    }
  }
};

TokenConstraint::TokenConstraint(
    std::shared_ptr<const Grammar> grammar,
    std::shared_ptr<const VocabularyTrie> vocabulary)
    : TokenConstraint(std::move(grammar), std::move(vocabulary), Limits()) {}
TokenConstraint::TokenConstraint(
    std::shared_ptr<const Grammar> grammar,
    std::shared_ptr<const VocabularyTrie> vocabulary, const Limits &limits)
    : state(std::make_unique<State>(std::move(grammar), std::move(vocabulary),
                                    limits)) {}
TokenConstraint::~TokenConstraint() = default;
TokenConstraint::TokenConstraint(const TokenConstraint &other)
    : state(std::make_unique<State>(*other.state)) {}

bool TokenConstraint::prepare(const std::vector<int32_t> &endTokens) {
  State &is = *state;
  if (is.stage == State::none || is.endTokens != endTokens) {
    is.beginToken();
    is.endTokens = endTokens;
  }
  if (is.stage == State::done) {
    return true;
  }
  try {
    if (is.ended) {
      std::fill(is.mask.begin(), is.mask.end(), 0);
      is.stage = State::done;
    }
    is.until = is.automaton.worked() + is.limits.piece;
    while (!is.advance()) {
      if (worked() > is.limits.text) {
        throw Error(Status::usage,
                    "the grammar takes more than " +
                        std::to_string(is.limits.text) +
                        " steps of work for this text; let fewer of its parts "
                        "overlap, or ask for less text");
      }
      if (is.automaton.worked() >= is.until) {
        return false;
      }
    }
    is.addEndTokens();
  } catch (...) {
    is.stage = State::none; // asked again, it says the same
    throw;
  }
  return true;
}

const std::vector<uint32_t> &
TokenConstraint::mask(const std::vector<int32_t> &endTokens) {
  while (!prepare(endTokens)) {
  }
  return state->mask;
}

void TokenConstraint::accept(int32_t token) {
  State &is = *state;
  is.beginToken();
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
  if (next.state != Automaton::dead && !ends && is.grammar->hasDistinct &&
      !is.repeats.accept(is.automaton, is.position, bytes)) {
    next = {};
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
uint64_t TokenConstraint::worked() const {
  return state->work + state->automaton.worked();
}
size_t TokenConstraint::bytes() const {
  size_t masks = 2 * state->mask.size() * sizeof(uint32_t);
  return state->automaton.bytes() + state->repeats.bytes() + state->walkBytes +
         masks;
}

} // namespace cheems
