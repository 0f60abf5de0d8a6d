//===- FloatArithmetic.cpp - add, sub, mul, fma and mad of f32 and f64 ----===//
#include "Each.h"
#include "Families.h"
#include "Floats.h"
#include "Modifiers.h"

using namespace cheems::emulator::lanes;

CHEEMS_LANES_BEGIN
namespace {

/// The handlers of an operation of f32 by .ftz and .sat: to nearest even, and
/// in the host's rounding mode of the payload.
struct Handlers {
  Handler nearest[2][2], directed[2][2], real, realDirected;
};
template <typename Operation, typename... T>
constexpr Handlers handlersOf = {
    {{each<single<Operation, false, false, T...>>,
      each<single<Operation, false, true, T...>>},
     {each<single<Operation, true, false, T...>>,
      each<single<Operation, true, true, T...>>}},
    {{eachRounded<single<Operation, false, false, T...>>,
      eachRounded<single<Operation, false, true, T...>>},
     {eachRounded<single<Operation, true, false, T...>>,
      eachRounded<single<Operation, true, true, T...>>}},
    each<real<Operation, Double<T>...>>,
    eachRounded<real<Operation, Double<T>...>>,
};

void decode(Statement &statement, const Handlers &handlers, size_t sources,
            bool needsRounding) {
  std::optional<Rounding> rounding = takeRounding(statement);
  if (needsRounding && !rounding) {
    statement.refuse("a rounding modifier is missing");
  }
  bool flushes = statement.take("ftz"), saturates = statement.take("sat");
  Type type = statement.takeType({Type::f32, Type::f64});
  Rounding mode = rounding.value_or(Rounding::nearestEven);
  bool nearest = mode == Rounding::nearestEven;
  if (type == Type::f64 && (flushes || saturates)) {
    statement.refuse(".ftz and .sat belong to .f32");
  }
  Handler handler = type == Type::f64
                        ? (nearest ? handlers.real : handlers.realDirected)
                    : nearest ? handlers.nearest[flushes][saturates]
                              : handlers.directed[flushes][saturates];
  emitUniform(statement, {type, handler},
              type == Type::f64 ? Pipe::fp64 : Pipe::fma, sources,
              static_cast<uint64_t>(mode));
}

/// PTX ISA, "Floating Point Instructions: add"
void decodeAdd(Statement &statement) {
  decode(statement, handlersOf<Add, float, float>, 2, false);
}
/// PTX ISA, "Floating Point Instructions: sub"
void decodeSubtract(Statement &statement) {
  decode(statement, handlersOf<Subtract, float, float>, 2, false);
}
/// PTX ISA, "Floating Point Instructions: mul"
void decodeMultiply(Statement &statement) {
  decode(statement, handlersOf<Multiply, float, float>, 2, false);
}
/// PTX ISA, "Floating Point Instructions: fma", and "mad", which is the same
void decodeFused(Statement &statement) {
  decode(statement, handlersOf<FusedMultiplyAdd, float, float, float>, 3, true);
}

/// PTX ISA, "Floating Point Instructions: add": .f32x2 is of later GPUs.
void decodePair(Statement &statement) {
  needs(statement, 100, ".f32x2");
  statement.notModelled(".f32x2");
}

constexpr Opcode floatArithmeticOpcodes[] = {
    {"add", decodeAdd, "f32"},      {"add", decodeAdd, "f64"},
    {"sub", decodeSubtract, "f32"}, {"sub", decodeSubtract, "f64"},
    {"mul", decodeMultiply, "f32"}, {"mul", decodeMultiply, "f64"},
    {"fma", decodeFused, "f32"},    {"fma", decodeFused, "f64"},
    {"mad", decodeFused, "f32"},    {"mad", decodeFused, "f64"},
    {"add", decodePair, "f32x2"},   {"sub", decodePair, "f32x2"},
    {"mul", decodePair, "f32x2"},   {"fma", decodePair, "f32x2"},
};

} // namespace

std::span<const Opcode> floatArithmetic() { return floatArithmeticOpcodes; }
CHEEMS_LANES_END
