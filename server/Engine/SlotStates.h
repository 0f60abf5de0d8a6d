// What the slots of a session hold between requests, and how much of a new
// prompt need not be computed because of it.
#ifndef CHEEMS_SERVER_ENGINE_SLOTSTATES_H
#define CHEEMS_SERVER_ENGINE_SLOTSTATES_H

#include "runtime/Session/Session.h"
#include "server/Engine/StateCache.h"

#include <functional>
#include <optional>

namespace cheems::serve {

/// Prompts of a model are cut at multiples of it, so that they give the same
/// bits however often they are cut.
int64_t promptUnit(const Model &model);

/// What is known about one slot.
struct SlotContents {
  std::vector<int32_t> tokens; ///< it was fed
  std::string isolation;
  /// The state of the first `exactTo` tokens has the bits that a prefill of
  /// these tokens alone gives it.
  int64_t exactTo = 0;
  /// The length that its rotary base was computed for, where it depends on one;
  /// -1: on several.
  int64_t rope = 0;
  bool busy = false;
  bool keepable = true; ///< the request lets its state be used again
  uint64_t used = 0;    ///< larger: later
};

/// Says which slot a prompt takes, and how many of its tokens that slot has
/// already.
struct Reuse {
  int64_t slot = -1; ///< none: all are busy
  int64_t cached = 0;
  /// Tokens that some earlier sequence had in common with the prompt.
  int64_t common = 0;
};

/// A model's states are of one of three kinds. If all of a state is in entries
/// that no window evicts, a slot can go back to any token. Otherwise it can
/// only go back to a moment whose state was kept. If entries stay, the part
/// that does not grow is kept, else the whole state.
class SlotStates {
public:
  SlotStates(Session &session, int64_t cacheBytes, bool exactOnly);

  /// promptUnit of the model.
  int64_t unit() const { return cut; }
  /// Whether a slot can go back, so that nothing is kept while a prompt is fed.
  bool goesBack() const { return byPosition && !evicts; }

  const std::vector<SlotContents> &slots() const { return contents; }
  bool hasFree() const;
  /// Takes a free slot for a prompt and brings it as near to the prompt's end
  /// as can be; at least one token is left to feed. `wanted`: this slot, where
  /// it is free. Without `reuse` it begins empty.
  Reuse take(const std::vector<int32_t> &prompt, const std::string &isolation,
             std::optional<int64_t> wanted, bool reuse);
  /// A free slot that goes on where slot `from` is; -1: there is none. Throws
  /// what the session does, after which the slot is free and empty.
  int64_t fork(int64_t from);
  /// The same from a state; `like` says what it holds.
  int64_t fork(const Snapshot &state, const SlotContents &like);
  /// It is free again; where its state may not be used again it is emptied.
  void release(int64_t slot);

  /// The slot was fed more tokens: of a prompt of so many tokens, or, where
  /// that is 0, decoded.
  void fed(int64_t slot, Span<const int32_t> tokens, int64_t prompt);
  /// Keeps the state that the slot has now.
  void keep(int64_t slot, bool shared);

  /// A slot that is free gets another state or none.
  void loaded(int64_t slot, std::vector<int32_t> tokens, std::string isolation);
  void erase(int64_t slot);

  StateCache &cache() { return states; }

private:
  struct Candidate {
    int64_t cached = 0;
    int64_t slot = -1;          ///< to run in; -1: any that is free
    int64_t from = -1;          ///< a busy slot to copy from
    KeptState *state = nullptr; ///< to go back to, or to load
  };
  int64_t baseOf(int64_t length) const;
  bool exactAt(const SlotContents &slot, int64_t position) const;
  int64_t back(int64_t number, int64_t most) const;
  Candidate best(const std::vector<int32_t> &prompt,
                 const std::string &isolation, std::optional<int64_t> wanted,
                 int64_t &common);
  void considerKept(const std::vector<int32_t> &prompt,
                    const std::string &isolation, std::optional<int64_t> wanted,
                    int64_t rope, Candidate &found, int64_t &common);
  int64_t oldestFree() const;
  int64_t forkInto(const SlotContents &like,
                   const std::function<void(int64_t slot)> &fill);
  void begin(const Candidate &chosen, int64_t slot,
             const std::vector<int32_t> &prompt);
  void save(int64_t slot, int64_t kept);
  void empty(int64_t slot);
  void truncate(int64_t slot, int64_t tokens);
  void keepWhole(int64_t slot, int64_t uses);

  Session &session;
  StateCache states;
  std::vector<SlotContents> contents;
  bool exactOnly;
  bool byPosition; ///< all pools grow with the sequence
  bool evicts;     ///< a window may
  bool anyCut;     ///< the bits do not depend on where a prompt is cut
  int64_t cut;
  int64_t trained; ///< 0: no dynamic rotary base
  uint64_t clock = 0;
};

} // namespace cheems::serve

#endif
