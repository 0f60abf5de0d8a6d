//===- Each.h - Handlers made of functions of one lane ----------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ARITHMETIC_EACH_H
#define CHEEMS_EMULATOR_ARITHMETIC_EACH_H

#include "Bits.h"
#include "Decode/Instruction.h"
#include "HostRounding.h"
#include "Lanes/Loop.h"
#include "Lanes/Multiversion.h"
#include "Machine/Warp.h"

#include <cstddef>
#include <cstdint>
#include <utility>

CHEEMS_LANES_BEGIN

template <auto compute> struct EachLane;
template <typename D, typename... S, D (*compute)(S...)>
struct EachLane<compute> {
  static Step run(Warp &warp, const Instruction &instruction, LaneMask active) {
    loop(warp, instruction.slots, active, std::index_sequence_for<S...>());
    return Step::next;
  }

private:
  template <size_t... index>
  CHEEMS_LANE static void loop(Warp &warp, const Slot *slots, LaneMask active,
                               std::index_sequence<index...>) {
    eachLane(
        warp.destination<D>(slots[0]), active,
        [](S... values)
            __attribute__((always_inline)) { return compute(values...); },
        warp.source<S>(slots[index + 1])...);
  }
};

/// The handler of an instruction whose first slot is its destination and whose
/// other slots are the arguments of `compute`, in order.
template <auto compute> constexpr Handler each = EachLane<compute>::run;

/// Does what `each` does, with the host's rounding mode that the payload names.
template <auto compute>
Step eachRounded(Warp &warp, const Instruction &instruction, LaneMask active) {
  lanes::HostRounding scope(static_cast<lanes::Rounding>(instruction.payload));
  return each<compute>(warp, instruction, active);
}

template <auto compute> struct EachTest;
template <typename... S, bool (*compute)(S...)> struct EachTest<compute> {
  static Step run(Warp &warp, const Instruction &instruction, LaneMask active) {
    warp.setPredicate(
        instruction.slots[0],
        mask(warp, instruction.slots + 1, std::index_sequence_for<S...>()),
        active);
    return Step::next;
  }

  template <size_t... index>
  CHEEMS_LANE static LaneMask mask(Warp &warp, const Slot *slots,
                                   std::index_sequence<index...>) {
    return laneBits([](S... values) __attribute__((
                        always_inline)) { return compute(values...); },
                    warp.source<S>(slots[index])...);
  }
};

/// Does what `each` does, for a destination that is a predicate.
template <auto compute> constexpr Handler test = EachTest<compute>::run;

CHEEMS_LANES_END

#endif
