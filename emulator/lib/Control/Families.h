//===- Families.h - Tables of opcodes of control and barriers ---*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_CONTROL_FAMILIES_H
#define CHEEMS_EMULATOR_CONTROL_FAMILIES_H

#include "Decode/Family.h"

#include <span>

namespace cheems::emulator {

std::span<const Opcode> branches();         ///< bra, brx.idx
std::span<const Opcode> exits();            ///< ret, exit, trap, brkpt
std::span<const Opcode> namedBarriers();    ///< bar, barrier
std::span<const Opcode> warpBarriers();     ///< bar.warp.sync
std::span<const Opcode> clusterBarriers();  ///< barrier.cluster
std::span<const Opcode> gridDependencies(); ///< griddepcontrol
std::span<const Opcode> registerPools();    ///< setmaxnreg
std::span<const Opcode> elections();        ///< elect.sync, activemask
std::span<const Opcode> hints();            ///< nanosleep, pmevent

} // namespace cheems::emulator

#endif
