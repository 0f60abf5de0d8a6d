// Strings of a table, as nodes: a place in it, and how many characters came, as
// far as that matters.
#include "runtime/Grammar/StringTable.h"

#include <algorithm>
#include <set>

namespace cheems::grammar {

namespace {

/// A state of a table, and the characters so far; `any`: their number matters
/// no more.
class CountedStrings {
public:
  static constexpr int64_t any = -1;
  using Place = std::pair<uint32_t, int64_t>;

  CountedStrings(const StringTable &table, int64_t minimum,
                 std::optional<int64_t> maximum)
      : states(table.all()), minimum(minimum), maximum(maximum) {}

  /// None: no text goes on from there within the lengths.
  std::optional<Place> place(uint32_t state, int64_t count) const {
    const StringTable::State &at = states[state];
    if (at.shortest == StringTable::endless) {
      return std::nullopt;
    }
    if (count == any) {
      return Place{state, any};
    }
    if (maximum && at.shortest > *maximum - count) {
      return std::nullopt;
    }
    bool longEnough = count + at.shortest >= minimum,
         shortEnough = !maximum || (at.longest != StringTable::endless &&
                                    at.longest <= *maximum - count);
    return Place{state, longEnough && shortEnough ? any : count};
  }
  std::optional<Place> after(const Place &from, uint32_t state) const {
    return place(state, from.second == any ? any : from.second + 1);
  }
  bool mayEnd(const Place &at) const {
    return states[at.first].accepts &&
           (at.second == any || at.second >= minimum);
  }
  const StringTable::State &state(const Place &at) const {
    return states[at.first];
  }
  std::optional<Place> start() const { return place(0, 0); }

  /// Whether they take no more than about so many nodes.
  bool fit(size_t most, const std::function<void()> &spend) const {
    std::set<Place> seen;
    std::vector<Place> work;
    size_t nodes = 0;
    auto reach = [&](std::optional<Place> next) {
      if (next && seen.insert(*next).second) {
        work.push_back(*next);
      }
    };
    reach(start());
    while (!work.empty() && nodes <= most) {
      spend();
      Place at = work.back();
      work.pop_back();
      nodes += 2 + 2 * state(at).next.size();
      for (const auto &[set, then] : state(at).next) {
        reach(after(at, then));
      }
    }
    return nodes <= most;
  }

private:
  const std::vector<StringTable::State> &states;
  int64_t minimum;
  std::optional<int64_t> maximum;
};

} // namespace

NodeId JsonText::ofTable(const StringTable &table, int64_t minimum,
                         std::optional<int64_t> maximum, NodeId next) {
  std::function<void()> spend = [&] { builder.spend(); };
  // Lengths multiply the states. Longer texts are left out where that would
  // take more than a part of what is left of the grammar.
  size_t most = (maximumNodes - std::min(builder.size(), maximumNodes)) / 2;
  int64_t least = std::max(minimum, table.all()[0].shortest);
  while (maximum && *maximum > least &&
         !CountedStrings(table, minimum, maximum).fit(most, spend)) {
    maximum = least + (*maximum - least) / 2;
  }
  CountedStrings strings(table, minimum, maximum);
  NodeId close = builder.literal("\"", next), none = nowhere();
  std::map<CountedStrings::Place, NodeId> made;
  std::vector<std::pair<CountedStrings::Place, NodeId>> work;
  auto at = [&](std::optional<CountedStrings::Place> place) {
    if (!place) {
      return none;
    }
    auto [found, isNew] = made.try_emplace(*place, 0);
    if (isNew) {
      found->second = builder.placeholder();
      work.emplace_back(*place, found->second);
    }
    return found->second;
  };
  NodeId start = at(strings.start());
  while (!work.empty()) {
    auto [place, entry] = work.back();
    work.pop_back();
    std::vector<NodeId> choices;
    for (const auto &[set, then] : strings.state(place).next) {
      NodeId further = at(strings.after(place, then));
      if (further != none) {
        choices.push_back(canonical(set, further));
      }
    }
    if (strings.mayEnd(place)) {
      choices.push_back(close);
    }
    builder.become(entry, choices.empty() ? none : builder.either(choices));
  }
  return builder.literal("\"", start);
}

} // namespace cheems::grammar
