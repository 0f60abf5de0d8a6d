#include "runtime/Grammar/StringTable.h"

#include "runtime/Grammar/PatternRun.h"

#include <algorithm>

namespace cheems::grammar {

namespace {

/// More states, more work for them, or more ranges of characters, than a few
/// strings of a grammar may take.
constexpr size_t maximumTable = 4096, maximumTableWork = size_t(1) << 18,
                 maximumTableRanges = size_t(1) << 20;

} // namespace

StringTable::StringTable(const StringRule &rule,
                         const std::function<void()> &spend) {
  size_t spent = 0, ranges = 0;
  std::function<void()> count = [&] {
    ++spent;
    spend();
  };
  const Pattern anything = parsePattern("", "");
  const Pattern except = patternOfTexts(rule.except);
  const Pattern &first =
      rule.matching.empty() ? anything : *rule.matching.front();
  PatternStates readings(first, first.start, count);
  for (size_t index = 1; index < rule.matching.size(); ++index) {
    readings.watch(*rule.matching[index], /*negated=*/false);
  }
  for (const auto &pattern : rule.refused) {
    readings.watch(*pattern, /*negated=*/true);
  }
  if (!rule.except.empty()) {
    readings.watch(except, /*negated=*/true);
  }

  std::vector<PatternStates::StateId> order;
  std::map<PatternStates::StateId, uint32_t> places;
  auto at = [&](PatternStates::StateId state) -> std::optional<uint32_t> {
    auto found = places.find(state);
    if (found != places.end()) {
      return found->second;
    }
    if (order.size() == maximumTable) {
      return std::nullopt;
    }
    auto place = static_cast<uint32_t>(order.size());
    places.emplace(state, place);
    order.push_back(state);
    return place;
  };
  at(readings.start(/*begins=*/true));
  for (size_t place = 0; place < order.size(); ++place) {
    PatternStates::StateId state = order[place];
    State made;
    made.anything = state == PatternStates::matched;
    made.accepts = readings.matchedAtEnd(state);
    if (made.anything) {
      made.next = {{CharacterSet::any(), static_cast<uint32_t>(place)}};
    } else if (spent > maximumTableWork || ranges > maximumTableRanges) {
      whole = false;
    } else {
      std::map<uint32_t, CharacterSet> sets;
      for (const auto &[set, then] : readings.steps(state)) {
        ranges += set.all().size();
        if (auto next = at(then)) {
          sets[*next].add(set);
        } else {
          whole = false;
        }
      }
      for (auto &[next, set] : sets) {
        made.next.emplace_back(std::move(set), next);
      }
    }
    states.push_back(std::move(made));
  }
  measure();
}

void StringTable::measure() {
  std::vector<std::vector<uint32_t>> before(states.size());
  std::vector<uint32_t> work;
  for (uint32_t place = 0; place < states.size(); ++place) {
    for (const auto &[set, next] : states[place].next) {
      before[next].push_back(place);
    }
    if (states[place].accepts) {
      states[place].shortest = 0;
      work.push_back(place);
    }
  }
  for (size_t done = 0; done < work.size(); ++done) {
    for (uint32_t earlier : before[work[done]]) {
      if (states[earlier].shortest == endless) {
        states[earlier].shortest = states[work[done]].shortest + 1;
        work.push_back(earlier);
      }
    }
  }
  for (State &state : states) {
    auto leadsNowhere = [&](const auto &step) {
      return states[step.second].shortest == endless;
    };
    state.next.erase(
        std::remove_if(state.next.begin(), state.next.end(), leadsNowhere),
        state.next.end());
  }

  // from the last ones on; those before a loop are never reached
  std::vector<size_t> left(states.size());
  std::vector<int64_t> longest(states.size(), 0);
  work.clear();
  for (uint32_t place = 0; place < states.size(); ++place) {
    left[place] = states[place].next.size();
    if (left[place] == 0) {
      work.push_back(place);
    }
  }
  for (size_t done = 0; done < work.size(); ++done) {
    uint32_t place = work[done];
    states[place].longest = longest[place];
    if (states[place].shortest == endless) {
      continue; // no step leads here any more
    }
    for (uint32_t earlier : before[place]) {
      longest[earlier] = std::max(longest[earlier], longest[place] + 1);
      if (--left[earlier] == 0) {
        work.push_back(earlier);
      }
    }
  }
}

} // namespace cheems::grammar
