#include "server/Engine/SlotStates.h"
#include <algorithm>
#include <numeric>

namespace cheems::serve {

namespace {

/// Fewer are fed again sooner than they are copied.
constexpr int64_t worthKeeping = 16;

int64_t commonOf(const std::vector<int32_t> &a, const std::vector<int32_t> &b) {
  size_t most = std::min(a.size(), b.size());
  return std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(most),
                       b.begin())
             .first -
         a.begin();
}

} // namespace

int64_t promptUnit(const Model &model) {
  int64_t block = std::max<int64_t>(1, model.metadata().block),
          chunk = std::max<int64_t>(1, model.variant().ssdChunk);
  return std::lcm(block, chunk);
}

SlotStates::SlotStates(Session &session, int64_t cacheBytes, bool exactOnly)
    : session(session), states(cacheBytes),
      contents(static_cast<size_t>(session.slots())), exactOnly(exactOnly),
      cut(promptUnit(session.model())) {
  const Metadata &data = session.model().metadata();
  byPosition =
      std::all_of(data.state.begin(), data.state.end(),
                  [](const StateKind &kind) { return kind.hasCapacity(); });
  evicts = data.evicts(session.context());
  anyCut = byPosition && data.keepWindow == 0;
  trained = data.dynamicRope ? std::max<int64_t>(1, data.trainedContext) : 0;
}

int64_t SlotStates::baseOf(int64_t length) const {
  return trained == 0 ? 0 : std::max(trained, length);
}

bool SlotStates::exactAt(const SlotContents &slot, int64_t position) const {
  return position <= slot.exactTo && (anyCut || position % cut == 0);
}

/// The furthest place, at most `most`, that the slot can go back to without a
/// kept state.
int64_t SlotStates::back(int64_t number, int64_t most) const {
  const SlotContents &slot = contents[static_cast<size_t>(number)];
  auto size = static_cast<int64_t>(slot.tokens.size());
  int64_t place = std::min(size, most);
  if (exactOnly) {
    place = std::min(place, slot.exactTo);
    place -= anyCut ? 0 : place % cut;
  }
  return session.canRewind(number, place) ? place : 0;
}

bool SlotStates::hasFree() const {
  return std::any_of(contents.begin(), contents.end(),
                     [](const SlotContents &slot) { return !slot.busy; });
}

/// An empty one, else the one that was used longest ago.
int64_t SlotStates::oldestFree() const {
  int64_t found = -1;
  auto key = [&](int64_t slot) {
    const SlotContents &each = contents[static_cast<size_t>(slot)];
    return std::make_pair(!each.tokens.empty(), each.used);
  };
  for (int64_t i = 0; i < session.slots(); ++i) {
    if (!contents[static_cast<size_t>(i)].busy &&
        (found < 0 || key(i) < key(found))) {
      found = i;
    }
  }
  return found;
}

void SlotStates::considerKept(const std::vector<int32_t> &prompt,
                              const std::string &isolation,
                              std::optional<int64_t> wanted, int64_t rope,
                              Candidate &found, int64_t &common) {
  StateCache::Match match = states.find(isolation, prompt);
  common = std::max(common, match.common);
  int64_t most = static_cast<int64_t>(prompt.size()) - 1;
  auto fits = [&](const KeptState &state) {
    if (state.rope != rope || (exactOnly && !state.exact)) {
      return false;
    }
    return !state.isPartial() ||
           (!contents[static_cast<size_t>(state.slot)].busy &&
            (!wanted || *wanted == state.slot));
  };
  for (KeptState *state : match.states) {
    if (state->position <= most && state->position > found.cached &&
        fits(*state)) {
      found = {state->position, state->slot, -1, state};
    }
  }
  // a longer one, where a slot can go back from it
  if (match.longer && goesBack() && !match.longer->isPartial() &&
      fits(*match.longer)) {
    int64_t place = std::min(match.common, most);
    if (place > found.cached) {
      found = {place, -1, -1, match.longer};
    }
  }
}

