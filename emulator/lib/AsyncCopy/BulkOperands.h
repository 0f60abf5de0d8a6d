//===- BulkOperands.h - What bulk and tensor copies share -------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ASYNCCOPY_BULKOPERANDS_H
#define CHEEMS_EMULATOR_ASYNCCOPY_BULKOPERANDS_H

#include "Addresses.h"

#include <string_view>

namespace cheems::emulator {

/// Takes .dst: "global", "shared::cluster" or "shared::cta". It stands before
/// .src.
std::string_view takeDestination(Statement &statement);

/// The address operand of that number, whose base it gives.
Slot takePlace(Statement &statement, size_t number, Space space,
               AddressOperand &operand);

/// Ends modifiers: there are `operands` and, with .L2::cache_hint, a policy
/// after them.
void endWithHint(Statement &statement, size_t operands, bool mayHaveHint);

} // namespace cheems::emulator

#endif
