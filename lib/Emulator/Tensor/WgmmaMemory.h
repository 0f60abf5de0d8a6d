//===- WgmmaMemory.h - Operands of wgmma in shared memory -------*- C++ -*-===//
#ifndef CHEEMS_LIB_EMULATOR_TENSOR_WGMMAMEMORY_H
#define CHEEMS_LIB_EMULATOR_TENSOR_WGMMAMEMORY_H

#include "Wgmma.h"
#include "cheems/Emulator/Machine/Warp.h"

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
