//===- Random.h - Numbers that a seed determines ----------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_MACHINE_RANDOM_H
#define CHEEMS_EMULATOR_MACHINE_RANDOM_H

#include <cstdint>

namespace cheems::emulator {

/// SplitMix64: a number that looks unlike its neighbours'.
inline uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

} // namespace cheems::emulator

#endif
