// What waits, in turns of those it is for: nobody waits longer because somebody
// else has brought more.
#ifndef CHEEMS_SERVER_ENGINE_FAIRQUEUE_H
#define CHEEMS_SERVER_ENGINE_FAIRQUEUE_H

#include <cstddef>
#include <deque>
#include <list>
#include <string>
#include <unordered_map>
#include <utility>

namespace cheems::serve {

/// One item of each party, then the next one of each: those of a party in the
/// order in which they came. For one thread at a time.
template <typename Item> class FairQueue {
public:
  bool empty() const { return lines.empty(); }
  size_t size() const { return count; }
  /// How many a party has.
  size_t sizeOf(const std::string &party) const {
    auto found = places.find(party);
    return found == places.end() ? 0 : found->second->items.size();
  }

  void push(const std::string &party, Item item) {
    auto [place, isNew] = places.try_emplace(party);
    if (isNew) {
      place->second = lines.insert(lines.end(), Line{party, {}});
    }
    place->second->items.push_back(std::move(item));
    ++count;
  }

  /// Gives the turn to the next party whose item may go now; false where there
  /// is none.
  template <typename May> bool turnTo(const May &may) {
    for (auto line = lines.begin(); line != lines.end(); ++line) {
      if (may(line->items.front())) {
        lines.splice(lines.begin(), lines, line);
        return true;
      }
    }
    return false;
  }
  /// The one whose turn it is; there is one.
  Item pop() {
    Line &line = lines.front();
    Item item = std::move(line.items.front());
    line.items.pop_front();
    --count;
    if (line.items.empty()) {
      places.erase(line.party);
      lines.pop_front();
    } else {
      lines.splice(lines.end(), lines, lines.begin());
    }
    return item;
  }

  /// Takes out those for which `over` is true.
  template <typename Over> void removeIf(const Over &over) {
    for (auto line = lines.begin(); line != lines.end();) {
      std::deque<Item> kept;
      for (Item &item : line->items) {
        if (!over(item)) {
          kept.push_back(std::move(item));
        }
      }
      count -= line->items.size() - kept.size();
      line->items.swap(kept);
      if (line->items.empty()) {
        places.erase(line->party);
        line = lines.erase(line);
      } else {
        ++line;
      }
    }
  }

  template <typename See> void forEach(const See &see) {
    for (Line &line : lines) {
      for (Item &item : line.items) {
        see(item);
      }
    }
  }
  /// Calls `see` with the item of each party that has waited longest.
  template <typename See> void forEachFirst(const See &see) const {
    for (const Line &line : lines) {
      see(line.items.front());
    }
  }

private:
  struct Line {
    std::string party;
    std::deque<Item> items; ///< never empty
  };
  std::list<Line> lines; ///< the first one's turn is next
  std::unordered_map<std::string, typename std::list<Line>::iterator> places;
  size_t count = 0;
};

} // namespace cheems::serve

#endif
