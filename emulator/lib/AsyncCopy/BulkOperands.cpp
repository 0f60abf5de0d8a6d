//===- BulkOperands.cpp - What bulk and tensor copies share ---------------===//
#include "BulkOperands.h"

namespace cheems::emulator {

std::string_view takeDestination(Statement &statement) {
  for (const std::string &modifier : statement.syntax.modifiers) {
    if (modifier == "global" || modifier == "shared::cluster" ||
        modifier == "shared::cta") {
      statement.take(modifier);
      return modifier;
    }
  }
  statement.refuse("it must have a destination: .shared::cluster, .shared::cta "
                   "or .global");
}

Slot takePlace(Statement &statement, size_t number, Space space,
               AddressOperand &operand) {
  DecodedAddress decoded = statement.address(number, space);
  operand = AddressOperand(decoded);
  return decoded.base;
}

void endWithHint(Statement &statement, size_t operands, bool mayHaveHint) {
  if (mayHaveHint && statement.take("L2::cache_hint")) {
    statement.end(operands + 1);
    statement.source(operands, Type::b64);
    return;
  }
  statement.end(operands);
}

} // namespace cheems::emulator
