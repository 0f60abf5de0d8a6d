//===- Shape.h - Vector, type and registers of ld and st ---*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_LOADSTORE_SHAPE_H
#define CHEEMS_EMULATOR_LOADSTORE_SHAPE_H

#include "Decode/Family.h"

#include <vector>

namespace cheems::emulator {

/// What a load fills or a store takes its values from.
struct TransferShape {
  Type type = Type::b32; ///< of an element in memory
  int vector = 1;
  int registerBits = 32; ///< of an element of `registers`
  std::vector<Slot> registers;
};

/// Takes vector and type of ld, which ends its modifiers, and the destination,
/// operand 0.
TransferShape takeLoaded(Statement &statement, bool hasPolicy);
/// Does what takeLoaded does, for st, whose value is operand 1.
TransferShape takeStored(Statement &statement, bool hasPolicy);

} // namespace cheems::emulator

#endif
