// What a slot holds: going back, copies of a moment, files.
#include "runtime/Session/Session.h"
#include "runtime/State/StateFile.h"
#include <algorithm>
#include <cstring>

using namespace cheems;

/// A slot keeps so many bytes when it is reset. If they went back to the
/// system, the next sequence would have to get them again, page by page in its
/// steps.
constexpr int64_t keptBytes = int64_t{16} << 20;

void Session::setPosition(int64_t slot, int64_t tokens) {
  positions[slot] = static_cast<int32_t>(tokens);
  reached[slot] = std::max(reached[slot], positions[slot]);
}

template <typename Act>
void Session::change(int64_t slot, int32_t position, int32_t kept,
                     const Act &act) {
  setPosition(slot, position); // the memory is in use from now on
  histories[slot].wentBack(kept);
  positions[slot] = 0; // a file or a GPU that fails now leaves an empty slot
  try {
    act();
  } catch (...) {
    histories[slot].wentBack(0);
    throw;
  }
  positions[slot] = position;
  // A state has as many; a partial one is there only while none goes.
  const Metadata &data = compiled->metadata();
  firstRows[slot] =
      data.ringWindow != 0 ? position - data.ringRows(position) : 0;
}

int64_t Session::position(int64_t slot) const {
  checkSlot(slot);
  return positions[slot];
}

void Session::reset(int64_t slot) {
  checkSlot(slot);
  positions[slot] = 0; // compiled code ignores a slot's content at position 0
  histories[slot].wentBack(0);
  firstRows[slot] = 0;
  int64_t entries = compiled->metadata().usedEntries(reached[slot]);
  if (pools().usedBytes(entries) - pools().usedBytes(0) > keptBytes) {
    pools().release(slot);
    reached[slot] = 0;
  }
}

bool Session::canRewind(int64_t slot, int64_t tokens) const {
  checkSlot(slot);
  if (tokens == 0 || tokens == positions[slot]) {
    return true;
  }
  const Metadata &data = compiled->metadata();
  bool byPosition =
      std::all_of(data.state.begin(), data.state.end(),
                  [](const StateKind &kind) { return kind.hasCapacity(); });
  bool evicted = data.keepWindow != 0 && positions[slot] > data.keepWindow;
  bool overwritten =
      data.ringWindow != 0 && tokens - data.ringRows(tokens) < firstRows[slot];
  return byPosition && !evicted && !overwritten;
}

bool Session::rewind(int64_t slot, int64_t tokens) {
  checkSlot(slot);
  if (tokens < 0 || tokens > positions[slot]) {
    throw Error(Status::usage,
                "slot " + std::to_string(slot) + " cannot go back to " +
                    std::to_string(tokens) + " tokens: it holds " +
                    std::to_string(positions[slot]));
  }
  if (!canRewind(slot, tokens)) {
    return false;
  }
  if (tokens == 0) {
    reset(slot);
  } else if (tokens != positions[slot]) {
    setPosition(slot, tokens);
    histories[slot].wentBack(positions[slot]);
  }
  return true;
}

int64_t Session::entries(int64_t slot) const {
  checkSlot(slot);
  return compiled->metadata().usedEntries(positions[slot]);
}

void Session::checkFits(const std::string &what, int64_t tokens) const {
  if (tokens > contextLength) {
    throw ContextFull(what + " holds " + std::to_string(tokens) +
                      " tokens, more than the context of " +
                      std::to_string(contextLength) + "; raise it with -c");
  }
}

Snapshot Session::snapshot(int64_t slot) const {
  int64_t used = entries(slot);
  Snapshot result;
  result.position = positions[slot];
  pools().save(slot, used, result.state);
  return result;
}

void Session::restore(int64_t slot, const Snapshot &snapshot) {
  checkSlot(slot);
  checkFits("the saved state", snapshot.position);
  if (!pools().takes(snapshot.state)) {
    throw Error(Status::usage,
                "the saved state is of another model or does not fit");
  }
  change(slot, snapshot.position, 0,
         [&] { pools().restore(slot, snapshot.state); });
}

void Session::copy(int64_t from, int64_t to) {
  int64_t used = entries(from);
  checkSlot(to);
  if (from != to) {
    change(to, positions[from], 0, [&] { pools().copy(from, to, used); });
  }
}

void Session::save(int64_t slot, const std::string &path,
                   std::string_view application) const {
  int64_t used = entries(slot);
  writeStateFile(path, {StateIdentity::of(*compiled), pools(), slot,
                        positions[slot], used, application});
}

std::string Session::load(int64_t slot, const std::string &path) {
  checkSlot(slot);
  StateFile file(path, StateIdentity::of(*compiled), compiled->metadata());
  checkFits(path, file.position());
  if (file.partial()) {
    throw Error(path + ": holds a partial state, which only the slot that it "
                       "was taken of can read, from memory");
  }
  file.check(pools());
  std::string application = file.application();
  change(slot, file.position(), 0,
         [&] { file.read(pools(), slot, application); });
  return application;
}

Session::Place Session::placeOf(int64_t slot) const {
  return {identity, static_cast<uint64_t>(slot), histories[slot].moment()};
}

bool Session::evicts() const {
  return compiled->metadata().evicts(contextLength);
}

template <typename Use>
auto Session::toWrite(int64_t slot, bool partial, const Use &use) const {
  int64_t used = entries(slot);
  StateIdentity model = StateIdentity::of(*compiled);
  if (!partial || evicts()) {
    return use({model, pools(), slot, positions[slot], used, {}});
  }
  Place place = placeOf(slot);
  std::string_view application(reinterpret_cast<const char *>(&place),
                               sizeof(place));
  return use({model, pools(), slot, positions[slot], 0, application, true});
}

size_t Session::stateBytes(int64_t slot, bool partial) const {
  return toWrite(slot, partial,
                 [](const StateToWrite &state) { return state.bytes(); });
}

void Session::writeState(int64_t slot, bool partial, char *bytes) const {
  toWrite(slot, partial,
          [&](const StateToWrite &state) { cheems::writeState(bytes, state); });
}

void Session::checkPlace(int64_t slot, int32_t position,
                         std::string_view application) const {
  Place place;
  if (application.size() != sizeof(place)) {
    throw DamagedFile(
        "the state: corrupted: it does not say of which slot it is");
  }
  std::memcpy(&place, application.data(), sizeof(place));
  if (place.session != identity) {
    throw Error(Status::usage,
                "the state: it is partial, and was taken of another session");
  }
  if (place.slot != static_cast<uint64_t>(slot)) {
    throw Error(Status::usage, "the state: it is partial, and was taken of "
                               "slot " +
                                   std::to_string(place.slot) +
                                   "; only that one can take it back");
  }
  if (!histories[slot].keeps(place.moment, position)) {
    throw Error(Status::unsupported, "the state: it is partial, and slot " +
                                         std::to_string(slot) +
                                         " has not kept all of its first " +
                                         std::to_string(position) +
                                         " tokens since; feed them again");
  }
}

void Session::readState(int64_t slot, std::string_view bytes) {
  checkSlot(slot);
  StateFile state(bytes, "the state", StateIdentity::of(*compiled),
                  compiled->metadata());
  checkFits("the state", state.position());
  state.check(pools());
  std::string application = state.application();
  if (state.partial()) {
    checkPlace(slot, state.position(), application);
  }
  change(slot, state.position(), state.partial() ? state.position() : 0,
         [&] { state.read(pools(), slot, application); });
}
