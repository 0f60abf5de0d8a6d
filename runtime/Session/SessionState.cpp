// What a slot holds: going back, copies of a moment, files.
#include "runtime/Session/Session.h"
#include "runtime/State/StateFile.h"
#include <algorithm>

using namespace cheems;

/// Bytes that a slot keeps when it is reset: the next sequence would get them
/// from the kernel again, page by page in its steps.
constexpr int64_t keptBytes = int64_t{16} << 20;

void Session::setPosition(int64_t slot, int64_t tokens) {
  positions[slot] = static_cast<int32_t>(tokens);
  reached[slot] = std::max(reached[slot], positions[slot]);
}

template <typename Act>
void Session::change(int64_t slot, int32_t position, const Act &act) {
  setPosition(slot, position); // the memory is in use from now on
  positions[slot] = 0; // a file or a card that fails now leaves an empty slot
  act();
  positions[slot] = position;
}

int64_t Session::position(int64_t slot) const {
  checkSlot(slot);
  return positions[slot];
}

void Session::reset(int64_t slot) {
  checkSlot(slot);
  positions[slot] = 0; // compiled code ignores a slot's content at position 0
  int64_t entries = compiled->metadata().usedEntries(reached[slot]);
  if (pools().usedBytes(entries) - pools().usedBytes(0) > keptBytes) {
    pools().release(slot);
    reached[slot] = 0;
  }
}

bool Session::rewind(int64_t slot, int64_t tokens) {
  checkSlot(slot);
  if (tokens < 0 || tokens > positions[slot]) {
    throw Error(Status::usage,
                "slot " + std::to_string(slot) + " cannot go back to " +
                    std::to_string(tokens) + " tokens: it holds " +
                    std::to_string(positions[slot]));
  }
  const Metadata &data = compiled->metadata();
  bool byPosition =
      std::all_of(data.state.begin(), data.state.end(),
                  [](const StateKind &kind) { return kind.hasCapacity(); });
  bool evicted = data.keepWindow != 0 && positions[slot] > data.keepWindow;
  if (tokens != 0 && tokens != positions[slot] && (!byPosition || evicted)) {
    return false;
  }
  if (tokens == 0) {
    reset(slot);
  } else {
    setPosition(slot, tokens);
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
  change(slot, snapshot.position,
         [&] { pools().restore(slot, snapshot.state); });
}

void Session::copy(int64_t from, int64_t to) {
  int64_t used = entries(from);
  checkSlot(to);
  if (from != to) {
    change(to, positions[from], [&] { pools().copy(from, to, used); });
  }
}

void Session::save(int64_t slot, const std::string &path,
                   std::string_view application) const {
  int64_t used = entries(slot);
  writeStateFile(path, StateIdentity::of(*compiled), pools(), slot,
                 positions[slot], used, application);
}

std::string Session::load(int64_t slot, const std::string &path) {
  checkSlot(slot);
  StateFile file(path, StateIdentity::of(*compiled), compiled->metadata());
  checkFits(path, file.position());
  file.check(pools());
  std::string application = file.application();
  change(slot, file.position(), [&] { file.read(pools(), slot, application); });
  return application;
}
