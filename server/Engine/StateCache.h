// States of sequences that may come again: a trie of token ids with snapshots,
// under a budget of bytes.
#ifndef CHEEMS_SERVER_ENGINE_STATECACHE_H
#define CHEEMS_SERVER_ENGINE_STATECACHE_H

#include "runtime/Session/Session.h"

#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cheems::serve {

/// A state after some tokens. Either whole, for any slot, or the part of it
/// that does not grow (Session::writeState), which only the slot that it was
/// taken of can take back.
struct KeptState {
  int64_t position = 0; ///< tokens
  bool exact = false;   ///< the bits of a whole prefill go on from here
  int64_t rope = 0;     ///< as SlotContents
  int64_t slot = -1;    ///< of a partial one
  std::string partial;
  Snapshot whole;
  int64_t uses = 0;

  bool isPartial() const { return slot >= 0; }
  int64_t bytes() const;
};

class StateCache {
  struct Node;

public:
  explicit StateCache(int64_t budget);
  ~StateCache();

  using Tokens = std::vector<int32_t>;
  struct Match {
    /// So many of the given tokens are the beginning of a kept sequence.
    int64_t common = 0;
    /// Kept along them, shortest first.
    std::vector<KeptState *> states;
    /// One whose sequence begins with those `common` tokens and goes on; null:
    /// there is none.
    KeptState *longer = nullptr;
  };
  /// States that are shared within `isolation`. The pointers hold until the
  /// next `keep`, `makeRoom` or `drop`.
  Match find(const std::string &isolation, const Tokens &tokens) const;

  /// Frees the least recently used states until so many bytes more fit; false
  /// where they never do.
  bool makeRoom(int64_t bytes);
  /// Keeps the state after the first `state.position` of the tokens, where it
  /// fits. A whole one replaces a partial one, and of two alike the newer
  /// stays.
  void keep(const std::string &isolation, const Tokens &tokens,
            KeptState state);
  /// It was used: others go first.
  void touch(KeptState *state);
  /// It stays until another one is pinned, or null.
  void pin(KeptState *state) { pinned = state; }
  /// The longest partial one of a slot after its first `tokens` tokens; null:
  /// there is none.
  KeptState *partialOf(int64_t slot, int64_t tokens) const;
  /// Takes it out of the cache.
  KeptState drop(KeptState *state);
  void clear();

  int64_t bytes() const { return used; }
  int64_t budget() const { return limit; }
  int64_t evictions() const { return evicted; }
  size_t count() const { return entries.size(); }
  /// Names that states are kept under.
  size_t isolations() const { return roots.size(); }

private:
  struct Entry : KeptState {
    Node *node = nullptr;
    std::list<Entry *>::iterator place;
  };
  static int64_t costOf(const KeptState &state);
  Node *nodeAt(Node *root, const Tokens &tokens, size_t depth);
  void prune(Node *node);

  int64_t limit, used = 0, evicted = 0;
  KeptState *pinned = nullptr;
  std::map<std::string, std::unique_ptr<Node>> roots; ///< by isolation
  std::list<Entry *> entries; ///< least recently used first
};

} // namespace cheems::serve

#endif
