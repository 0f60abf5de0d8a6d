//===- WgmmaMemory.h - Operands of wgmma in shared memory -------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_TENSORCORE_WGMMAMEMORY_H
#define CHEEMS_EMULATOR_TENSORCORE_WGMMAMEMORY_H

#include "Machine/Warp.h"
#include "Wgmma.h"

namespace cheems::emulator {

constexpr int wgmmaPiecesOfA = 64 * 2;
constexpr int wgmmaPiecesOfB = mostColumns * 2;

/// The pieces of a matrix with `rows` (m or n), as WgmmaOperands has them.
/// Throws Finding for bytes out of bounds, or that nobody has written.
void findPieces(Warp &warp, const Instruction &instruction,
                const MatrixDescriptor &descriptor, int rows, bool alongRows,
                int depth, const std::byte **pieces);

/// Tells observers what operation `number` reads.
void tellOperands(Warp &warp, const Instruction &instruction, uint64_t a,
                  uint64_t b, uint64_t number);

} // namespace cheems::emulator

#endif
