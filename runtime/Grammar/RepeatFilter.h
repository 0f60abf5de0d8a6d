// Takes tokens out of a mask that would repeat an item of a list whose items
// must differ, and those after which no new item could follow.
#ifndef CHEEMS_RUNTIME_GRAMMAR_REPEATFILTER_H
#define CHEEMS_RUNTIME_GRAMMAR_REPEATFILTER_H

#include "runtime/Grammar/Automaton.h"
#include "runtime/Grammar/DistinctItems.h"
#include "runtime/Grammar/VocabularyTrie.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace cheems::grammar {

class RepeatFilter {
public:
  /// The text goes on by these bytes, which lead from the position; whether no
  /// item is there twice. Where it is not, nothing has changed.
  bool accept(Automaton &automaton, Automaton::Position from,
              std::string_view bytes);
  /// Begins a walk through all tokens from the position.
  void begin(const VocabularyTrie &vocabulary, Automaton::Position from);
  /// Walks until so much work is done; whether the walk is over.
  bool advance(Automaton &automaton, std::vector<uint32_t> &mask, size_t until);
  /// Positions mean something else now.
  void forgetPositions() {
    rooms.clear();
    roomy = {};
    kept.clear();
    keptPlaces = 0;
  }
  /// About what it takes of memory.
  size_t bytes() const;

private:
  /// Says where a node of the walk is. Items are those of its last node that
  /// changed them.
  struct Visit {
    Automaton::Position position;
    size_t items = 0;
    size_t text = 0; ///< bytes
  };

  bool keepsPlaces() const;
  std::tuple<uint32_t, uint32_t, int> keyOfPlaces() const;
  void goTo(Automaton &automaton, uint32_t to);
  void visit(Automaton &automaton, std::vector<uint32_t> &mask);
  bool hasRoom(const Automaton &automaton, Automaton::Position from,
               bool inScalar);
  bool beginsNew(const DistinctItems &items) const;
  bool canGoOn(Automaton &automaton, Automaton::Position from,
               const DistinctItems &items);

  DistinctItems current; ///< of the text so far
  /// Keys of the outermost list's items.
  std::set<std::string, std::less<>> keys;
  std::string text; ///< since that began
  const VocabularyTrie *vocabulary = nullptr;
  uint32_t node = 0, end = 0;       ///< where the walk is
  std::vector<Visit> path;          ///< by depth in the trie
  std::vector<DistinctItems> items; ///< of the path
  /// Positions, and whether very many items may follow there.
  std::unordered_map<uint64_t, bool> rooms;
  Automaton::Position roomy; ///< the last one for which that is so

  /// Nodes of the trie where something happens first: what others lead to can
  /// follow whatever the items are.
  using Places = std::shared_ptr<const std::vector<uint32_t>>;
  std::vector<uint32_t> places; ///< those of this walk
  uint32_t placesEnd = 0;
  /// Places are found by position and part of the item.
  std::map<std::tuple<uint32_t, uint32_t, int>, Places> kept;
  size_t keptPlaces = 0;
  Places known; ///< that this walk goes through
  size_t nextKnown = 0;
};

} // namespace cheems::grammar

#endif
