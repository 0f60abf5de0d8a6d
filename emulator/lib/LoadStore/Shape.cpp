//===- Shape.cpp - Vector, type and registers of ld and st ----------------===//
#include "Shape.h"

#include "Modifiers.h"

#include <algorithm>
#include <string>

using namespace cheems::emulator;

namespace {

/// Registers of one vector have one width (PTX ISA, "Vectors as Operands").
/// What is no register, a sink or a literal, takes the width of the others.
void takeElements(Statement &statement, TransferShape &shape,
                  const std::vector<const ptx::Operand *> &elements) {
  shape.registerBits = 0;
  for (const ptx::Operand *element : elements) {
    int bits = transferBits(statement, *element, shape.type);
    if (bits && shape.registerBits && bits != shape.registerBits) {
      statement.refuse("the registers of a vector have different widths");
    }
    shape.registerBits = std::max(shape.registerBits, bits);
  }
  if (shape.registerBits == 0) {
    shape.registerBits = std::max(bits(shape.type), 16);
  }
}

TransferShape takeShape(Statement &statement, size_t operand, bool hasPolicy) {
  TransferShape shape;
  shape.vector = takeVector(statement);
  shape.type = statement.takeType({Type::b8, Type::b16, Type::b32, Type::b64,
                                   Type::b128, Type::u8, Type::u16, Type::u32,
                                   Type::u64, Type::s8, Type::s16, Type::s32,
                                   Type::s64, Type::f32, Type::f64});
  statement.end(hasPolicy ? 3 : 2);
  if (shape.vector == 8 || shape.vector * bits(shape.type) > 128) {
    statement.refuse("a vector of more than 4 elements or 128 bits needs "
                     "sm_100");
  }
  auto elements = statement.elements(statement.operand(operand));
  if (elements.size() != size_t(shape.vector)) {
    statement.refuse("it has " + std::to_string(elements.size()) +
                     " registers for " + std::to_string(shape.vector) +
                     (shape.vector == 1 ? " element" : " elements"));
  }
  takeElements(statement, shape, elements);
  return shape;
}

/// The type that makes the decoder check no more than the width.
Type registerType(const TransferShape &shape) {
  return bitsType(shape.registerBits);
}

bool isSink(const ptx::Operand &operand) {
  return std::holds_alternative<ptx::Sink>(operand.value);
}

} // namespace

TransferShape cheems::emulator::takeLoaded(Statement &statement,
                                           bool hasPolicy) {
  TransferShape shape = takeShape(statement, 0, hasPolicy);
  auto elements = statement.elements(statement.operand(0));
  if (std::all_of(
          elements.begin(), elements.end(),
          [](const ptx::Operand *element) { return isSink(*element); })) {
    statement.refuse("nothing takes what is loaded");
  }
  for (const ptx::Operand *element : elements) {
    shape.registers.push_back(
        statement.destination(*element, registerType(shape)));
  }
  return shape;
}

TransferShape cheems::emulator::takeStored(Statement &statement,
                                           bool hasPolicy) {
  TransferShape shape = takeShape(statement, 1, hasPolicy);
  for (const ptx::Operand *element : statement.elements(statement.operand(1))) {
    // The type says what a literal of a real number means.
    bool isLiteral = std::holds_alternative<ptx::Immediate>(element->value);
    if (!isLiteral && statement.registerBits(*element) == 0) {
      statement.refuse("what is stored is a register or a literal");
    }
    bool isSame = std::max(bits(shape.type), 16) == shape.registerBits;
    shape.registers.push_back(statement.source(
        *element, isLiteral && isSame ? shape.type : registerType(shape)));
  }
  return shape;
}