SlotStates::Candidate SlotStates::best(const std::vector<int32_t> &prompt,
                                       const std::string &isolation,
                                       std::optional<int64_t> wanted,
                                       int64_t &common) {
  auto size = static_cast<int64_t>(prompt.size());
  int64_t rope = baseOf(size);
  Candidate found;
  for (int64_t i = 0; i < session.slots(); ++i) {
    const SlotContents &slot = contents[static_cast<size_t>(i)];
    if (slot.tokens.empty() || slot.isolation != isolation || !slot.keepable) {
      continue;
    }
    int64_t same = commonOf(slot.tokens, prompt);
    common = std::max(common, same);
    int64_t place = back(i, std::min(same, size - 1));
    if (slot.rope != rope || place <= found.cached) {
      continue;
    }
    if (!slot.busy && (!wanted || *wanted == i)) {
      found = {place, i, -1, nullptr};
    } else if (goesBack() && place >= worthKeeping) {
      found = {place, -1, i, nullptr};
    }
  }
  considerKept(prompt, isolation, wanted, rope, found, common);
  return found;
}

Reuse SlotStates::take(const std::vector<int32_t> &prompt,
                       const std::string &isolation,
                       std::optional<int64_t> wanted, bool reuse) {
  Reuse result;
  if (wanted && contents[static_cast<size_t>(*wanted)].busy) {
    wanted.reset();
  }
  Candidate chosen;
  if (reuse) {
    chosen = best(prompt, isolation, wanted, result.common);
  }
  int64_t slot = chosen.slot >= 0 ? chosen.slot : wanted.value_or(oldestFree());
  if (slot < 0) {
    return result;
  }
  try {
    begin(chosen, slot, prompt);
  } catch (const std::exception &) { // a GPU failed, or memory is short
    states.pin(nullptr);
    erase(slot);
  }
  SlotContents &now = contents[static_cast<size_t>(slot)];
  now.isolation = isolation;
  now.busy = true;
  now.keepable = reuse;
  now.used = ++clock;
  if (now.tokens.empty()) {
    now.rope = baseOf(static_cast<int64_t>(prompt.size()));
  }
  result.slot = slot;
  result.cached = static_cast<int64_t>(now.tokens.size());
  return result;
}

/// Brings a free slot to where the candidate begins.
void SlotStates::begin(const Candidate &chosen, int64_t slot,
                       const std::vector<int32_t> &prompt) {
  SlotContents &now = contents[static_cast<size_t>(slot)];
  if (chosen.state) {
    states.touch(chosen.state);
    states.pin(chosen.state); // while what the slot loses is kept
    const KeptState &state = *chosen.state;
    save(slot, state.isPartial() ? state.position : 0);
    if (state.isPartial()) {
      session.readState(slot, state.partial);
    } else {
      session.restore(slot, state.whole);
      now.rope = state.rope;
    }
    now.exactTo = state.exact ? state.position : 0;
  } else if (chosen.from >= 0) {
    save(slot, 0);
    session.copy(chosen.from, slot);
    const SlotContents &from = contents[static_cast<size_t>(chosen.from)];
    now.exactTo = from.exactTo;
    now.rope = from.rope;
  } else {
    save(slot, chosen.cached);
  }
  states.pin(nullptr);
  if (chosen.cached == 0 || (chosen.cached < session.position(slot) &&
                             !session.rewind(slot, chosen.cached))) {
    empty(slot);
    return;
  }
  now.tokens.assign(prompt.begin(), prompt.begin() + chosen.cached);
  now.exactTo = std::min(now.exactTo, chosen.cached);
}

void SlotStates::truncate(int64_t slot, int64_t tokens) {
  SlotContents &now = contents[static_cast<size_t>(slot)];
  now.tokens.resize(static_cast<size_t>(tokens));
  now.exactTo = std::min(now.exactTo, tokens);
}

void SlotStates::empty(int64_t slot) {
  session.reset(slot);
  SlotContents &now = contents[static_cast<size_t>(slot)];
  now.tokens.clear();
  now.exactTo = 0;
}

/// Keeps the whole state of the slot, where there is room for it.
void SlotStates::keepWhole(int64_t slot, int64_t uses) {
  const SlotContents &now = contents[static_cast<size_t>(slot)];
  KeptState state;
  state.position = session.position(slot);
  state.exact = exactAt(now, state.position);
  state.rope = now.rope;
  state.uses = uses;
  auto bytes = static_cast<int64_t>(session.stateBytes(slot, false));
  if (state.rope < 0 || (exactOnly && !state.exact) ||
      !states.makeRoom(bytes + bytes / 8)) {
    return;
  }
  state.whole = session.snapshot(slot);
  states.keep(now.isolation, now.tokens, std::move(state));
}

