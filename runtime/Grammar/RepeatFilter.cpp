#include "runtime/Grammar/RepeatFilter.h"

namespace cheems::grammar {

using Position = Automaton::Position;

/// Where an item or a list can go on in more ways than can be tried, one of
/// them is taken to be new.
static constexpr size_t maximumTries = 1024;

bool RepeatFilter::accept(Automaton &automaton, Position from,
                          std::string_view bytes) {
  DistinctItems next = current;
  size_t before = text.size();
  for (char byte : bytes) {
    Position to = automaton.step(from, static_cast<uint8_t>(byte));
    text += byte;
    if (to.state == Automaton::dead ||
        !next.step(text, automaton.opensDistinct(from, byte))) {
      text.resize(before);
      return false;
    }
    from = to;
  }
  current = std::move(next);
  if (!current.inList()) {
    text.clear();
  }
  return true;
}

void RepeatFilter::begin(const VocabularyTrie &of, Position from) {
  vocabulary = &of;
  path.resize(of.maximumDepth() + 1);
  path[0] = {from, 0, text.size()};
  items = {current};
  node = 1;
}

bool RepeatFilter::advance(Automaton &automaton, std::vector<uint32_t> &mask,
                           size_t until) {
  const auto &nodes = vocabulary->nodes();
  for (uint32_t end = nodes[0].end; node < end;) {
    if (automaton.worked() >= until) {
      return false;
    }
    automaton.spend(1);
    const VocabularyTrie::Node &at = nodes[node];
    const Visit &before = path[at.depth - 1];
    items.resize(before.items + 1);
    text.resize(before.text);
    // outside of a list nothing happens before one begins
    bool skipped = !items.back().inList() && !at.opensList;
    Position next =
        skipped ? Position() : automaton.step(before.position, at.byte);
    if (next.state == Automaton::dead) {
      node = at.end;
      continue;
    }
    text += static_cast<char>(at.byte);
    bool opens = automaton.opensDistinct(before.position, at.byte);
    bool fits = true;
    if (opens || !items.back().ignores(static_cast<char>(at.byte))) {
      items.push_back(items.back());
      automaton.spend(items.back().remembered());
      fits = items.back().step(text, opens);
    }
    path[at.depth] = {next, items.size() - 1, text.size()};
    bool isToken =
        vocabulary->firstToken(node) != vocabulary->firstToken(node + 1);
    if (fits && (!isToken || canEnd(automaton, next, items.back()))) {
      ++node;
      continue;
    }
    for (uint32_t index = vocabulary->firstToken(node);
         index != vocabulary->firstToken(at.end); ++index) {
      auto token = static_cast<uint32_t>(vocabulary->token(index));
      mask[token / 32] &= ~(uint32_t(1) << token % 32);
    }
    node = at.end;
  }
  text.resize(path[0].text);
  return true;
}

bool RepeatFilter::canEnd(Automaton &automaton, Position from,
                          const DistinctItems &at) {
  return !at.inItem() || hasRoom(automaton, from, at) ||
         search(automaton, from, at, wholeList);
}

bool RepeatFilter::hasRoom(Automaton &automaton, Position from,
                           const DistinctItems &at) {
  if (at.isNested()) { // then it depends on the items of the inner list
    return search(automaton, from, at.withoutComparing(), manyItems);
  }
  auto [found, isNew] =
      roomy.try_emplace(uint64_t(from.state) << 32 | from.base);
  if (isNew) {
    found->second = search(automaton, from, at.withoutComparing(), manyItems);
  }
  return found->second;
}

/// Tries what may follow. `wholeList`: whether the outermost list can end.
/// `manyItems`: whether its item can in more ways than can be tried.
bool RepeatFilter::search(Automaton &automaton, Position from,
                          const DistinctItems &at, Goal goal) {
  struct Try {
    Position position;
    DistinctItems items;
    size_t text;
    int byte; ///< the one before that is next
  };
  std::vector<Try> open = {{from, at, text.size(), 256}};
  size_t tries = 0, before = text.size();
  bool found = false;
  while (!open.empty() && !found) {
    Try &last = open.back();
    if (last.byte == 0) {
      open.pop_back();
      continue;
    }
    auto byte = static_cast<uint8_t>(--last.byte); // "]" comes before ","
    Position next = automaton.step(last.position, byte);
    if (next.state == Automaton::dead) {
      continue;
    }
    automaton.spend(8); // about what it takes
    text.resize(last.text);
    text += static_cast<char>(byte);
    DistinctItems now = last.items;
    bool fits = now.step(text, automaton.opensDistinct(last.position, byte));
    found = ++tries > maximumTries;
    if (!fits || found) {
      continue;
    }
    if (goal == wholeList && !now.inList()) {
      found = true;
    } else if (goal == wholeList || now.completed() == at.completed()) {
      open.push_back({next, std::move(now), text.size(), 256});
    }
  }
  text.resize(before);
  return found;
}

size_t RepeatFilter::bytes() const {
  constexpr size_t perItem = 128, perPosition = 32;
  size_t depth =
      path.size() * sizeof(Visit) + items.capacity() * sizeof(DistinctItems);
  return text.capacity() + current.remembered() * perItem +
         roomy.size() * perPosition + depth;
}

} // namespace cheems::grammar
