//===- Widths.h - Values that change their width ----------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DECODE_WIDTHS_H
#define CHEEMS_EMULATOR_DECODE_WIDTHS_H

#include "Instruction.h"

namespace cheems::emulator {

/// Slots: destination of `to` bits, source of `from` bits (16 to 128). A wider
/// destination is extended, by sign or by zeros; a narrower one takes the low
/// bits.
Handler widthHandler(int to, int from, bool isSigned);

/// Slots: destination, source, both predicates.
Step copyPredicate(Warp &warp, const Instruction &instruction, LaneMask active);

/// Slots: destination of 64 bits, frame pointer of 32 bits. Adds the payload.
Step frameAddress64(Warp &warp, const Instruction &instruction,
                    LaneMask active);
/// The same with a destination of 32 bits.
Step frameAddress32(Warp &warp, const Instruction &instruction,
                    LaneMask active);

} // namespace cheems::emulator

#endif