/// Called before the slot loses what follows its first `kept` tokens. Keeps the
/// whole state, and of the slot's partial states the longest and those that
/// were used.
void SlotStates::save(int64_t slot, int64_t kept) {
  SlotContents &now = contents[static_cast<size_t>(slot)];
  auto size = static_cast<int64_t>(now.tokens.size());
  bool worth = states.budget() > 0 && now.keepable && now.rope >= 0;
  if (worth && size - kept >= worthKeeping) {
    keepWhole(slot, 0);
  }
  bool first = true;
  while (KeptState *partial = states.partialOf(slot, kept)) {
    KeptState state = states.drop(partial);
    if (!worth || state.position < worthKeeping ||
        (!first && state.uses == 0)) {
      continue;
    }
    first = false;
    session.readState(slot, state.partial);
    truncate(slot, state.position);
    now.exactTo = state.exact ? state.position : now.exactTo;
    keepWhole(slot, state.uses);
  }
}

int64_t SlotStates::fork(int64_t from) {
  return forkInto(contents[static_cast<size_t>(from)],
                  [&](int64_t slot) { session.copy(from, slot); });
}

int64_t SlotStates::fork(const Snapshot &state, const SlotContents &like) {
  return forkInto(like, [&](int64_t slot) { session.restore(slot, state); });
}

/// `fill` gives a free slot the state that `like` tells of.
int64_t SlotStates::forkInto(const SlotContents &like,
                             const std::function<void(int64_t slot)> &fill) {
  int64_t slot = oldestFree();
  if (slot < 0) {
    return slot;
  }
  SlotContents &now = contents[static_cast<size_t>(slot)];
  try {
    save(slot, 0);
    fill(slot);
    now = like;
  } catch (...) {
    // A GPU failed or memory is short: what the slot holds is not known.
    erase(slot);
    throw;
  }
  now.busy = true;
  now.used = ++clock;
  return slot;
}

void SlotStates::release(int64_t slot) {
  SlotContents &now = contents[static_cast<size_t>(slot)];
  now.busy = false;
  now.used = ++clock;
  if (!now.keepable) {
    empty(slot);
  }
}

void SlotStates::fed(int64_t slot, Span<const int32_t> tokens, int64_t prompt) {
  SlotContents &now = contents[static_cast<size_t>(slot)];
  auto before = static_cast<int64_t>(now.tokens.size());
  now.tokens.insert(now.tokens.end(), tokens.begin(), tokens.end());
  int64_t after = before + tokens.size();
  bool goesOn = now.exactTo == before && (anyCut || before % cut == 0);
  if (anyCut ? goesOn : prompt != 0 && goesOn) {
    now.exactTo = after;
  }
  if (now.rope != baseOf(prompt != 0 ? prompt : after)) {
    now.rope = -1;
  }
}

void SlotStates::keep(int64_t slot, bool shared) {
  const SlotContents &now = contents[static_cast<size_t>(slot)];
  if (states.budget() == 0 || !now.keepable || now.rope < 0) {
    return;
  }
  // A whole one serves other slots, too; where a window evicts there is no
  // other.
  if (evicts || shared) {
    keepWhole(slot, 0);
    return;
  }
  KeptState state;
  state.position = session.position(slot);
  state.exact = exactAt(now, state.position);
  state.rope = now.rope;
  state.slot = slot;
  size_t bytes = session.stateBytes(slot, true);
  if ((exactOnly && !state.exact) ||
      !states.makeRoom(static_cast<int64_t>(bytes))) {
    return;
  }
  state.partial.resize(bytes);
  session.writeState(slot, true, state.partial.data());
  states.keep(now.isolation, now.tokens, std::move(state));
}

void SlotStates::loaded(int64_t slot, std::vector<int32_t> tokens,
                        std::string isolation) {
  while (KeptState *partial = states.partialOf(slot, 0)) {
    states.drop(partial);
  }
  SlotContents &now = contents[static_cast<size_t>(slot)];
  bool constant = trained == 0;
  now.rope = constant ? 0 : baseOf(static_cast<int64_t>(tokens.size()));
  now.exactTo = anyCut ? static_cast<int64_t>(tokens.size()) : 0;
  now.tokens = std::move(tokens);
  now.isolation = std::move(isolation);
  now.keepable = true;
  now.used = ++clock;
}

void SlotStates::erase(int64_t slot) {
  while (KeptState *partial = states.partialOf(slot, 0)) {
    states.drop(partial);
  }
  empty(slot);
}

} // namespace cheems::serve
