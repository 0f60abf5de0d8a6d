//===- Addresses.cpp - Operands in brackets ------------------------------===//
#include "Decoder.h"

using namespace cheems::emulator;

namespace {

bool fits(Space wanted, Space has) {
  // Parameters of functions, and what is handed to them, is memory of a thread.
  return wanted == Space::generic || wanted == has ||
         (wanted == Space::parameter && has == Space::local);
}

} // namespace

DecodedAddress Statement::address(const ptx::Operand &operand, Space space) {
  auto *address = std::get_if<ptx::Address>(&operand.value);
  if (!address) {
    refuse("an address is not in brackets");
  }
  if (!address->base) {
    return {constant(0, 64), address->offset, true, space};
  }
  const ptx::Operand &base = *address->base;
  if (base.negated) {
    refuse("an address is negated");
  }
  int64_t offset = address->offset + base.addend;
  if (auto *value = std::get_if<ptx::Immediate>(&base.value)) {
    if (value->kind != ptx::Immediate::Kind::integer) {
      refuse("an address is a floating-point value");
    }
    return {constant(value->bits, 64), offset, true, space};
  }
  if (const ptx::Variable *reg = asRegister(base)) {
    bool isInteger = reg->type.kind == ptx::Kind::bits ||
                     reg->type.kind == ptx::Kind::unsignedInteger ||
                     reg->type.kind == ptx::Kind::signedInteger;
    int width = reg->type.width;
    if (!isInteger || (width != 32 && width != 64)) {
      refuse("the register '" + reg->name + "' of type '." + reg->type.text +
             "' is no address");
    }
    Slot slot = decoder.registerOf(*reg, base.component);
    decoder.use(slot, true, false);
    return {slot, offset, width == 64, space};
  }
  auto *variable = std::get_if<const ptx::Variable *>(&base.value);
  if (!variable) {
    refuse("an address is neither a register, a number nor a variable");
  }
  Storage place = *decoder.storage->find(**variable);
  if (!fits(space, place.space)) {
    refuse("the variable '" + (*variable)->name +
           "' lies in another state space");
  }
  offset += static_cast<int64_t>(place.address);
  if (place.inFrame && !decoder.isInEntry()) {
    return {decoder.framePointer(), offset, false, place.space};
  }
  return {constant(0, 64), offset, true, place.space};
}
