//===- Wgmma.h - One wgmma.mma_async ----------------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_TENSORCORE_WGMMA_H
#define CHEEMS_EMULATOR_TENSORCORE_WGMMA_H

#include "Decode/Family.h"
#include "MatrixDescriptor.h"

#include <cstddef>
#include <cstdint>

namespace cheems::emulator {

struct WgmmaMatmul;

constexpr int warpgroupWarps = 4;
/// All types have 32 bytes along k: two pieces of 16.
constexpr int wgmmaBytesAlongK = 32;
constexpr int mostColumns = 256;

/// Points to the operands of one wgmma on the host.
struct WgmmaOperands {
  /// Pieces of 16 bytes of A (null: it is in registers) and of B. K-major: row
  /// (m or n) times 2, plus the piece along k. MN-major: piece of 8 rows times
  /// 16, plus k.
  const std::byte *const *a;
  const std::byte *const *b;
  const uint32_t *fragments[warpgroupWarps][4]; ///< A in registers, by warp
  uint32_t *const *accumulators[warpgroupWarps];
  bool accumulate; ///< scale-d
  /// Room for B as f32: its columns times 64 values.
  float *room;
};

/// D = A * B + D for all four warps, on one of the host's instruction sets.
using WgmmaMultiply = void (*)(const WgmmaMatmul &product,
                               const WgmmaOperands &operands);

/// What a statement asks for.
struct WgmmaMatmul {
  int columns = 0; ///< n
  Type a = Type::f16, b = Type::f16, sum = Type::f32;
  bool saturate = false;
  bool negate = false; ///< one of imm-scale-a and imm-scale-b is -1
  bool aInRegisters = false;
  bool aAlongRows = false, bAlongRows = false; ///< imm-trans-a, imm-trans-b
  WgmmaMultiply multiply = nullptr;

  /// Registers of a lane with accumulators.
  int accumulators() const { return columns / (sum == Type::f16 ? 4 : 2); }
  int depth() const { return wgmmaBytesAlongK * 8 / bits(a); }
};

/// Decodes PTX ISA, "Asynchronous Multiply-and-Accumulate Instruction:
/// wgmma.mma_async". Slots: D, A (registers, or a descriptor), the descriptor
/// of B, scale-d.
void decodeWgmma(Statement &statement, WgmmaMultiply multiply);

/// The arithmetic, for tests and benchmarks. Not all of them need be linked.
namespace baseline {
WgmmaMultiply wgmmaMultiply();
} // namespace baseline
namespace avx2 {
WgmmaMultiply wgmmaMultiply();
} // namespace avx2
namespace avx512 {
WgmmaMultiply wgmmaMultiply();
} // namespace avx512

} // namespace cheems::emulator

#endif
