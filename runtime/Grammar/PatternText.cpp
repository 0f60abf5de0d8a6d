// Strings that patterns match, as nodes. Where the table of all that a rule
// says is too large, a node is a place in one reading by the first pattern, and
// how many characters came.
#include "runtime/Grammar/PatternRun.h"
#include "runtime/Grammar/StringTable.h"

#include <algorithm>
#include <set>

namespace cheems::grammar {

namespace {

/// The readings of strings by the first pattern, while others watch.
class Readings {
public:
  struct Reading {
    PatternPlace place;
    int64_t count;
    std::vector<std::pair<const CharacterSet *, size_t>> steps = {};
    std::vector<size_t> successors = {};
    bool accepts = false;
  };

  Readings(const StringRule &rule, const std::function<void()> &spend)
      : rule(rule), anything(parsePattern("", "")),
        except(patternOfTexts(rule.except)),
        first(rule.matching.empty() ? anything : *rule.matching.front()),
        run(first, spend) {
    for (size_t index = 1; index < rule.matching.size(); ++index) {
      run.watch(*rule.matching[index], /*negated=*/false);
    }
    for (const auto &pattern : rule.refused) {
      run.watch(*pattern, /*negated=*/true);
    }
    if (!rule.except.empty()) {
      run.watch(except, /*negated=*/true);
    }
  }

  /// The first is where strings begin; none: there are more than `most`. This
  /// must outlive them.
  std::optional<std::vector<Reading>> all(size_t most) {
    std::vector<PatternPlace> starts = run.start(first.start, /*begins=*/true);
    for (PatternPlace &start : starts) {
      at(std::move(start), 0);
    }
    for (size_t index = 0; index < found.size(); ++index) {
      if (found.size() > most) {
        return std::nullopt;
      }
      read(index);
    }
    return std::move(found);
  }

private:
  size_t at(PatternPlace place, int64_t count) {
    auto [known, isNew] = places.try_emplace({place, count}, found.size());
    if (isNew) {
      found.push_back({std::move(place), count});
    }
    return known->second;
  }

  void read(size_t index) {
    PatternPlace place = found[index].place;
    int64_t count = found[index].count;
    switch (first.nodes[place.node].kind) {
    case Pattern::Node::characters:
      if (!rule.maximum || count < *rule.maximum) {
        int64_t more =
            rule.maximum ? count + 1 : std::min(count + 1, rule.minimum);
        for (auto &[set, then] : run.steps(place)) {
          size_t next = at(std::move(then), more);
          found[index].steps.emplace_back(&*sets.insert(std::move(set)).first,
                                          next);
        }
      }
      break;
    case Pattern::Node::accept:
      found[index].accepts =
          count >= rule.minimum && run.acceptance(place) != PatternRun::none;
      break;
    default:
      for (PatternPlace &then : run.successors(place)) {
        size_t next = at(std::move(then), count);
        found[index].successors.push_back(next);
      }
    }
  }

  const StringRule &rule;
  const Pattern anything, except;
  const Pattern &first;
  PatternRun run;
  std::vector<Reading> found;
  std::set<CharacterSet> sets; ///< some are large, and in many steps
  std::map<std::pair<PatternPlace, int64_t>, size_t> places;
};

} // namespace

NodeId JsonText::string(const StringRule &rule, NodeId next) {
  if (rule.matching.empty() && rule.refused.empty()) {
    if (rule.except.empty()) {
      return string(rule.minimum, rule.maximum, next);
    }
    if (rule.minimum == 0 && !rule.maximum) {
      return stringExcept(rule.except, next);
    }
  }
  std::function<void()> spend = [&] { builder.spend(); };
  StringTable table(rule, spend);
  constexpr size_t smallTable = 1024;
  size_t states = table.all().size();
  if (table.complete() && states <= smallTable) {
    return ofTable(table, rule.minimum, rule.maximum, next);
  }
  // a reading takes some nodes, and may be one of many at once
  size_t most =
      table.complete()
          ? states / 4
          : (maximumNodes - std::min(builder.size(), maximumNodes)) / 4;
  Readings reader(rule, spend);
  auto readings = reader.all(most);
  if (!readings) {
    if (!table.complete() && !table.hasText()) {
      GrammarBuilder::refuseStates();
    }
    return ofTable(table, rule.minimum, rule.maximum, next);
  }

  NodeId close = builder.literal("\"", next), none = nowhere();
  std::vector<NodeId> entries;
  entries.reserve(readings->size());
  for (size_t index = 0; index < readings->size(); ++index) {
    entries.push_back(builder.placeholder());
  }
  for (size_t index = 0; index < readings->size(); ++index) {
    const Readings::Reading &reading = (*readings)[index];
    std::vector<NodeId> choices;
    choices.reserve(reading.steps.size() + reading.successors.size() + 1);
    for (const auto &[set, then] : reading.steps) {
      choices.push_back(canonical(*set, entries[then]));
    }
    for (size_t then : reading.successors) {
      choices.push_back(entries[then]);
    }
    if (reading.accepts) {
      choices.push_back(close);
    }
    builder.become(entries[index],
                   choices.empty() ? none : builder.either(choices));
  }
  return builder.literal("\"", entries.empty() ? none : entries.front());
}

} // namespace cheems::grammar
