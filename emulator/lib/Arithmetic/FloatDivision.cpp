//===- FloatDivision.cpp - div, rcp and sqrt of f32 and f64 ---------------===//
#include "Each.h"
#include "Families.h"
#include "Floats.h"
#include "Modifiers.h"

using namespace cheems::emulator::lanes;

CHEEMS_LANES_BEGIN
namespace {

/// f32 by .ftz
struct Handlers {
  Handler nearest[2], directed[2], real, realDirected;
};
template <typename Operation, typename... T>
constexpr Handlers handlersOf = {
    {each<single<Operation, false, false, T...>>,
     each<single<Operation, true, false, T...>>},
    {eachRounded<single<Operation, false, false, T...>>,
     eachRounded<single<Operation, true, false, T...>>},
    each<real<Operation, Double<T>...>>,
    eachRounded<real<Operation, Double<T>...>>,
};

constexpr Handler approximateDivisions[2] = {
    each<single<DivideApproximately, false, false, float, float>>,
    each<single<DivideApproximately, true, false, float, float>>};

/// With a rounding modifier.
void decodeExact(Statement &statement, const Handlers &handlers, size_t sources,
                 Pipe pipe) {
  std::optional<Rounding> rounding = takeRounding(statement);
  if (!rounding) {
    statement.refuse("a rounding modifier or an approximation is missing");
  }
  bool flushes = statement.take("ftz");
  Type type = statement.takeType({Type::f32, Type::f64});
  bool nearest = *rounding == Rounding::nearestEven;
  if (type == Type::f64 && flushes) {
    statement.refuse(".ftz belongs to .f32");
  }
  Handler handler =
      type == Type::f64
          ? (nearest ? handlers.real : handlers.realDirected)
          : (nearest ? handlers.nearest : handlers.directed)[flushes];
  emitUniform(statement, {type, handler}, type == Type::f64 ? Pipe::fp64 : pipe,
              sources, static_cast<uint64_t>(*rounding));
}

/// An approximation of f32.
void decodeApproximate(Statement &statement, const Handler (&handlers)[2],
                       size_t sources) {
  bool flushes = statement.take("ftz");
  Type type = statement.takeType({Type::f32});
  emitUniform(statement, {type, handlers[flushes]}, Pipe::mufu, sources);
}

/// PTX ISA, "Floating Point Instructions: div". The errors of .approx and .full
/// are at most 2 ulp; ours is that of the nearest.
void decodeDivide(Statement &statement) {
  constexpr const Handlers &handlers = handlersOf<Divide, float, float>;
  if (statement.take("approx")) {
    decodeApproximate(statement, approximateDivisions, 2);
  } else if (statement.take("full")) {
    decodeApproximate(statement, handlers.nearest, 2);
  } else {
    decodeExact(statement, handlers, 2, Pipe::fma);
  }
}

/// PTX ISA, "Floating Point Instructions: rcp" and "rcp.approx.ftz.f64". The
/// error of .approx is at most 1 ulp; ours is that of the nearest.
void decodeReciprocal(Statement &statement) {
  constexpr const Handlers &handlers = handlersOf<Reciprocal, float>;
  if (!statement.take("approx")) {
    decodeExact(statement, handlers, 1, Pipe::mufu);
    return;
  }
  if (statement.take("f64")) {
    if (!statement.take("ftz")) {
      statement.refuse("an approximation of .f64 has .ftz");
    }
    emitUniform(statement, {Type::f64, each<gross<Reciprocal>>}, Pipe::mufu, 1);
    return;
  }
  decodeApproximate(statement, handlers.nearest, 1);
}

/// PTX ISA, "Floating Point Instructions: sqrt". The relative error of .approx
/// is at most 2^-23; ours is that of the nearest.
void decodeRoot(Statement &statement) {
  constexpr const Handlers &handlers = handlersOf<SquareRoot, float>;
  if (statement.take("approx")) {
    decodeApproximate(statement, handlers.nearest, 1);
  } else {
    decodeExact(statement, handlers, 1, Pipe::mufu);
  }
}

constexpr Opcode floatDivisionOpcodes[] = {
    {"div", decodeDivide, "f32"},
    {"div", decodeDivide, "f64"},
    {"rcp", decodeReciprocal},
    {"sqrt", decodeRoot},
};

} // namespace

std::span<const Opcode> floatDivision() { return floatDivisionOpcodes; }
CHEEMS_LANES_END
