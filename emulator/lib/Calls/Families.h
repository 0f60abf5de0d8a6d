//===- Families.h - The table of calls --------------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_CALLS_FAMILIES_H
#define CHEEMS_EMULATOR_CALLS_FAMILIES_H

#include "Decode/Family.h"

#include <span>

namespace cheems::emulator {

std::span<const Opcode> calls();  ///< call; Decode/Calls.h says what it becomes
std::span<const Opcode> clocks(); ///< %clock, %clock_hi, %clock64

} // namespace cheems::emulator

#endif
