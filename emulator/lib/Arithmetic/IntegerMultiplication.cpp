//===- IntegerMultiplication.cpp - mul, mad, mul24 and mad24 --------------===//
#include "Each.h"
#include "Families.h"
#include "Integers.h"
#include "Modifiers.h"

using namespace cheems::emulator::lanes;

CHEEMS_LANES_BEGIN
namespace {

constexpr Typed lowMatmuls[] = {
    {Type::u16, each<multiplyLow<uint16_t>>},
    {Type::u32, each<multiplyLow<uint32_t>>},
    {Type::u64, each<multiplyLow<uint64_t>>},
    {Type::s16, each<multiplyLow<uint16_t>>},
    {Type::s32, each<multiplyLow<uint32_t>>},
    {Type::s64, each<multiplyLow<uint64_t>>},
};
constexpr Typed highMatmuls[] = {
    {Type::u16, each<multiplyHigh<uint16_t>>},
    {Type::u32, each<multiplyHigh<uint32_t>>},
    {Type::u64, each<multiplyHigh<uint64_t>>},
    {Type::s16, each<multiplyHigh<int16_t>>},
    {Type::s32, each<multiplyHigh<int32_t>>},
    {Type::s64, each<multiplyHigh<int64_t>>},
};
constexpr Typed wideMatmuls[] = {
    {Type::u16, each<multiplyWide<uint16_t>>},
    {Type::u32, each<multiplyWide<uint32_t>>},
    {Type::s16, each<multiplyWide<int16_t>>},
    {Type::s32, each<multiplyWide<int32_t>>},
};
constexpr Typed lowSums[] = {
    {Type::u16, each<multiplyAddLow<uint16_t>>},
    {Type::u32, each<multiplyAddLow<uint32_t>>},
    {Type::u64, each<multiplyAddLow<uint64_t>>},
    {Type::s16, each<multiplyAddLow<uint16_t>>},
    {Type::s32, each<multiplyAddLow<uint32_t>>},
    {Type::s64, each<multiplyAddLow<uint64_t>>},
};
constexpr Typed highSums[] = {
    {Type::u16, each<multiplyAddHigh<uint16_t>>},
    {Type::u32, each<multiplyAddHigh<uint32_t>>},
    {Type::u64, each<multiplyAddHigh<uint64_t>>},
    {Type::s16, each<multiplyAddHigh<int16_t>>},
    {Type::s32, each<multiplyAddHigh<int32_t>>},
    {Type::s64, each<multiplyAddHigh<int64_t>>},
};
constexpr Typed saturatedHighSums[] = {
    {Type::s32, each<multiplyAddHighSaturated>}};
constexpr Typed wideSums[] = {
    {Type::u16, each<multiplyAddWide<uint16_t>>},
    {Type::u32, each<multiplyAddWide<uint32_t>>},
    {Type::s16, each<multiplyAddWide<int16_t>>},
    {Type::s32, each<multiplyAddWide<int32_t>>},
};

Type twiceAsWide(Type type) { return bits(type) == 16 ? Type::b32 : Type::b64; }

/// PTX ISA, "Integer Arithmetic Instructions: mul"
void decodeMultiply(Statement &statement) {
  std::string_view mode = statement.takeOne({"lo", "hi", "wide"});
  if (mode != "wide") {
    emitUniform(statement,
                mode == "lo" ? takeTyped(statement, lowMatmuls)
                             : takeTyped(statement, highMatmuls),
                Pipe::fma, 2);
    return;
  }
  Typed typed = takeTyped(statement, wideMatmuls);
  statement.end(3);
  statement.emit(typed.handler, Pipe::fma,
                 {statement.destination(0, twiceAsWide(typed.type)),
                  statement.source(1, typed.type),
                  statement.source(2, typed.type)});
}

/// PTX ISA, "Integer Arithmetic Instructions: mad"
void decodeMultiplyAdd(Statement &statement) {
  std::string_view mode = statement.takeOne({"lo", "hi", "wide"});
  if (mode != "wide") {
    bool saturates = mode == "hi" && statement.take("sat");
    emitUniform(statement,
                saturates      ? takeTyped(statement, saturatedHighSums)
                : mode == "lo" ? takeTyped(statement, lowSums)
                               : takeTyped(statement, highSums),
                Pipe::fma, 3);
    return;
  }
  Typed typed = takeTyped(statement, wideSums);
  statement.end(4);
  statement.emit(typed.handler, Pipe::fma,
                 {statement.destination(0, twiceAsWide(typed.type)),
                  statement.source(1, typed.type),
                  statement.source(2, typed.type),
                  statement.source(3, twiceAsWide(typed.type))});
}

constexpr Typed lowMatmuls24[] = {{Type::u32, each<multiply24Low<uint32_t>>},
                                  {Type::s32, each<multiply24Low<int32_t>>}};
constexpr Typed highMatmuls24[] = {{Type::u32, each<multiply24High<uint32_t>>},
                                   {Type::s32, each<multiply24High<int32_t>>}};
constexpr Typed lowSums24[] = {{Type::u32, each<multiplyAdd24Low<uint32_t>>},
                               {Type::s32, each<multiplyAdd24Low<int32_t>>}};
constexpr Typed highSums24[] = {{Type::u32, each<multiplyAdd24High<uint32_t>>},
                                {Type::s32, each<multiplyAdd24High<int32_t>>}};
constexpr Typed saturatedHighSums24[] = {
    {Type::s32, each<multiplyAdd24HighSaturated>}};

/// PTX ISA, "Integer Arithmetic Instructions: mul24"
void decodeMultiply24(Statement &statement) {
  bool low = statement.takeOne({"lo", "hi"}) == "lo";
  emitUniform(statement,
              low ? takeTyped(statement, lowMatmuls24)
                  : takeTyped(statement, highMatmuls24),
              Pipe::fma, 2);
}

/// PTX ISA, "Integer Arithmetic Instructions: mad24"
void decodeMultiplyAdd24(Statement &statement) {
  bool low = statement.takeOne({"lo", "hi"}) == "lo";
  bool saturates = !low && statement.take("sat");
  emitUniform(statement,
              saturates ? takeTyped(statement, saturatedHighSums24)
              : low     ? takeTyped(statement, lowSums24)
                        : takeTyped(statement, highSums24),
              Pipe::fma, 3);
}

constexpr Opcode integerMultiplicationOpcodes[] = {
    {"mul", decodeMultiply},
    {"mad", decodeMultiplyAdd},
    {"mul24", decodeMultiply24},
    {"mad24", decodeMultiplyAdd24},
};

} // namespace

std::span<const Opcode> integerMultiplication() {
  return integerMultiplicationOpcodes;
}
CHEEMS_LANES_END
