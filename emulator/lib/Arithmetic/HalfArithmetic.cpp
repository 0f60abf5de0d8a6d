//===- HalfArithmetic.cpp - add, sub, mul and fma of f16 and bf16 ---------===//
#include "Each.h"
#include "Families.h"
#include "Floats.h"
#include "Integers.h"
#include "Modifiers.h"

#include <array>

using namespace cheems::emulator::lanes;

CHEEMS_LANES_BEGIN
namespace {

/// Handlers by HalfModifiers, of one value and of two in 32 bits.
struct Handlers {
  std::array<Handler, 8> one, two;
};
template <typename Operation, const Format &format, typename... T,
          size_t... modifiers>
constexpr Handlers handlersOf(std::index_sequence<modifiers...>) {
  return {
      {each<half<Operation, format, int(modifiers), T...>>...},
      {each<InHalves<half<Operation, format, int(modifiers), T...>>::run>...}};
}
// No instruction has both .sat and .relu, and only fma has .relu.
template <typename Operation, const Format &format, typename... T>
constexpr Handlers handlers = handlersOf<Operation, format, T...>(
    std::make_index_sequence<format.exponentBits == 8
                                 ? (sizeof...(T) == 3 ? 5 : 1)
                                 : (sizeof...(T) == 3 ? 6 : 4)>());

void decode(Statement &statement, Type type, const Handlers &handlers,
            size_t sources) {
  bool isHalf = type == Type::f16 || type == Type::f16x2;
  bool isFused = sources == 3;
  bool hasRounding = statement.take("rn");
  if (isFused && !hasRounding) {
    statement.refuse("a rounding modifier is missing");
  }
  int modifiers = 0;
  if (isHalf) {
    modifiers |= statement.take("ftz") ? flushesHalves : 0;
    modifiers |= statement.take("sat") ? saturatesHalf : 0;
  } else {
    needs(statement, isFused ? 80 : 90, "bf16");
  }
  if (isFused) {
    if (statement.take("oob")) {
      statement.notModelled(".oob");
    }
    modifiers |= statement.take("relu") ? relu : 0;
    if (modifiers & relu && modifiers & saturatesHalf) {
      statement.refuse(".sat and .relu exclude each other");
    }
  }
  bool isPair = bits(type) == 32;
  Handler handler = (isPair ? handlers.two : handlers.one)[modifiers];
  emitUniform(statement, {type, handler}, Pipe::half, sources);
}

template <typename Operation, typename... T> void decode(Statement &statement) {
  Type type =
      statement.takeType({Type::f16, Type::f16x2, Type::bf16, Type::bf16x2});
  bool isHalf = type == Type::f16 || type == Type::f16x2;
  decode(statement, type,
         isHalf ? handlers<Operation, f16, T...>
                : handlers<Operation, bf16, T...>,
         sizeof...(T));
}

using U = uint16_t;
/// PTX ISA, "Half Precision Floating Point Instructions: add"
void decodeAdd(Statement &statement) { decode<HalfAdd, U, U>(statement); }
/// PTX ISA, "Half Precision Floating Point Instructions: sub"
void decodeSubtract(Statement &statement) {
  decode<HalfSubtract, U, U>(statement);
}
/// PTX ISA, "Half Precision Floating Point Instructions: mul"
void decodeMultiply(Statement &statement) {
  decode<HalfMultiply, U, U>(statement);
}
/// PTX ISA, "Half Precision Floating Point Instructions: fma"
void decodeFused(Statement &statement) {
  decode<HalfFusedMultiplyAdd, U, U, U>(statement);
}

constexpr Opcode halfArithmeticOpcodes[] = {
    {"add", decodeAdd, "f16"},       {"add", decodeAdd, "f16x2"},
    {"add", decodeAdd, "bf16"},      {"add", decodeAdd, "bf16x2"},
    {"sub", decodeSubtract, "f16"},  {"sub", decodeSubtract, "f16x2"},
    {"sub", decodeSubtract, "bf16"}, {"sub", decodeSubtract, "bf16x2"},
    {"mul", decodeMultiply, "f16"},  {"mul", decodeMultiply, "f16x2"},
    {"mul", decodeMultiply, "bf16"}, {"mul", decodeMultiply, "bf16x2"},
    {"fma", decodeFused, "f16"},     {"fma", decodeFused, "f16x2"},
    {"fma", decodeFused, "bf16"},    {"fma", decodeFused, "bf16x2"},
};

} // namespace

std::span<const Opcode> halfArithmetic() { return halfArithmeticOpcodes; }
CHEEMS_LANES_END
