//===- Families.h - Tables of memory's opcodes -------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_LOADSTORE_FAMILIES_H
#define CHEEMS_EMULATOR_LOADSTORE_FAMILIES_H

#include "Lanes/Declare.h"

CHEEMS_LANES_FAMILY(loads)  ///< ld, ldu
CHEEMS_LANES_FAMILY(stores) ///< st

namespace cheems::emulator {

std::span<const Opcode> atomics();       ///< atom, red
std::span<const Opcode> fences();        ///< fence, membar
std::span<const Opcode> cacheControl();  ///< prefetch, applypriority, discard
std::span<const Opcode> cachePolicies(); ///< createpolicy
std::span<const Opcode> clusterAddresses(); ///< mapa, getctarank
/// Textures, surfaces and multimem, which are refused by name.
std::span<const Opcode> unmodelledMemory();

} // namespace cheems::emulator

#endif
