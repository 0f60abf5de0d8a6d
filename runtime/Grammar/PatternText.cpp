// Strings that patterns match, as nodes: a place in a pattern is a node, and
// how many characters came, as far as that matters.
#include "runtime/Grammar/JsonText.h"

#include "runtime/Grammar/PatternRun.h"

namespace cheems::grammar {

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
  const Pattern anything = parsePattern("", "");
  const Pattern except = patternOfTexts(rule.except);
  const Pattern &first =
      rule.matching.empty() ? anything : *rule.matching.front();
  PatternRun run(first, spend);
  for (size_t index = 1; index < rule.matching.size(); ++index) {
    run.watch(*rule.matching[index], /*negated=*/false);
  }
  for (const auto &pattern : rule.refused) {
    run.watch(*pattern, /*negated=*/true);
  }
  if (!rule.except.empty()) {
    run.watch(except, /*negated=*/true);
  }

  NodeId close = builder.literal("\"", next);
  using Counted = std::pair<PatternPlace, int64_t>;
  std::map<Counted, NodeId> made;
  std::vector<std::pair<Counted, NodeId>> work;
  auto at = [&](PatternPlace place, int64_t count) {
    Counted counted(std::move(place), count);
    auto [found, isNew] = made.try_emplace(counted, 0);
    if (isNew) {
      found->second = builder.placeholder();
      work.emplace_back(std::move(counted), found->second);
    }
    return found->second;
  };
  NodeId none = nowhere();
  std::vector<PatternPlace> starts = run.start(first.start, /*begins=*/true);
  NodeId start = starts.empty() ? none : at(starts.front(), 0);
  while (!work.empty()) {
    auto [counted, entry] = std::move(work.back());
    work.pop_back();
    const auto &[place, count] = counted;
    std::vector<NodeId> choices;
    switch (first.nodes[place.node].kind) {
    case Pattern::Node::characters:
      if (!rule.maximum || count < *rule.maximum) {
        int64_t more =
            rule.maximum ? count + 1 : std::min(count + 1, rule.minimum);
        for (auto &[set, then] : run.steps(place)) {
          choices.push_back(canonical(set, at(then, more)));
        }
      }
      break;
    case Pattern::Node::accept:
      if (count >= rule.minimum && run.acceptance(place) != PatternRun::none) {
        choices.push_back(close);
      }
      break;
    default:
      for (PatternPlace &then : run.successors(place)) {
        choices.push_back(at(std::move(then), count));
      }
    }
    builder.become(entry, choices.empty() ? none : builder.either(choices));
  }
  return builder.literal("\"", start);
}

} // namespace cheems::grammar
