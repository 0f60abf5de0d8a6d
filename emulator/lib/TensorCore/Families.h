//===- Families.h - Opcodes on matrices -------------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_TENSORCORE_FAMILIES_H
#define CHEEMS_EMULATOR_TENSORCORE_FAMILIES_H

#include "Lanes/Declare.h"

CHEEMS_LANES_FAMILY(mma)
CHEEMS_LANES_FAMILY(wgmma)

namespace cheems::emulator {

/// mma with f64 and m8n8k4 with f16, and what is not modelled of mma.
std::span<const Opcode> mmaOfItsOwn();
/// ldmatrix, stmatrix, movmatrix.
std::span<const Opcode> matrixMoves();
/// wgmma.fence, .commit_group, .wait_group.
std::span<const Opcode> warpgroupGroups();

} // namespace cheems::emulator

#endif
