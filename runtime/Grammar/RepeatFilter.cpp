#include "runtime/Grammar/RepeatFilter.h"

namespace cheems::grammar {

using Position = Automaton::Position;

/// Where an item can go on in more ways than can be tried, one of them is taken
/// to be right.
static constexpr size_t maximumTries = size_t(1) << 15;
/// All kept positions together are at most so many.
static constexpr size_t maximumKeptPlaces = size_t(1) << 20;

bool RepeatFilter::accept(Automaton &automaton, Position from,
                          std::string_view bytes) {
  DistinctItems next = current;
  size_t before = text.size();
  for (char byte : bytes) {
    Position to = automaton.step(from, static_cast<uint8_t>(byte));
    text += byte;
    if (to.state == Automaton::dead ||
        !next.step(text, automaton.opens(from, byte))) {
      text.resize(before);
      return false;
    }
    from = to;
  }
  next.addKeys(current, keys);
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
  end = of.nodes()[0].end;
  known = nullptr;
  places.clear();
  placesEnd = 0;
  if (keepsPlaces()) {
    auto found = kept.find(keyOfPlaces());
    if (found != kept.end()) {
      known = found->second;
      nextKnown = 0;
      node = end;
    }
  }
}

/// Within one text, say a string, what a token does depends on the position
/// alone until a byte that ends or begins something.
bool RepeatFilter::keepsPlaces() const {
  return current.inItem() && !current.isNested();
}

std::tuple<uint32_t, uint32_t, int> RepeatFilter::keyOfPlaces() const {
  return {path[0].position.state, path[0].position.base, current.part()};
}

bool RepeatFilter::advance(Automaton &automaton, std::vector<uint32_t> &mask,
                           size_t until) {
  while (true) {
    while (node < end) {
      if (automaton.worked() >= until) {
        return false;
      }
      visit(automaton, mask);
    }
    if (!known || nextKnown == known->size()) {
      break;
    }
    goTo(automaton, (*known)[nextKnown++]);
  }
  text.resize(path[0].text);
  if (!known && keepsPlaces() &&
      keptPlaces + places.size() <= maximumKeptPlaces) {
    keptPlaces += places.size();
    kept.emplace(keyOfPlaces(),
                 std::make_shared<const std::vector<uint32_t>>(places));
  }
  return true;
}

/// The walk goes on with this node and what goes on from it. Nothing happens on
/// the way there.
void RepeatFilter::goTo(Automaton &automaton, uint32_t to) {
  const VocabularyTrie::Node &at = vocabulary->nodes()[to];
  node = to;
  end = at.end;
  std::string_view bytes =
      vocabulary->bytes(vocabulary->token(vocabulary->firstToken(to)));
  items.resize(1);
  text.resize(path[0].text);
  automaton.spend(at.depth);
  for (uint32_t depth = 1; depth < at.depth; ++depth) {
    auto byte = static_cast<uint8_t>(bytes[depth - 1]);
    text += bytes[depth - 1];
    path[depth] = {automaton.step(path[depth - 1].position, byte), 0,
                   text.size()};
  }
}

void RepeatFilter::visit(Automaton &automaton, std::vector<uint32_t> &mask) {
  automaton.spend(1);
  const VocabularyTrie::Node &at = vocabulary->nodes()[node];
  const Visit &before = path[at.depth - 1];
  items.resize(before.items + 1);
  // outside of a list nothing happens before one begins
  bool skipped = !items.back().inList() && !at.opensList;
  Position next =
      skipped ? Position() : automaton.step(before.position, at.byte);
  if (next.state == Automaton::dead) {
    node = at.end;
    return;
  }
  text.resize(before.text);
  text += static_cast<char>(at.byte);
  Node::Mark opens = automaton.opens(before.position, at.byte);
  bool fits = true;
  bool changes =
      opens != Node::none || !items.back().ignores(static_cast<char>(at.byte));
  if (changes) {
    items.push_back(items.back());
    automaton.spend(items.back().remembered());
    fits = items.back().step(text, opens);
  }
  path[at.depth] = {next, items.size() - 1, text.size()};
  bool isToken =
      vocabulary->firstToken(node) != vocabulary->firstToken(node + 1);
  const DistinctItems &now = items.back();
  bool mayMatter = fits && isToken && now.mayFail() &&
                   !(now.inItem() && hasRoom(automaton, next, now.inScalar()));
  if ((changes || mayMatter) && node >= placesEnd) {
    places.push_back(node);
    placesEnd = at.end;
  }
  if (fits && (!mayMatter || beginsNew(now) || canGoOn(automaton, next, now))) {
    ++node;
    return;
  }
  for (uint32_t index = vocabulary->firstToken(node);
       index != vocabulary->firstToken(at.end); ++index) {
    auto token = static_cast<uint32_t>(vocabulary->token(index));
    mask[token / 32] &= ~(uint32_t(1) << token % 32);
  }
  node = at.end;
}

/// Whether there are so many ways to the end of the item that one surely is
/// new, whatever the items are.
bool RepeatFilter::hasRoom(const Automaton &automaton, Position from,
                           bool inScalar) {
  // most tokens lead to one place
  if (from.state == roomy.state && from.base == roomy.base) {
    return true;
  }
  auto [found, isNew] =
      rooms.try_emplace(uint64_t(from.state) << 32 | from.base);
  if (isNew) {
    found->second = automaton.hasManyItems(from, inScalar);
  }
  roomy = found->second ? from : roomy;
  return found->second;
}

/// Whether no item begins like this one.
bool RepeatFilter::beginsNew(const DistinctItems &at) const {
  std::optional<std::string_view> begun = at.plainString(text);
  if (!begun || at.remembered() != current.remembered()) {
    return false;
  }
  auto like = keys.lower_bound(*begun);
  return like == keys.end() || like->compare(0, begun->size(), *begun) != 0;
}

/// Tries what may follow: whether the item can become one that is not there
/// yet. Then others like it follow, until there are enough; but where items are
/// listed, whether the list can end.
bool RepeatFilter::canGoOn(Automaton &automaton, Position from,
                           const DistinctItems &at) {
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
    if (next.state == Automaton::dead ||
        (byte == ' ' && !last.items.inString())) {
      continue;
    }
    automaton.spend(8); // about what it takes
    text.resize(last.text);
    text += static_cast<char>(byte);
    DistinctItems now = last.items;
    if (!now.step(text, automaton.opens(last.position, byte))) {
      ++tries;
      continue;
    }
    bool done =
        !now.inList() || (!at.isTuple() && now.completed() > at.completed());
    found = done || ++tries > maximumTries ||
            automaton.worked() > maximumWork / 2 ||
            (now.inItem() &&
             (hasRoom(automaton, next, now.inScalar()) || beginsNew(now)));
    if (!found) {
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
  size_t places = keptPlaces * sizeof(uint32_t);
  return text.capacity() + places + 2 * current.remembered() * perItem +
         rooms.size() * perPosition + depth;
}

} // namespace cheems::grammar
