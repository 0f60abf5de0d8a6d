//===- Families.h - Tables of the warp's exchanges ---------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_SHUFFLEVOTE_FAMILIES_H
#define CHEEMS_EMULATOR_SHUFFLEVOTE_FAMILIES_H

#include "Lanes/Declare.h"

CHEEMS_LANES_FAMILY(shuffles) ///< shfl

namespace cheems::emulator {

std::span<const Opcode> votes();          ///< vote
std::span<const Opcode> matches();        ///< match
std::span<const Opcode> warpReductions(); ///< redux

} // namespace cheems::emulator

#endif
