//===- BarrierOperand.h - How mbarrier operands are decoded -----*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ASYNCCOPY_BARRIEROPERAND_H
#define CHEEMS_EMULATOR_ASYNCCOPY_BARRIEROPERAND_H

#include "AddressSpaces/Access.h"
#include "Addresses.h"

#include <initializer_list>
#include <string_view>

namespace cheems::emulator {

/// What a payload keeps of `[addr]` of an mbarrier instruction, and the order
/// that the instruction makes.
struct BarrierOperand {
  AddressOperand address;
  Reach reach = Reach::block;
  Semantics semantics = Semantics::release;
  Scope scope = Scope::block;
};

/// The space of the operand. Without one the address is generic, and then also
/// a remote barrier's if `mayBeRemote` ("mbarrier support with shared memory").
BarrierOperand takeBarrier(Statement &statement, bool mayBeRemote);

/// .sem and .scope, of which both or none stand. `semantics` are the two or one
/// that are allowed; the first one is the default.
void takeOrder(Statement &statement, BarrierOperand &operand,
               std::initializer_list<std::string_view> semantics);

/// The address, whose base it gives.
Slot takeAddress(Statement &statement, size_t number, BarrierOperand &operand);

void requireSm90(Statement &statement, const char *what);

} // namespace cheems::emulator

#endif
