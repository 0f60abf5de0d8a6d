//===- Combinations.h - Shapes and types that mma takes ---------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_TENSORCORE_COMBINATIONS_H
#define CHEEMS_EMULATOR_TENSORCORE_COMBINATIONS_H

#include "Decode/Family.h"

namespace cheems::emulator {

/// One mma.sync with n of 8 and sums in f32, f16 or s32.
struct MmaCombination {
  int rows = 0;  ///< m
  int depth = 0; ///< k
  Type a = Type::f16, b = Type::f16, sum = Type::f32;
};

struct MmaStatement {
  MmaCombination combination;
  bool saturate = false;
  bool exclusive = false;  ///< .xor of single bits
  std::vector<Slot> slots; ///< D, A, B, C
};

/// Modifiers and operands of PTX ISA, "Multiply-and-Accumulate Instruction:
/// mma", but for f64 and for m8n8k4 with f16.
MmaStatement decodeMmaStatement(Statement &statement);

/// .alayout and .blayout, in this order; true is .row.
std::pair<bool, bool> takeLayouts(Statement &statement);

} // namespace cheems::emulator

#endif
