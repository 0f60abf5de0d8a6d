// Reads texts by patterns, character by character, with look-ahead and several
// patterns at once.
#ifndef CHEEMS_RUNTIME_GRAMMAR_PATTERNRUN_H
#define CHEEMS_RUNTIME_GRAMMAR_PATTERNRUN_H

#include "runtime/Grammar/Pattern.h"

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace cheems::grammar {

class PatternStates;

/// A pattern that watches the same text, and where it is.
struct Watch {
  uint32_t of;
  uint32_t state;
  bool operator<(const Watch &other) const {
    return std::tie(of, state) < std::tie(other.of, other.state);
  }
  bool operator==(const Watch &other) const {
    return of == other.of && state == other.state;
  }
};

/// Says where one reading of a text is in a pattern.
struct PatternPlace {
  enum Phase : uint8_t { begins, within, ended, endedEmpty } phase;
  uint32_t node;
  std::vector<Watch> watches; ///< in order
  bool operator<(const PatternPlace &other) const {
    return std::tie(phase, node, watches) <
           std::tie(other.phase, other.node, other.watches);
  }
};

/// The readings of a text: by one pattern, and by those that watch it.
class PatternRun {
public:
  /// `spend` is called for each step of work, and may throw. Both must outlive
  /// this.
  PatternRun(const Pattern &pattern, const std::function<void()> &spend);
  ~PatternRun();

  /// Only texts that this pattern matches, too; with `negated`, that it does
  /// not. It must outlive this.
  void watch(const Pattern &other, bool negated);
  /// Returns where a reading that starts at the node is; none: no text fits.
  std::vector<PatternPlace> start(uint32_t node, bool begins);
  /// What is reached without a character, one node on.
  std::vector<PatternPlace> successors(const PatternPlace &place);
  /// What is reached by one character. The sets of one place do not meet.
  std::vector<std::pair<CharacterSet, PatternPlace>>
  steps(const PatternPlace &place);
  enum Acceptance { none, atEnd, always };
  /// Says for a place at an `accept` whether a text fits that ends there, or
  /// that goes on in any way.
  Acceptance acceptance(const PatternPlace &place) const;

private:
  struct Watcher {
    std::unique_ptr<PatternStates> states;
    bool negated;
  };
  uint32_t lookAhead(uint32_t node);
  bool settle(std::vector<Watch> &watches, Watch watch) const;

  const Pattern &pattern;
  const std::function<void()> &spend;
  std::vector<Watcher> watchers;
  std::vector<uint32_t> companions;        ///< that watch from the beginning
  std::map<uint32_t, uint32_t> lookAheads; ///< watchers by node
};

/// All readings by one pattern at once, as states that are made when they are
/// first reached.
class PatternStates {
public:
  using StateId = uint32_t;
  static constexpr StateId impossible = 0, matched = 1;

  /// Texts that begin at this node.
  PatternStates(const Pattern &pattern, uint32_t node,
                const std::function<void()> &spend);

  /// Acts as `watch` of a run, and is called before the start.
  void watch(const Pattern &other, bool negated) { run.watch(other, negated); }
  StateId start(bool begins);
  /// Whether a text that ends here fits.
  bool matchedAtEnd(StateId state) const { return states[state].atEnd; }
  /// The sets do not meet; other characters are impossible.
  const std::vector<std::pair<CharacterSet, StateId>> &steps(StateId state);

private:
  struct State {
    std::vector<PatternPlace> places; ///< before a character
    bool atEnd = false;
    bool known = false; ///< `next` is
    std::vector<std::pair<CharacterSet, StateId>> next;
  };
  StateId close(std::vector<PatternPlace> reached);

  const Pattern &pattern;
  uint32_t node;
  const std::function<void()> &spend;
  PatternRun run;
  std::vector<State> states;
  std::map<std::pair<bool, std::vector<PatternPlace>>, StateId> ids;
};

} // namespace cheems::grammar

#endif
