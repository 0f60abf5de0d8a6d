//===- FloatMinimum.cpp - min and max of f16, bf16, f32 and f64 -----------===//
#include "Each.h"
#include "Families.h"
#include "Floats.h"
#include "Integers.h"
#include "Modifiers.h"

#include <array>

using namespace cheems::emulator::lanes;

CHEEMS_LANES_BEGIN
namespace {

/// The index is a set of ExtremumModifiers.
using Handlers = std::array<Handler, 16>;
using All = std::make_index_sequence<16>;

template <const Format &format, typename Code, size_t... modifiers>
constexpr Handlers handlersOf(std::index_sequence<modifiers...>) {
  return {each<extremum<format, Code, int(modifiers)>>...};
}
template <const Format &format, size_t... modifiers>
constexpr Handlers pairHandlersOf(std::index_sequence<modifiers...>) {
  return {each<InHalves<extremum<format, uint16_t, int(modifiers)>>::run>...};
}

struct Family {
  Type type;
  Handlers handlers;
};
constexpr Family families[] = {
    {Type::f32, handlersOf<f32, uint32_t>(All())},
    {Type::f16, handlersOf<f16, uint16_t>(All())},
    {Type::f16x2, pairHandlersOf<f16>(All())},
    {Type::bf16, handlersOf<bf16, uint16_t>(All())},
    {Type::bf16x2, pairHandlersOf<bf16>(All())},
    {Type::f64,
     {each<extremum<f64, uint64_t, 0>>,
      each<extremum<f64, uint64_t, greatestOfTwo>>}},
};

/// PTX ISA, "Floating Point Instructions: min" and "max", and "Half Precision
/// Floating Point Instructions: min" and "max"
void decode(Statement &statement, int modifiers) {
  Type type = statement.takeType(
      {Type::f32, Type::f64, Type::f16, Type::f16x2, Type::bf16, Type::bf16x2});
  bool isHalf = type != Type::f32 && type != Type::f64;
  bool isBFloat = type == Type::bf16 || type == Type::bf16x2;
  if (isHalf) {
    needs(statement, 80, "it");
  }
  if (type != Type::f64) {
    modifiers |= !isBFloat && statement.take("ftz") ? flushesOperands : 0;
    if (statement.take("NaN")) {
      needs(statement, 80, ".NaN");
      modifiers |= passesNaN;
    }
    bool xors = statement.take("xorsign"), isAbsolute = statement.take("abs");
    if (type == Type::f32 && statement.operands() == 4) {
      needs(statement, 100, "a third input");
      statement.notModelled("a third input");
    }
    if (xors != isAbsolute) {
      statement.refuse(".xorsign and .abs come together");
    }
    if (xors) {
      needs(statement, 86, ".xorsign.abs");
      modifiers |= xorsSigns;
    }
  }
  for (const Family &family : families) {
    if (family.type == type) {
      emitUniform(statement, {type, family.handlers[modifiers]},
                  type == Type::f64 ? Pipe::fp64
                  : isHalf          ? Pipe::half
                                    : Pipe::alu,
                  2);
    }
  }
}
void decodeMinimum(Statement &statement) { decode(statement, 0); }
void decodeMaximum(Statement &statement) { decode(statement, greatestOfTwo); }

constexpr Opcode floatMinimumOpcodes[] = {
    {"min", decodeMinimum, "f32"},    {"max", decodeMaximum, "f32"},
    {"min", decodeMinimum, "f64"},    {"max", decodeMaximum, "f64"},
    {"min", decodeMinimum, "f16"},    {"max", decodeMaximum, "f16"},
    {"min", decodeMinimum, "f16x2"},  {"max", decodeMaximum, "f16x2"},
    {"min", decodeMinimum, "bf16"},   {"max", decodeMaximum, "bf16"},
    {"min", decodeMinimum, "bf16x2"}, {"max", decodeMaximum, "bf16x2"},
};

} // namespace

std::span<const Opcode> floatMinimum() { return floatMinimumOpcodes; }
CHEEMS_LANES_END
