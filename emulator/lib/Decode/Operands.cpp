//===- Operands.cpp - From operands of the text to slots -----------------===//
#include "Decoder.h"
#include "SpecialRegisters.h"
#include "Widths.h"

#include <bit>
#include <stdexcept>

using namespace cheems::emulator;

namespace {

/// Bits of an array's element: there are no bytes among registers.
int elementBits(int bits) {
  if (bits == 1) {
    return 1;
  }
  for (int size : {16, 32, 64, 128}) {
    if (bits <= size) {
      return size;
    }
  }
  throw std::logic_error("no register is so wide");
}

std::string quoted(const std::string &name) { return "'" + name + "'"; }

} // namespace

const ptx::Operand &Statement::operand(size_t number) const {
  if (number >= operands()) {
    throw std::logic_error(decoder.text + ": its family asks for operand " +
                           std::to_string(number));
  }
  return syntax.operands[number];
}

const ptx::Variable *Statement::asRegister(const ptx::Operand &operand) const {
  auto *variable = std::get_if<const ptx::Variable *>(&operand.value);
  return variable && (*variable)->space == ptx::StateSpace::reg ? *variable
                                                                : nullptr;
}

int Statement::registerBits(const ptx::Operand &operand) const {
  const ptx::Variable *reg = asRegister(operand);
  return reg ? reg->type.width : 0;
}

// PTX ISA, "Type Checking" (tables "Relaxed Type-checking Rules" for source and
// destination operands): bits agree with everything, signed integers with
// unsigned ones, floating-point types with themselves. Formats that have no
// registers of their own (.tf32, .e4m3x2, packed ones) are held as bits.
void Statement::checkType(const ptx::Variable &reg, Type type,
                          Width width) const {
  auto mismatch = [&] {
    refuse("the register " + quoted(reg.name) + " of type '." + reg.type.text +
           "' does not fit type '." + std::string(name(type)) + "'");
  };
  bool isPredicate = reg.type.kind == ptx::Kind::predicate;
  if (isPredicate != (type == Type::pred)) {
    mismatch();
  }
  int wanted = elementBits(bits(type)), has = elementBits(reg.type.width);
  // A byte in a register of 16 bits is a wider register, but elements are the
  // same.
  if (has < wanted || (has > wanted && width == Width::exact)) {
    mismatch();
  }
  switch (reg.type.kind) {
  case ptx::Kind::predicate:
  case ptx::Kind::bits:
    return;
  case ptx::Kind::unsignedInteger:
  case ptx::Kind::signedInteger:
    if (!isBits(type) && !isInteger(type)) {
      mismatch();
    }
    return;
  default:
    // A floating-point register has exactly the width of a floating-point type.
    if (!isBits(type) && reg.type.text != name(type)) {
      mismatch();
    }
  }
}

Slot Statement::source(const ptx::Operand &operand, Type type, Width width) {
  if (type == Type::pred) {
    return predicate(operand);
  }
  if (operand.negated) {
    refuse("an operand is negated");
  }
  if (const ptx::Variable *reg = asRegister(operand)) {
    checkType(*reg, type, width);
    if (operand.addend) {
      refuse("a number is added to the register " + quoted(reg->name));
    }
    Slot slot = decoder.registerOf(*reg, operand.component);
    decoder.use(slot, true, false);
    int to = elementBits(bits(type)), from = elementBits(reg->type.width);
    if (to == from) {
      return slot;
    }
    Slot narrow = temporary(to);
    emit(widthHandler(to, from, false), Pipe::none, {narrow, slot});
    return narrow;
  }
  if (auto *immediate = std::get_if<ptx::Immediate>(&operand.value)) {
    return immediateSource(*immediate, type);
  }
  if (auto *special = std::get_if<ptx::SpecialRegister>(&operand.value)) {
    return specialSource(special->name, type, width);
  }
  if (auto *variable = std::get_if<const ptx::Variable *>(&operand.value)) {
    Storage place = *decoder.storage->find(**variable);
    return addressSource(operand, place.address, place.inFrame, type);
  }
  if (auto *function = std::get_if<const ptx::Function *>(&operand.value)) {
    auto found = decoder.symbols.functions.find(*function);
    if (found == decoder.symbols.functions.end()) {
      refuse("the function " + quoted((*function)->name) + " has no body");
    }
    return addressSource(operand, found->second, false, type);
  }
  refuse("an operand is neither a register nor a value");
}

