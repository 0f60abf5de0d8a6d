// Patterns that watch a text are read as deterministic automata, so that each
// has one state. Look-ahead is such a pattern, which begins to watch on the
// way.
#include "runtime/Grammar/PatternRun.h"

#include <algorithm>
#include <set>

namespace cheems::grammar {

/// Sets of a category of Unicode have hundreds of ranges.
static void spendFor(const CharacterSet &set,
                     const std::function<void()> &spend) {
  constexpr size_t rangesAStep = 64;
  for (size_t range = 0; range <= set.all().size(); range += rangesAStep) {
    spend();
  }
}

PatternRun::PatternRun(const Pattern &pattern,
                       const std::function<void()> &spend)
    : pattern(pattern), spend(spend) {}

PatternRun::~PatternRun() = default;

void PatternRun::watch(const Pattern &other, bool negated) {
  companions.push_back(static_cast<uint32_t>(watchers.size()));
  watchers.push_back(
      {std::make_unique<PatternStates>(other, other.start, spend), negated});
}

uint32_t PatternRun::lookAhead(uint32_t node) {
  auto [found, isNew] =
      lookAheads.try_emplace(node, static_cast<uint32_t>(watchers.size()));
  if (isNew) {
    const Pattern::Node &at = pattern.nodes[node];
    watchers.push_back(
        {std::make_unique<PatternStates>(pattern, at.other, spend),
         at.kind == Pattern::Node::notAhead});
  }
  return found->second;
}

/// Adds it, where what follows matters; false where no text can fit.
bool PatternRun::settle(std::vector<Watch> &watches, Watch watch) const {
  bool negated = watchers[watch.of].negated;
  if (watch.state == PatternStates::matched) {
    return !negated;
  }
  if (watch.state == PatternStates::impossible) {
    return negated;
  }
  auto at = std::lower_bound(watches.begin(), watches.end(), watch);
  if (at == watches.end() || !(*at == watch)) {
    watches.insert(at, watch);
  }
  return true;
}

std::vector<PatternPlace> PatternRun::start(uint32_t node, bool begins) {
  PatternPlace place = {
      begins ? PatternPlace::begins : PatternPlace::within, node, {}};
  for (uint32_t of : companions) {
    if (!settle(place.watches, {of, watchers[of].states->start(begins)})) {
      return {};
    }
  }
  return {place};
}

std::vector<PatternPlace> PatternRun::successors(const PatternPlace &place) {
  spend();
  const Pattern::Node &node = pattern.nodes[place.node];
  bool empty = place.phase == PatternPlace::begins ||
               place.phase == PatternPlace::endedEmpty;
  switch (node.kind) {
  case Pattern::Node::split:
    return {{place.phase, node.next, place.watches},
            {place.phase, node.other, place.watches}};
  case Pattern::Node::begin:
    if (empty) {
      return {{place.phase, node.next, place.watches}};
    }
    return {};
  case Pattern::Node::end:
    return {{empty ? PatternPlace::endedEmpty : PatternPlace::ended, node.next,
             place.watches}};
  case Pattern::Node::ahead:
  case Pattern::Node::notAhead: {
    PatternPlace next = {place.phase, node.next, place.watches};
    uint32_t of = lookAhead(place.node);
    if (settle(next.watches, {of, watchers[of].states->start(empty)})) {
      return {next};
    }
    return {};
  }
  case Pattern::Node::characters:
  case Pattern::Node::accept:
    break;
  }
  return {};
}

std::vector<std::pair<CharacterSet, PatternPlace>>
PatternRun::steps(const PatternPlace &place) {
  if (place.phase == PatternPlace::ended ||
      place.phase == PatternPlace::endedEmpty) {
    return {};
  }
  const Pattern::Node &node = pattern.nodes[place.node];
  std::vector<std::pair<CharacterSet, PatternPlace>> pieces = {
      {pattern.sets[node.set], {PatternPlace::within, node.next, {}}}};
  for (Watch watch : place.watches) {
    std::vector<std::pair<CharacterSet, PatternPlace>> finer;
    for (auto &[set, next] : pieces) {
      CharacterSet rest = set;
      for (const auto &[others, state] :
           watchers[watch.of].states->steps(watch.state)) {
        spend();
        CharacterSet both = set.intersected(others);
        if (both.empty()) {
          continue;
        }
        rest = rest.intersected(others.negated());
        PatternPlace along = next;
        if (settle(along.watches, {watch.of, state})) {
          finer.emplace_back(std::move(both), std::move(along));
        }
      }
      if (!rest.empty() &&
          settle(next.watches, {watch.of, PatternStates::impossible})) {
        finer.emplace_back(std::move(rest), std::move(next));
      }
    }
    pieces = std::move(finer);
  }
  return pieces;
}

PatternRun::Acceptance PatternRun::acceptance(const PatternPlace &place) const {
  if (place.watches.empty() && (place.phase == PatternPlace::begins ||
                                place.phase == PatternPlace::within)) {
    return always;
  }
  bool fits = std::all_of(
      place.watches.begin(), place.watches.end(), [&](const Watch &watch) {
        const Watcher &watcher = watchers[watch.of];
        return watcher.states->matchedAtEnd(watch.state) != watcher.negated;
      });
  return fits ? atEnd : none;
}

PatternStates::PatternStates(const Pattern &pattern, uint32_t node,
                             const std::function<void()> &spend)
    : pattern(pattern), node(node), spend(spend), run(pattern, spend),
      states(2) {
  states[matched].atEnd = true;
}

PatternStates::StateId PatternStates::start(bool begins) {
  return close(run.start(node, begins));
}

PatternStates::StateId PatternStates::close(std::vector<PatternPlace> reached) {
  State state;
  std::set<PatternPlace> seen;
  while (!reached.empty()) {
    PatternPlace place = std::move(reached.back());
    reached.pop_back();
    if (!seen.insert(place).second) {
      continue;
    }
    spend();
    Pattern::Node::Kind kind = pattern.nodes[place.node].kind;
    if (kind == Pattern::Node::accept) {
      PatternRun::Acceptance how = run.acceptance(place);
      if (how == PatternRun::always) {
        return matched;
      }
      state.atEnd = state.atEnd || how == PatternRun::atEnd;
    } else if (kind == Pattern::Node::characters) {
      state.places.push_back(std::move(place));
    } else {
      for (PatternPlace &next : run.successors(place)) {
        reached.push_back(std::move(next));
      }
    }
  }
  if (state.places.empty() && !state.atEnd) {
    return impossible;
  }
  std::sort(state.places.begin(), state.places.end());
  auto [found, isNew] = ids.try_emplace({state.atEnd, state.places},
                                        static_cast<StateId>(states.size()));
  if (isNew) {
    states.push_back(std::move(state));
  }
  return found->second;
}

const std::vector<std::pair<CharacterSet, PatternStates::StateId>> &
PatternStates::steps(StateId state) {
  if (!states[state].known) {
    // sets that no place tells apart, and where their characters lead
    std::vector<std::pair<CharacterSet, std::vector<PatternPlace>>> pieces = {
        {CharacterSet::any(), {}}};
    for (const PatternPlace &place : states[state].places) {
      for (const auto &[set, next] : run.steps(place)) {
        std::vector<std::pair<CharacterSet, std::vector<PatternPlace>>> finer;
        for (auto &[piece, reached] : pieces) {
          spendFor(piece, spend);
          CharacterSet both = piece.intersected(set);
          if (!both.empty()) {
            CharacterSet rest = piece.intersected(set.negated());
            finer.emplace_back(std::move(both), reached);
            finer.back().second.push_back(next);
            piece = std::move(rest);
          }
          if (!piece.empty()) {
            finer.emplace_back(std::move(piece), std::move(reached));
          }
        }
        pieces = std::move(finer);
      }
    }
    std::vector<std::pair<CharacterSet, StateId>> next;
    for (auto &[set, reached] : pieces) {
      StateId then = reached.empty() ? impossible : close(std::move(reached));
      if (then != impossible) {
        next.emplace_back(std::move(set), then);
      }
    }
    states[state].next = std::move(next);
    states[state].known = true;
  }
  return states[state].next;
}

} // namespace cheems::grammar
