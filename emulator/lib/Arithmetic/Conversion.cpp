//===- Conversion.cpp - cvt between numbers -------------------------------===//
#include "Conversions.h"

#include "Each.h"
#include "Families.h"
#include "Modifiers.h"

using namespace cheems::emulator::lanes;

CHEEMS_LANES_BEGIN
namespace {

template <typename T> uint64_t load(const Warp &warp, Slot slot, int lane) {
  return warp.source<T>(slot)[lane];
}

/// Any conversion, lane by lane. Payload: a Conversion.
Step convertAny(Warp &warp, const Instruction &instruction, LaneMask active) {
  const auto &conversion = instruction.as<Conversion>();
  Slot d = instruction.slots[0], a = instruction.slots[1];
  forLanes(active, [&](int lane) {
    int from = conversion.from.bits, to = conversion.to.bits;
    uint64_t value =
        convert(conversion, from <= 16   ? load<uint16_t>(warp, a, lane)
                            : from == 32 ? load<uint32_t>(warp, a, lane)
                                         : load<uint64_t>(warp, a, lane));
    if (to <= 16) {
      warp.destination<uint16_t>(d)[lane] = static_cast<uint16_t>(value);
    } else if (to == 32) {
      warp.destination<uint32_t>(d)[lane] = static_cast<uint32_t>(value);
    } else {
      warp.destination<uint64_t>(d)[lane] = value;
    }
  });
  return Step::next;
}

/// What is frequent has handlers of its own: without .sat, .relu and
/// .satfinite, and with .ftz only where it changes nothing or is done.
struct Fast {
  Type to, from;
  std::optional<Rounding> rounding;
  Handler handler;
  bool ignoresFlushing = false;
  std::optional<bool> flushes = std::nullopt; ///< the only value, if any
};

constexpr Rounding nearest = Rounding::nearestEven;

constexpr Fast list[] = {
    // f32 to integers: a subnormal is zero in these modes without .ftz, too.
    {Type::s32, Type::f32, nearest, each<singleTo<int32_t, nearest>>, true},
    {Type::u32, Type::f32, nearest, each<singleTo<uint32_t, nearest>>, true},
    {Type::s16, Type::f32, nearest, each<singleTo<int16_t, nearest>>, true},
    {Type::u16, Type::f32, nearest, each<singleTo<uint16_t, nearest>>, true},
    {Type::s8, Type::f32, nearest, each<singleTo<int8_t, nearest>>, true},
    {Type::u8, Type::f32, nearest, each<singleTo<uint8_t, nearest>>, true},
    {Type::s32, Type::f32, Rounding::zero,
     each<singleTo<int32_t, Rounding::zero>>, true},
    {Type::u32, Type::f32, Rounding::zero,
     each<singleTo<uint32_t, Rounding::zero>>, true},
    {Type::s64, Type::f32, Rounding::zero,
     each<singleTo<int64_t, Rounding::zero>>, true},
    {Type::s16, Type::f32, Rounding::zero,
     each<singleTo<int16_t, Rounding::zero>>, true},
    {Type::s8, Type::f32, Rounding::zero,
     each<singleTo<int8_t, Rounding::zero>>, true},
    {Type::u8, Type::f32, Rounding::zero,
     each<singleTo<uint8_t, Rounding::zero>>, true},
    {Type::s32, Type::f32, Rounding::down,
     each<singleTo<int32_t, Rounding::down>>},
    {Type::s32, Type::f32, Rounding::up, each<singleTo<int32_t, Rounding::up>>},
    // Integers to floats
    {Type::f32, Type::u8, nearest, each<integerToSingle<uint8_t>>, true},
    {Type::f32, Type::s8, nearest, each<integerToSingle<int8_t>>, true},
    {Type::f32, Type::u16, nearest, each<integerToSingle<uint16_t>>, true},
    {Type::f32, Type::s16, nearest, each<integerToSingle<int16_t>>, true},
    {Type::f32, Type::u32, nearest, each<integerToSingle<uint32_t>>, true},
    {Type::f32, Type::s32, nearest, each<integerToSingle<int32_t>>, true},
    {Type::f32, Type::u64, nearest, each<integerToSingle<uint64_t>>, true},
    {Type::f32, Type::s64, nearest, each<integerToSingle<int64_t>>, true},
    {Type::f64, Type::u32, nearest, each<integerToReal<uint32_t>>},
    {Type::f64, Type::s32, nearest, each<integerToReal<int32_t>>},
    {Type::f64, Type::u64, nearest, each<integerToReal<uint64_t>>},
    {Type::f64, Type::s64, nearest, each<integerToReal<int64_t>>},
    {Type::f16, Type::u8, nearest, each<integerToHalf<f16, uint8_t>>},
    {Type::f16, Type::s8, nearest, each<integerToHalf<f16, int8_t>>},
    {Type::f16, Type::u16, nearest, each<integerToHalf<f16, uint16_t>>},
    {Type::f16, Type::s16, nearest, each<integerToHalf<f16, int16_t>>},
    {Type::f16, Type::u32, nearest, each<integerToHalf<f16, uint32_t>>},
    {Type::f16, Type::s32, nearest, each<integerToHalf<f16, int32_t>>},
    {Type::bf16, Type::u8, nearest, each<integerToHalf<bf16, uint8_t>>},
    {Type::bf16, Type::s8, nearest, each<integerToHalf<bf16, int8_t>>},
    {Type::bf16, Type::u16, nearest, each<integerToHalf<bf16, uint16_t>>},
    {Type::bf16, Type::s16, nearest, each<integerToHalf<bf16, int16_t>>},
    {Type::bf16, Type::u32, nearest, each<integerToHalf<bf16, uint32_t>>},
    {Type::bf16, Type::s32, nearest, each<integerToHalf<bf16, int32_t>>},
    // Between floats. Subnormals of f16 are normal f32s, and subnormal f32s
    // are zeros as f16.
    {Type::f16, Type::f32, nearest, each<singleToHalf<f16>>, true},
    {Type::f32, Type::f16, std::nullopt, each<halfToSingle<f16>>, true},
    {Type::bf16, Type::f32, nearest, each<singleToHalf<bf16>>},
    {Type::f32, Type::bf16, std::nullopt, each<halfToSingle<bf16>>},
    {Type::f16, Type::f64, nearest, each<realToHalf<f16>>},
    {Type::bf16, Type::f64, nearest, each<realToHalf<bf16>>},
    {Type::f32, Type::f64, nearest, each<realToSingle>},
    {Type::f64, Type::f32, std::nullopt, each<singleToReal>},
    {Type::f32, Type::f32, nearest, each<integralSingle<nearest, false>>},
    {Type::f32, Type::f32, Rounding::zero,
     each<integralSingle<Rounding::zero, false>>},
    {Type::f32, Type::f32, Rounding::down,
     each<integralSingle<Rounding::down, false>>},
    {Type::f32, Type::f32, Rounding::up,
     each<integralSingle<Rounding::up, false>>},
    {Type::f32, Type::f32, nearest, each<integralSingle<nearest, true>>, false,
     true},
    {Type::f32, Type::f32, Rounding::zero,
     each<integralSingle<Rounding::zero, true>>, false, true},
    {Type::f32, Type::f32, Rounding::down,
     each<integralSingle<Rounding::down, true>>, false, true},
    {Type::f32, Type::f32, Rounding::up,
     each<integralSingle<Rounding::up, true>>, false, true},
};

/// The bits of the result do not depend on its sign, except those that extend a
/// byte.
template <typename From> Handler integerHandler(Type to) {
  switch (to) {
  case Type::u8:
    return each<integerTo<uint8_t, From>>;
  case Type::s8:
    return each<integerTo<int8_t, From>>;
  case Type::u16:
  case Type::s16:
    return each<integerTo<uint16_t, From>>;
  case Type::u32:
  case Type::s32:
    return each<integerTo<uint32_t, From>>;
  default:
    return each<integerTo<uint64_t, From>>;
  }
}
Handler betweenIntegers(Type to, Type from) {
  switch (from) {
  case Type::u8:
    return integerHandler<uint8_t>(to);
  case Type::s8:
    return integerHandler<int8_t>(to);
  case Type::u16:
    return integerHandler<uint16_t>(to);
  case Type::s16:
    return integerHandler<int16_t>(to);
  case Type::u32:
    return integerHandler<uint32_t>(to);
  case Type::s32:
    return integerHandler<int32_t>(to);
  case Type::u64:
    return integerHandler<uint64_t>(to);
  default:
    return integerHandler<int64_t>(to);
  }
}

Handler fastHandler(const Conversion &conversion, Type to, Type from,
                    std::optional<Rounding> rounding) {
  if (conversion.saturates || conversion.finite || conversion.clamps) {
    return nullptr;
  }
  if (isInteger(to) && isInteger(from)) {
    return betweenIntegers(to, from);
  }
  for (const Fast &fast : list) {
    if (fast.to == to && fast.from == from && fast.rounding == rounding &&
        (fast.ignoresFlushing ||
         fast.flushes.value_or(false) == conversion.flushes)) {
      return fast.handler;
    }
  }
  return nullptr;
}

bool isNumber(Type type) {
  return (isInteger(type) && bits(type) >= 8) ||
         (isFloat(type) && type != Type::tf32);
}

Number numberOf(Type type) {
  return {isSigned(type)     ? Number::Kind::isSigned
          : isUnsigned(type) ? Number::Kind::isUnsigned
                             : Number::Kind::floating,
          bits(type),
          type == Type::f16    ? &f16
          : type == Type::bf16 ? &bf16
          : type == Type::f32  ? &f32
          : type == Type::f64  ? &f64
                               : nullptr};
}

/// All values of `from` are values of `to`.
bool contains(Type to, Type from) {
  if (isInteger(to) && isInteger(from)) {
    return isSigned(to) == isSigned(from)
               ? bits(to) >= bits(from)
               : isSigned(to) && bits(to) > bits(from);
  }
  return to == from || (isFloat(to) && isFloat(from) && bits(to) > bits(from));
}

std::optional<Rounding> takeIntegerRounding(Statement &statement) {
  std::string_view text = statement.takeAny({"rni", "rzi", "rmi", "rpi"});
  if (text.empty()) {
    return std::nullopt;
  }
  return text == "rni"   ? Rounding::nearestEven
         : text == "rzi" ? Rounding::zero
         : text == "rmi" ? Rounding::down
                         : Rounding::up;
}

/// "Rounding modifier is mandatory in all of the following cases", and "illegal
/// in all other instances".
void checkRounding(Statement &statement, Type to, Type from, bool toIntegral,
                   bool rounds) {
  bool wantsIntegral = isFloat(from) && isInteger(to);
  bool mayBeIntegral = wantsIntegral || (to == from && isFloat(to));
  bool wantsRounding = isFloat(to) && (isInteger(from) || !contains(to, from));
  if ((wantsIntegral && !toIntegral) || (wantsRounding && !rounds)) {
    statement.refuse("a rounding modifier is missing");
  }
  if ((toIntegral && !mayBeIntegral) || (rounds && !wantsRounding)) {
    statement.refuse("this conversion is not rounded so");
  }
}

/// Decodes the forms with one number in each lane (PTX ISA, "Data Movement and
/// Conversion Instructions: cvt").
void decodeNumber(Statement &statement) {
  std::optional<Rounding> integral = takeIntegerRounding(statement);
  std::optional<Rounding> rounding = takeRounding(statement);
  Conversion conversion;
  conversion.flushes = statement.take("ftz");
  conversion.saturates = statement.take("sat");
  conversion.finite = statement.take("satfinite");
  conversion.clamps = statement.take("relu");
  std::optional<Type> to = statement.takeAnyType();
  std::optional<Type> from = statement.takeAnyType();
  if (!to || !from || !isNumber(*to) || !isNumber(*from)) {
    statement.refuse("these types are not converted");
  }
  checkRounding(statement, *to, *from, integral.has_value(),
                rounding.has_value());
  if (conversion.flushes && *to != Type::f32 && *from != Type::f32) {
    statement.refuse(".ftz belongs to .f32");
  }
  if (conversion.saturates) {
    if (*to == Type::bf16 || (isInteger(*to) && contains(*to, *from))) {
      statement.refuse(".sat does nothing here");
    }
    // "the result is clamped to the destination range by default; i.e., .sat
    // is redundant"
    conversion.saturates = !(isFloat(*from) && isInteger(*to));
  }
  bool toHalf = (*to == Type::f16 || *to == Type::bf16) && *from == Type::f32;
  if ((conversion.finite || conversion.clamps) &&
      (!toHalf || conversion.saturates)) {
    statement.refuse(".relu and .satfinite are of f32 to f16 and bf16");
  }
  bool usesBFloat = *to == Type::bf16 || *from == Type::bf16;
  bool betweenBFloatAndSingle = (*to == Type::bf16 && *from == Type::f32) ||
                                (*to == Type::f32 && *from == Type::bf16);
  if (usesBFloat) {
    needs(statement, betweenBFloatAndSingle ? 80 : 90, "bf16");
  }
  statement.end(2);
  std::optional<Rounding> mode = integral ? integral : rounding;
  conversion.to = numberOf(*to);
  conversion.from = numberOf(*from);
  conversion.rounding = mode.value_or(Rounding::nearestEven);
  conversion.toIntegral = integral.has_value();
  Handler fast = fastHandler(conversion, *to, *from, mode);
  Slot a = statement.source(
      1, *from, *from == Type::bf16 ? Width::exact : Width::relaxed);
  Slot d = statement.destination(
      0, *to, *to == Type::bf16 ? Width::exact : Width::relaxed);
  Pipe pipe = isInteger(*to) && isInteger(*from) ? Pipe::alu : Pipe::conversion;
  statement.emit(fast ? fast : convertAny, pipe, {d, a},
                 fast ? 0 : statement.keep(conversion));
}

constexpr Opcode conversionOpcodes[] = {{"cvt", decodeNumber}};

} // namespace

std::span<const Opcode> conversion() { return conversionOpcodes; }
CHEEMS_LANES_END