/// PTX ISA, "Constants": integers have 64 bits and are cut to the width of
/// their use; a floating-point value is converted to the type of its use, and
/// one in hexadecimal notation is that of its bits.
Slot Statement::immediateSource(const ptx::Immediate &value, Type type) {
  using Kind = ptx::Immediate::Kind;
  int width = elementBits(bits(type));
  bool isSingle = value.kind == Kind::single;
  if (value.kind == Kind::integer) {
    if (!isBits(type) && !isInteger(type)) {
      refuse("an integer is used as '." + std::string(name(type)) + "'");
    }
    uint64_t integer = value.bits;
    if (bits(type) < 16) { // a byte is extended to its element
      int unused = 64 - bits(type);
      integer = isSigned(type)
                    ? static_cast<uint64_t>(
                          static_cast<int64_t>(integer << unused) >> unused)
                    : integer << unused >> unused;
    }
    return constant(integer, width);
  }
  uint64_t literal = value.bits;
  if (type == Type::f64 && isSingle) {
    literal = std::bit_cast<uint64_t>(static_cast<double>(
        std::bit_cast<float>(static_cast<uint32_t>(literal))));
  } else if (type == Type::f32 && !isSingle) {
    literal = std::bit_cast<uint32_t>(
        static_cast<float>(std::bit_cast<double>(literal)));
  } else if (!(type == Type::f32 || type == Type::f64 ||
               (isBits(type) && bits(type) == (isSingle ? 32 : 64)))) {
    refuse("a floating-point value is used as '." + std::string(name(type)) +
           "'");
  }
  return constant(literal, width);
}

Slot Statement::specialSource(const std::string &name, Type type, Width width) {
  std::optional<SpecialRegister> reg = findSpecialRegister(name);
  if (!reg) {
    refuse("there is no special register '%" + name + "'");
  }
  switch (reg->kind) {
  case SpecialRegister::Kind::notModelled:
    notModelled("the special register '%" + name + "'");
  case SpecialRegister::Kind::clock:
    reg->slot = decoder.readClock(*this, name, reg->bits);
    break;
  case SpecialRegister::Kind::slot:
    break;
  }
  int wanted = elementBits(bits(type));
  if (!isBits(type) && !isInteger(type)) {
    refuse("the special register '%" + name + "' is an integer");
  }
  if (wanted == reg->bits) {
    return reg->slot;
  }
  if (wanted > reg->bits || width == Width::exact || reg->bits == 1) {
    refuse("the special register '%" + name + "' has " +
           std::to_string(reg->bits) + " bits");
  }
  Slot narrow = temporary(wanted);
  emit(widthHandler(wanted, reg->bits, false), Pipe::none, {narrow, reg->slot});
  return narrow;
}

/// The address of a variable or function in its space.
Slot Statement::addressSource(const ptx::Operand &operand, uint64_t address,
                              bool inFrame, Type type) {
  int width = elementBits(bits(type));
  if ((!isBits(type) && !isInteger(type)) || width < 32 || width > 64) {
    refuse("an address is used as '." + std::string(name(type)) + "'");
  }
  address += static_cast<uint64_t>(operand.addend);
  if (width == 32 && address >> 32) {
    refuse("an address of 64 bits is used as '." + std::string(name(type)) +
           "'");
  }
  if (!inFrame || decoder.isInEntry()) {
    return constant(address, width);
  }
  Slot result = temporary(width);
  emit(width == 64 ? frameAddress64 : frameAddress32, Pipe::none,
       {result, decoder.framePointer()}, address);
  return result;
}

Slot Statement::destination(const ptx::Operand &operand, Type type,
                            Width width) {
  if (type == Type::pred) {
    return predicateDestination(operand);
  }
  if (std::holds_alternative<ptx::Sink>(operand.value)) {
    return temporary(type);
  }
  const ptx::Variable *reg = asRegister(operand);
  if (!reg || operand.negated || operand.addend) {
    refuse("a result goes to something that is no register");
  }
  checkType(*reg, type, width);
  Slot slot = decoder.registerOf(*reg, operand.component);
  decoder.use(slot, false, !syntax.guard);
  int from = elementBits(bits(type)), to = elementBits(reg->type.width);
  if (to == from) {
    return slot;
  }
  Slot narrow = temporary(from);
  decoder.postponed.push_back(
      {widthHandler(to, from, isSigned(type)), slot, narrow});
  return narrow;
}

Slot Statement::update(const ptx::Operand &operand, Type type) {
  if (std::holds_alternative<ptx::Sink>(operand.value)) {
    return temporary(type);
  }
  const ptx::Variable *reg = asRegister(operand);
  if (!reg || operand.negated || operand.addend) {
    refuse("an operand that is read and written is no register");
  }
  checkType(*reg, type, Width::exact);
  Slot slot = decoder.registerOf(*reg, operand.component);
  decoder.use(slot, true, false);
  return slot;
}

Slot Statement::mention(const ptx::Operand &operand) {
  const ptx::Variable *reg = asRegister(operand);
  if (!reg) {
    refuse("an operand is no register");
  }
  return decoder.registerOf(*reg, operand.component);
}

void Statement::pin(Slot destination) { decoder.pin(destination); }

