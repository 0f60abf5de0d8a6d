//===- States.h - Loops over the states of bytes ----------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ASYNCCOPY_STATES_H
#define CHEEMS_EMULATOR_ASYNCCOPY_STATES_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cheems::emulator {

/// Whether allowed(word) holds for eight states at a time, and for the rest
/// filled up with `good`. `S` is an enumeration of one byte.
template <typename S, typename F>
bool allStates(const S *states, size_t count, S good, F allowed) {
  static_assert(sizeof(S) == 1);
  size_t at = 0;
  for (; at + 8 <= count; at += 8) {
    uint64_t word;
    std::memcpy(&word, states + at, 8);
    if (!allowed(word)) {
      return false;
    }
  }
  if (at == count) {
    return true;
  }
  uint64_t word;
  std::memset(&word, static_cast<int>(good), 8);
  std::memcpy(&word, states + at, count - at);
  return allowed(word);
}

/// A word with that state in each byte.
template <typename S> constexpr uint64_t eightOf(S state) {
  return 0x0101010101010101 * static_cast<uint64_t>(state);
}

template <typename S> bool allAre(const S *states, size_t count, S state) {
  return allStates(states, count, state,
                   [state](uint64_t word) { return word == eightOf(state); });
}

} // namespace cheems::emulator

#endif
