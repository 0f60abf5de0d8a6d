//===- IntegerAddition.cpp - add, sub, neg, abs and sad of integers -------===//
#include "Each.h"
#include "Families.h"
#include "Integers.h"
#include "Modifiers.h"

using namespace cheems::emulator::lanes;

CHEEMS_LANES_BEGIN
namespace {

constexpr Typed additions[] = {
    {Type::u16, each<add<uint16_t>>},
    {Type::s16, each<add<uint16_t>>},
    {Type::u32, each<add<uint32_t>>},
    {Type::s32, each<add<uint32_t>>},
    {Type::u64, each<add<uint64_t>>},
    {Type::s64, each<add<uint64_t>>},
    {Type::u16x2, each<InHalves<add<uint16_t>>::run>},
    {Type::s16x2, each<InHalves<add<uint16_t>>::run>},
};
constexpr Typed subtractions[] = {
    {Type::u16, each<subtract<uint16_t>>},
    {Type::s16, each<subtract<uint16_t>>},
    {Type::u32, each<subtract<uint32_t>>},
    {Type::s32, each<subtract<uint32_t>>},
    {Type::u64, each<subtract<uint64_t>>},
    {Type::s64, each<subtract<uint64_t>>},
};
constexpr Typed saturatedAdditions[] = {{Type::s32, each<addSaturated>}};
constexpr Typed saturatedSubtractions[] = {
    {Type::s32, each<subtractSaturated>}};

/// PTX ISA, "Integer Arithmetic Instructions: add"
void decodeAdd(Statement &statement) {
  bool saturates = statement.take("sat");
  Typed typed = saturates ? takeTyped(statement, saturatedAdditions)
                          : takeTyped(statement, additions);
  if (typed.type == Type::u16x2 || typed.type == Type::s16x2) {
    needs(statement, 90, "an addition of halves");
  }
  emitUniform(statement, typed, Pipe::alu, 2);
}

/// PTX ISA, "Integer Arithmetic Instructions: sub"
void decodeSubtract(Statement &statement) {
  bool saturates = statement.take("sat");
  emitUniform(statement,
              saturates ? takeTyped(statement, saturatedSubtractions)
                        : takeTyped(statement, subtractions),
              Pipe::alu, 2);
}

constexpr Typed negations[] = {
    {Type::s16, each<negate<int16_t>>},
    {Type::s32, each<negate<int32_t>>},
    {Type::s64, each<negate<int64_t>>},
};
/// PTX ISA, "Integer Arithmetic Instructions: neg"
void decodeNegate(Statement &statement) {
  emitUniform(statement, takeTyped(statement, negations), Pipe::alu, 1);
}

constexpr Typed magnitudes[] = {
    {Type::s16, each<absolute<int16_t>>},
    {Type::s32, each<absolute<int32_t>>},
    {Type::s64, each<absolute<int64_t>>},
};
/// PTX ISA, "Integer Arithmetic Instructions: abs"
void decodeAbsolute(Statement &statement) {
  emitUniform(statement, takeTyped(statement, magnitudes), Pipe::alu, 1);
}

constexpr Typed differences[] = {
    {Type::u16, each<sumOfDifference<uint16_t>>},
    {Type::u32, each<sumOfDifference<uint32_t>>},
    {Type::u64, each<sumOfDifference<uint64_t>>},
    {Type::s16, each<sumOfDifference<int16_t>>},
    {Type::s32, each<sumOfDifference<int32_t>>},
    {Type::s64, each<sumOfDifference<int64_t>>},
};
/// PTX ISA, "Integer Arithmetic Instructions: sad"
void decodeDifference(Statement &statement) {
  emitUniform(statement, takeTyped(statement, differences), Pipe::alu, 3);
}

constexpr Opcode integerAdditionOpcodes[] = {
    {"add", decodeAdd},      {"sub", decodeSubtract},   {"neg", decodeNegate},
    {"abs", decodeAbsolute}, {"sad", decodeDifference},
};

} // namespace

std::span<const Opcode> integerAddition() { return integerAdditionOpcodes; }
CHEEMS_LANES_END
