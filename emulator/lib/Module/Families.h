//===- Families.h - All opcodes that are known ------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_MODULE_FAMILIES_H
#define CHEEMS_EMULATOR_MODULE_FAMILIES_H

#include "Decode/Family.h"

#include <span>
#include <vector>

namespace cheems::emulator {

/// Instruction sets of the host that handlers are compiled for, from the least
/// to the best.
enum class HostSet { baseline, avx2, avx512 };

/// The best one that is both compiled and what the host's CPU has (CPUID).
/// Throws std::runtime_error if there is none.
HostSet hostSet();
/// Whether the handlers are compiled for it and the host has it.
bool isAvailable(HostSet set);

/// The tables of all families, with the handlers of an available set.
std::vector<std::span<const Opcode>> families(HostSet set);

} // namespace cheems::emulator

#endif
