//===- IntegerDivision.cpp - div, rem, min and max of integers ------------===//
#include "Each.h"
#include "Families.h"
#include "Integers.h"
#include "Modifiers.h"

using namespace cheems::emulator::lanes;

CHEEMS_LANES_BEGIN
namespace {

constexpr Typed quotients[] = {
    {Type::u16, each<divide<uint16_t>>}, {Type::u32, each<divide<uint32_t>>},
    {Type::u64, each<divide<uint64_t>>}, {Type::s16, each<divide<int16_t>>},
    {Type::s32, each<divide<int32_t>>},  {Type::s64, each<divide<int64_t>>},
};
/// PTX ISA, "Integer Arithmetic Instructions: div"
void decodeDivide(Statement &statement) {
  emitUniform(statement, takeTyped(statement, quotients), Pipe::alu, 2);
}

constexpr Typed remainders[] = {
    {Type::u16, each<remainder<uint16_t>>},
    {Type::u32, each<remainder<uint32_t>>},
    {Type::u64, each<remainder<uint64_t>>},
    {Type::s16, each<remainder<int16_t>>},
    {Type::s32, each<remainder<int32_t>>},
    {Type::s64, each<remainder<int64_t>>},
};
/// PTX ISA, "Integer Arithmetic Instructions: rem"
void decodeRemainder(Statement &statement) {
  emitUniform(statement, takeTyped(statement, remainders), Pipe::alu, 2);
}

constexpr Typed minima[] = {
    {Type::u16, each<minimum<uint16_t>>},
    {Type::u32, each<minimum<uint32_t>>},
    {Type::u64, each<minimum<uint64_t>>},
    {Type::s16, each<minimum<int16_t>>},
    {Type::s32, each<minimum<int32_t>>},
    {Type::s64, each<minimum<int64_t>>},
    {Type::u16x2, each<InHalves<minimum<uint16_t>>::run>},
    {Type::s16x2, each<InHalves<minimum<int16_t>>::run>},
};
constexpr Typed minimaRelu[] = {
    {Type::s32, each<minimumRelu<int32_t>>},
    {Type::s16x2, each<InHalves<minimumRelu<int16_t>>::run>},
};
constexpr Typed maxima[] = {
    {Type::u16, each<maximum<uint16_t>>},
    {Type::u32, each<maximum<uint32_t>>},
    {Type::u64, each<maximum<uint64_t>>},
    {Type::s16, each<maximum<int16_t>>},
    {Type::s32, each<maximum<int32_t>>},
    {Type::s64, each<maximum<int64_t>>},
    {Type::u16x2, each<InHalves<maximum<uint16_t>>::run>},
    {Type::s16x2, each<InHalves<maximum<int16_t>>::run>},
};
constexpr Typed maximaRelu[] = {
    {Type::s32, each<maximumRelu<int32_t>>},
    {Type::s16x2, each<InHalves<maximumRelu<int16_t>>::run>},
};

void decodeExtremum(Statement &statement, std::span<const Typed> plain,
                    std::span<const Typed> relu) {
  bool clamps = statement.take("relu");
  Typed typed = takeTyped(statement, clamps ? relu : plain);
  if (clamps || typed.type == Type::u16x2 || typed.type == Type::s16x2) {
    needs(statement, 90, "this form");
  }
  emitUniform(statement, typed, Pipe::alu, 2);
}
/// PTX ISA, "Integer Arithmetic Instructions: min"
void decodeMinimum(Statement &statement) {
  decodeExtremum(statement, minima, minimaRelu);
}
/// PTX ISA, "Integer Arithmetic Instructions: max"
void decodeMaximum(Statement &statement) {
  decodeExtremum(statement, maxima, maximaRelu);
}

constexpr Opcode integerDivisionOpcodes[] = {
    {"div", decodeDivide},
    {"rem", decodeRemainder},
    {"min", decodeMinimum},
    {"max", decodeMaximum},
};

} // namespace

std::span<const Opcode> integerDivision() { return integerDivisionOpcodes; }
CHEEMS_LANES_END
