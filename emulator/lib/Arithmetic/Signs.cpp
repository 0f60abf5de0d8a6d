//===- Signs.cpp - neg, abs, copysign and testp of floats -----------------===//
#include "Signs.h"

#include "Each.h"
#include "Families.h"
#include "Integers.h"
#include "Modifiers.h"

using namespace cheems::emulator::lanes;

CHEEMS_LANES_BEGIN
namespace {

struct Change {
  Type type;
  Handler plain, flushing;
};
template <const Format &format, typename Code, SignChange change>
constexpr Change changeOf(Type type) {
  return {type, each<changeSign<format, Code, change, false>>,
          each<changeSign<format, Code, change, true>>};
}
template <const Format &format, SignChange change>
constexpr Change pairChangeOf(Type type) {
  return {type,
          each<InHalves<changeSign<format, uint16_t, change, false>>::run>,
          each<InHalves<changeSign<format, uint16_t, change, true>>::run>};
}
template <SignChange change>
constexpr Change changes[] = {
    changeOf<f32, uint32_t, change>(Type::f32),
    changeOf<f64, uint64_t, change>(Type::f64),
    changeOf<f16, uint16_t, change>(Type::f16),
    pairChangeOf<f16, change>(Type::f16x2),
    changeOf<bf16, uint16_t, change>(Type::bf16),
    pairChangeOf<bf16, change>(Type::bf16x2),
};

/// PTX ISA, "Floating Point Instructions: neg" and "abs", and "Half Precision
/// Floating Point Instructions: neg" and "abs"
template <SignChange change> void decodeChange(Statement &statement) {
  Type type = statement.takeType(
      {Type::f32, Type::f64, Type::f16, Type::f16x2, Type::bf16, Type::bf16x2});
  bool isBFloat = type == Type::bf16 || type == Type::bf16x2;
  if (isBFloat) {
    needs(statement, 80, "bf16");
  }
  bool flushes = !isBFloat && type != Type::f64 && statement.take("ftz");
  Pipe pipe = type == Type::f32   ? Pipe::alu
              : type == Type::f64 ? Pipe::fp64
                                  : Pipe::half;
  for (const Change &entry : changes<change>) {
    if (entry.type == type) {
      emitUniform(statement, {type, flushes ? entry.flushing : entry.plain},
                  pipe, 1);
    }
  }
}

constexpr Typed copies[] = {{Type::f32, each<copySign<uint32_t>>},
                            {Type::f64, each<copySign<uint64_t>>}};
/// PTX ISA, "Floating Point Instructions: copysign"
void decodeCopySign(Statement &statement) {
  emitUniform(statement, takeTyped(statement, copies), Pipe::alu, 2);
}

struct Test {
  std::string_view name;
  Handler single, real;
};
template <Property property> constexpr Test testOf(std::string_view name) {
  return {name, test<has<f32, uint32_t, property>>,
          test<has<f64, uint64_t, property>>};
}
constexpr Test tests[] = {
    testOf<Property::finite>("finite"),
    testOf<Property::infinite>("infinite"),
    testOf<Property::number>("number"),
    testOf<Property::notANumber>("notanumber"),
    testOf<Property::normal>("normal"),
    testOf<Property::subnormal>("subnormal"),
};
/// PTX ISA, "Floating Point Instructions: testp"
void decodeTest(Statement &statement) {
  std::string_view property = statement.takeOne(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  Type type = statement.takeType({Type::f32, Type::f64});
  statement.end(2);
  for (const Test &entry : tests) {
    if (entry.name == property) {
      statement.emit(
          type == Type::f32 ? entry.single : entry.real, Pipe::alu,
          {statement.predicateDestination(0), statement.source(1, type)});
    }
  }
}

constexpr auto decodeNegate = decodeChange<SignChange::negation>;
constexpr auto decodeAbsolute = decodeChange<SignChange::magnitude>;
constexpr Opcode signsOpcodes[] = {
    {"neg", decodeNegate, "f32"},    {"abs", decodeAbsolute, "f32"},
    {"neg", decodeNegate, "f64"},    {"abs", decodeAbsolute, "f64"},
    {"neg", decodeNegate, "f16"},    {"abs", decodeAbsolute, "f16"},
    {"neg", decodeNegate, "f16x2"},  {"abs", decodeAbsolute, "f16x2"},
    {"neg", decodeNegate, "bf16"},   {"abs", decodeAbsolute, "bf16"},
    {"neg", decodeNegate, "bf16x2"}, {"abs", decodeAbsolute, "bf16x2"},
    {"copysign", decodeCopySign},    {"testp", decodeTest},
};

} // namespace

std::span<const Opcode> signs() { return signsOpcodes; }
CHEEMS_LANES_END
