//===- Approximations.cpp - rsqrt, sin, cos, lg2, ex2 and tanh ------------===//
#include "Each.h"
#include "Families.h"
#include "Floats.h"
#include "Integers.h"
#include "Modifiers.h"

using namespace cheems::emulator::lanes;

CHEEMS_LANES_BEGIN
namespace {

/// f32 by .ftz
template <typename Operation>
constexpr Handler handlersOf[2] = {each<single<Operation, false, false, float>>,
                                   each<single<Operation, true, false, float>>};

template <typename Operation, const Format &format, int modifiers>
CHEEMS_LANE uint16_t halfOf(uint16_t a) {
  return half<HalfApproximation<Operation>, format, modifiers>(a);
}
template <typename Operation, int bfloatModifiers>
constexpr Typed halves[] = {
    {Type::f16, each<halfOf<Operation, f16, 0>>},
    {Type::f16x2, each<InHalves<halfOf<Operation, f16, 0>>::run>},
    {Type::bf16, each<halfOf<Operation, bf16, bfloatModifiers>>},
    {Type::bf16x2,
     each<InHalves<halfOf<Operation, bf16, bfloatModifiers>>::run>},
};

void takeApproximate(Statement &statement) {
  if (!statement.take("approx")) {
    statement.refuse("the modifier .approx is missing");
  }
}

template <typename Operation> void decodeSingle(Statement &statement) {
  takeApproximate(statement);
  bool flushes = statement.take("ftz");
  Type type = statement.takeType({Type::f32});
  emitUniform(statement, {type, handlersOf<Operation>[flushes]}, Pipe::mufu, 1);
}

/// PTX ISA, "Floating Point Instructions: rsqrt" and "rsqrt.approx.ftz.f64"
void decodeReciprocalRoot(Statement &statement) {
  takeApproximate(statement);
  bool flushes = statement.take("ftz");
  Type type = statement.takeType({Type::f32, Type::f64});
  Handler handler = type == Type::f32 ? handlersOf<ReciprocalRoot>[flushes]
                    : flushes         ? each<gross<ReciprocalRoot>>
                                      : each<real<ReciprocalRoot, double>>;
  emitUniform(statement, {type, handler}, Pipe::mufu, 1);
}

bool isBFloat(Type type) { return type == Type::bf16 || type == Type::bf16x2; }

/// PTX ISA, "Floating Point Instructions: ex2" and "Half Precision Floating
/// Point Instructions: ex2": bf16 always has .ftz, f16 never.
void decodeExponential(Statement &statement) {
  takeApproximate(statement);
  bool flushes = statement.take("ftz");
  std::optional<Type> type = statement.takeAnyType();
  if (type == Type::f32) {
    emitUniform(statement, {*type, handlersOf<Exponential>[flushes]},
                Pipe::mufu, 1);
    return;
  }
  Handler handler =
      type ? find(halves<Exponential, flushesHalves>, *type) : nullptr;
  if (!handler) {
    statement.refuse("it has no such type");
  }
  if (isBFloat(*type) != flushes) {
    statement.refuse(flushes ? "f16 has no .ftz here"
                             : "the modifier .ftz is missing");
  }
  if (isBFloat(*type)) {
    needs(statement, 90, "bf16");
  }
  emitUniform(statement, {*type, handler}, Pipe::mufu, 1);
}

/// PTX ISA, "Floating Point Instructions: tanh" and "Half Precision Floating
/// Point Instructions: tanh"
void decodeTangent(Statement &statement) {
  takeApproximate(statement);
  if (statement.take("f32")) {
    emitUniform(statement, {Type::f32, handlersOf<HyperbolicTangent>[0]},
                Pipe::mufu, 1);
    return;
  }
  Typed typed = takeTyped(statement, halves<HyperbolicTangent, 0>);
  if (isBFloat(typed.type)) {
    needs(statement, 90, "bf16");
  }
  emitUniform(statement, typed, Pipe::mufu, 1);
}

constexpr Opcode approximationsOpcodes[] = {
    {"rsqrt", decodeReciprocalRoot}, {"sin", decodeSingle<Sine>},
    {"cos", decodeSingle<Cosine>},   {"lg2", decodeSingle<Logarithm>},
    {"ex2", decodeExponential},      {"tanh", decodeTangent},
};

} // namespace

std::span<const Opcode> approximations() { return approximationsOpcodes; }
CHEEMS_LANES_END