Slot Statement::predicate(const ptx::Operand &operand) {
  Slot slot;
  if (const ptx::Variable *reg = asRegister(operand)) {
    checkType(*reg, Type::pred, Width::exact);
    slot = decoder.registerOf(*reg, operand.component);
    decoder.use(slot, true, false);
  } else if (auto *value = std::get_if<ptx::Immediate>(&operand.value);
             value && value->kind == ptx::Immediate::Kind::integer) {
    slot = constant(value->bits != 0, 1);
  } else if (auto *special =
                 std::get_if<ptx::SpecialRegister>(&operand.value)) {
    std::optional<SpecialRegister> found = findSpecialRegister(special->name);
    if (!found || found->bits != 1) {
      refuse("'%" + special->name + "' is no predicate");
    }
    slot = found->slot;
  } else {
    refuse("an operand is no predicate");
  }
  return operand.negated ? slot.negate() : slot;
}

Slot Statement::predicateDestination(const ptx::Operand &operand) {
  if (std::holds_alternative<ptx::Sink>(operand.value)) {
    return temporary(1);
  }
  const ptx::Variable *reg = asRegister(operand);
  if (!reg || operand.negated || operand.addend) {
    refuse("a predicate goes to something that is no register");
  }
  checkType(*reg, Type::pred, Width::exact);
  Slot slot = decoder.registerOf(*reg, operand.component);
  decoder.use(slot, false, !syntax.guard);
  if (syntax.guard && syntax.guard->predicate == reg) {
    // The guard must hold for all instructions of the statement.
    Slot result = temporary(1);
    decoder.postponed.push_back({copyPredicate, slot, result});
    return result;
  }
  return slot;
}

Slot Statement::carry(bool reads, bool writes) {
  Slot slot = decoder.carryFlag();
  if (reads) {
    decoder.use(slot, true, false);
  }
  if (writes) {
    decoder.use(slot, false, !syntax.guard);
  }
  return slot;
}

std::pair<const ptx::Operand *, const ptx::Operand *>
Statement::pair(const ptx::Operand &operand) const {
  if (auto *both = std::get_if<ptx::PairOperand>(&operand.value)) {
    return {both->first.get(), both->second.get()};
  }
  return {&operand, nullptr};
}

std::vector<const ptx::Operand *>
Statement::elements(const ptx::Operand &operand) const {
  std::vector<const ptx::Operand *> result;
  if (auto *vector = std::get_if<ptx::VectorOperand>(&operand.value)) {
    for (const ptx::Operand &element : vector->elements) {
      result.push_back(&element);
    }
    return result;
  }
  if (const ptx::Variable *reg = asRegister(operand);
      reg && reg->vector > 1 && operand.component < 0) {
    for (int i = 0; i < reg->vector; ++i) {
      ptx::Operand component = operand;
      component.component = i;
      result.push_back(&decoder.own(std::move(component)));
    }
    return result;
  }
  if (auto *special = std::get_if<ptx::SpecialRegister>(&operand.value);
      special && isSpecialVector(special->name)) {
    for (char letter : {'x', 'y', 'z', 'w'}) {
      ptx::Operand component = operand;
      component.value =
          ptx::SpecialRegister{special->name + "." + std::string(1, letter)};
      result.push_back(&decoder.own(std::move(component)));
    }
    return result;
  }
  return {&operand};
}

std::vector<Slot> Statement::sources(const ptx::Operand &operand, Type type,
                                     size_t count, Width width) {
  std::vector<const ptx::Operand *> list = elements(operand);
  if (list.size() != count) {
    refuse("an operand has " + std::to_string(list.size()) +
           " elements instead of " + std::to_string(count));
  }
  std::vector<Slot> slots;
  slots.reserve(count);
  for (const ptx::Operand *element : list) {
    slots.push_back(source(*element, type, width));
  }
  return slots;
}

std::vector<Slot> Statement::destinations(const ptx::Operand &operand,
                                          Type type, size_t count,
                                          Width width) {
  std::vector<const ptx::Operand *> list = elements(operand);
  if (list.size() != count) {
    refuse("a result has " + std::to_string(list.size()) +
           " elements instead of " + std::to_string(count));
  }
  std::vector<Slot> slots;
  slots.reserve(count);
  for (const ptx::Operand *element : list) {
    slots.push_back(destination(*element, type, width));
  }
  return slots;
}

bool Statement::isImmediate(size_t number) const {
  return std::holds_alternative<ptx::Immediate>(operand(number).value);
}

int64_t Statement::immediate(const ptx::Operand &operand) const {
  auto *value = std::get_if<ptx::Immediate>(&operand.value);
  if (!value || value->kind != ptx::Immediate::Kind::integer ||
      operand.negated) {
    refuse("an operand is no integer constant");
  }
  return static_cast<int64_t>(value->bits);
}

Slot Statement::constant(uint64_t value, int bits) {
  return decoder.constants.slot(value, elementBits(bits));
}

Slot Statement::allLanesPredicate() { return constant(1, 1); }

Slot Statement::temporary(int bits) {
  return decoder.newRegister(elementBits(bits));
}
