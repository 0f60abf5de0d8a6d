//===- BarrierOperand.cpp - How mbarrier operands are decoded -------------===//
#include "BarrierOperand.h"

namespace cheems::emulator {

BarrierOperand takeBarrier(Statement &statement, bool mayBeRemote) {
  BarrierOperand operand;
  std::string_view space =
      mayBeRemote
          ? statement.takeAny({"shared", "shared::cta", "shared::cluster"})
          : statement.takeAny({"shared", "shared::cta"});
  operand.address.space = space.empty() ? Space::generic : Space::shared;
  bool isRemote = space.empty() || space == "shared::cluster";
  operand.reach = mayBeRemote && isRemote ? Reach::cluster : Reach::block;
  return operand;
}

void takeOrder(Statement &statement, BarrierOperand &operand,
               std::initializer_list<std::string_view> semantics) {
  std::string_view sem = statement.takeAny(semantics);
  std::string_view scope = statement.takeAny({"cta", "cluster"});
  if (sem.empty() != scope.empty()) {
    statement.refuse("semantics and scope stand together or not at all");
  }
  if (scope == "cluster") {
    operand.scope = Scope::cluster;
  }
  std::string_view chosen = sem.empty() ? *semantics.begin() : sem;
  operand.semantics = chosen == "acquire"   ? Semantics::acquire
                      : chosen == "release" ? Semantics::release
                                            : Semantics::relaxed;
}

Slot takeAddress(Statement &statement, size_t number, BarrierOperand &operand) {
  DecodedAddress decoded = statement.address(number, operand.address.space);
  operand.address = AddressOperand(decoded);
  return decoded.base;
}

void requireSm90(Statement &statement, const char *what) {
  if (statement.architecture() < 90) {
    statement.refuse(std::string(what) + " requires sm_90");
  }
}

} // namespace cheems::emulator
