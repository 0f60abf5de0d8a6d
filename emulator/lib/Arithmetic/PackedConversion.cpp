//===- PackedConversion.cpp - cvt of pairs, of tf32, and cvt.pack ---------===//
#include "Conversions.h"

#include "Each.h"
#include "Families.h"
#include "Modifiers.h"

using namespace cheems::emulator::lanes;

CHEEMS_LANES_BEGIN
namespace {

/// Two f32s to f16x2, bf16x2 or (one alone) tf32 in any mode.
struct Rounded {
  const Format *format;
  Rounding rounding;
  bool clamps, finite;
};

uint32_t codeOf(const Rounded &mode, float value) {
  if (mode.clamps && !(value > 0) && !isNaN(value)) {
    value = 0;
  }
  return static_cast<uint32_t>(
      round(Exact::of(value), *mode.format, mode.rounding, mode.finite));
}

Step packRounded(Warp &warp, const Instruction &instruction, LaneMask active) {
  const auto &mode = instruction.as<Rounded>();
  const Slot *slots = instruction.slots;
  auto *d = warp.destination<uint32_t>(slots[0]);
  const auto *a = warp.source<float>(slots[1]);
  const auto *b = warp.source<float>(slots[2]);
  forLanes(active, [&](int lane) {
    d[lane] = codeOf(mode, a[lane]) << 16 | codeOf(mode, b[lane]);
  });
  return Step::next;
}

Step roundToTf32(Warp &warp, const Instruction &instruction, LaneMask active) {
  const auto &mode = instruction.as<Rounded>();
  auto *d = warp.destination<uint32_t>(instruction.slots[0]);
  const auto *a = warp.source<float>(instruction.slots[1]);
  forLanes(active, [&](int lane) { d[lane] = codeOf(mode, a[lane]) << 13; });
  return Step::next;
}

/// The indices say whether there is .relu and whether there is .satfinite.
template <const Format &format>
constexpr Handler halfPairs[2][2] = {
    {each<packSingles<format, uint32_t, false, false>>,
     each<packSingles<format, uint32_t, false, true>>},
    {each<packSingles<format, uint32_t, true, false>>,
     each<packSingles<format, uint32_t, true, true>>},
};
/// The index says whether there is .relu.
template <const Format &format>
constexpr Handler bytesOfSingles[2] = {
    each<packSingles<format, uint16_t, false, true>>,
    each<packSingles<format, uint16_t, true, true>>};
template <const Format &format>
constexpr Handler bytesOfHalves[2] = {each<packHalves<format, false>>,
                                      each<packHalves<format, true>>};
template <const Format &format>
constexpr Handler halvesOfBytes[2] = {each<unpackHalves<format, false>>,
                                      each<unpackHalves<format, true>>};

Rounding takeNearestOrZero(Statement &statement) {
  return statement.takeOne({"rn", "rz"}) == "rn" ? Rounding::nearestEven
                                                 : Rounding::zero;
}
void takeNearest(Statement &statement) {
  if (!statement.take("rn")) {
    statement.refuse("the rounding modifier .rn is missing");
  }
}

/// cvt.frnd2{.relu}{.satfinite}.f16x2.f32 and bf16x2
void decodeHalfPair(Statement &statement, Type to) {
  Rounding rounding = takeNearestOrZero(statement);
  bool clamps = statement.take("relu"), finite = statement.take("satfinite");
  statement.end(3);
  Slot a = statement.source(1, Type::f32), b = statement.source(2, Type::f32);
  bool isHalf = to == Type::f16x2;
  const Format &format = isHalf ? f16 : bf16;
  if (rounding == Rounding::nearestEven) {
    Handler handler =
        (isHalf ? halfPairs<f16> : halfPairs<bf16>)[clamps][finite];
    statement.emit(handler, Pipe::conversion,
                   {statement.destination(0, to), a, b});
    return;
  }
  uint64_t mode = statement.keep(Rounded{&format, rounding, clamps, finite});
  statement.emit(packRounded, Pipe::conversion,
                 {statement.destination(0, to), a, b}, mode);
}

/// cvt.rn.satfinite{.relu}.f8x2type.f32 and .f16x2
void decodeToBytes(Statement &statement, Type to, Type from) {
  needs(statement, 89, "e4m3 and e5m2");
  takeNearest(statement);
  if (!statement.take("satfinite")) {
    statement.refuse("the modifier .satfinite is missing");
  }
  bool clamps = statement.take("relu");
  bool isE4M3 = to == Type::e4m3x2;
  if (from == Type::f32) {
    statement.end(3);
    Slot a = statement.source(1, from), b = statement.source(2, from);
    statement.emit(
        (isE4M3 ? bytesOfSingles<e4m3> : bytesOfSingles<e5m2>)[clamps],
        Pipe::conversion, { statement.destination(0, to), a, b });
    return;
  }
  statement.end(2);
  Slot a = statement.source(1, from);
  statement.emit((isE4M3 ? bytesOfHalves<e4m3> : bytesOfHalves<e5m2>)[clamps],
                 Pipe::conversion, { statement.destination(0, to), a });
}

/// cvt.rn{.relu}.f16x2.f8x2type
void decodeFromBytes(Statement &statement, Type from) {
  needs(statement, 89, "e4m3 and e5m2");
  takeNearest(statement);
  bool clamps = statement.take("relu");
  statement.end(2);
  Slot a = statement.source(1, from);
  bool isE4M3 = from == Type::e4m3x2;
  statement.emit((isE4M3 ? halvesOfBytes<e4m3> : halvesOfBytes<e5m2>)[clamps],
                 Pipe::conversion,
                 { statement.destination(0, Type::f16x2), a });
}

/// cvt.rna{.satfinite}.tf32.f32 and cvt.frnd2{.satfinite}{.relu}.tf32.f32
void decodeToTf32(Statement &statement) {
  std::string_view mode = statement.takeOne({"rna", "rn", "rz"});
  bool finite = statement.take("satfinite");
  bool isAway = mode == "rna";
  bool clamps = !isAway && statement.take("relu");
  if (!isAway) {
    needs(statement, finite ? 100 : 90, "this rounding of tf32");
  }
  statement.end(2);
  Slot a = statement.source(1, Type::f32);
  Slot d = statement.destination(0, Type::b32);
  if (isAway && !finite) {
    statement.emit(each<singleToTf32>, Pipe::conversion, {d, a});
    return;
  }
  Rounding rounding = isAway         ? Rounding::nearestAway
                      : mode == "rn" ? Rounding::nearestEven
                                     : Rounding::zero;
  uint64_t rounded = statement.keep(Rounded{&tf32, rounding, clamps, finite});
  statement.emit(roundToTf32, Pipe::conversion, {d, a}, rounded);
}

/// PTX ISA, "Data Movement and Conversion Instructions: cvt", the forms with
/// pairs and tf32
void decodePair(Statement &statement) {
  if (statement.take("rs")) {
    needs(statement, 100, "stochastic rounding");
    statement.notModelled("stochastic rounding");
  }
  std::optional<Type> to = statement.takeAnyType();
  std::optional<Type> from = statement.takeAnyType();
  auto isBytes = [](std::optional<Type> type) {
    return type == Type::e4m3x2 || type == Type::e5m2x2;
  };
  if ((to == Type::f16x2 || to == Type::bf16x2) && from == Type::f32) {
    decodeHalfPair(statement, *to);
  } else if (isBytes(to) && (from == Type::f32 || from == Type::f16x2)) {
    decodeToBytes(statement, *to, *from);
  } else if (to == Type::f16x2 && isBytes(from)) {
    decodeFromBytes(statement, *from);
  } else if (to == Type::tf32 && from == Type::f32) {
    decodeToTf32(statement);
  } else {
    needs(statement, 100, "this conversion");
    statement.notModelled("this conversion");
  }
}

/// cvt.pack: saturated integers of some bits side by side. Slots: d, a, b, c.
struct Packed {
  int bits;
  bool isSigned;
};
Step packIntegers(Warp &warp, const Instruction &instruction, LaneMask active) {
  const auto &packed = instruction.as<Packed>();
  const Slot *slots = instruction.slots;
  const auto *c = warp.source<uint32_t>(slots[3]);
  int most = (1 << (packed.bits - packed.isSigned)) - 1;
  int least = packed.isSigned ? -most - 1 : 0;
  uint32_t mask = (1u << packed.bits) - 1;
  int bits = packed.bits;
  eachLane(
      warp.destination<uint32_t>(slots[0]), active,
      [=](int32_t a, int32_t b, uint32_t rest) {
        a = a < least ? least : a > most ? most : a;
        b = b < least ? least : b > most ? most : b;
        uint32_t pair = (uint32_t(b) & mask) | (uint32_t(a) & mask) << bits;
        return bits == 16 ? pair : pair | rest << 2 * bits;
      },
      warp.source<int32_t>(slots[1]), warp.source<int32_t>(slots[2]), c);
  return Step::next;
}

/// PTX ISA, "Data Movement and Conversion Instructions: cvt.pack"
void decodePack(Statement &statement) {
  statement.take("pack");
  if (!statement.take("sat")) {
    statement.refuse("the modifier .sat is missing");
  }
  std::string_view text =
      statement.takeOne({"u16", "s16", "u2", "s2", "u4", "s4", "u8", "s8"});
  statement.takeType({Type::s32});
  Packed packed = {text.substr(1) == "16" ? 16 : text[1] - '0', text[0] == 's'};
  bool hasRest = packed.bits < 16;
  if (hasRest) {
    statement.takeType({Type::b32});
  }
  statement.end(hasRest ? 4 : 3);
  Slot a = statement.source(1, Type::s32), b = statement.source(2, Type::s32);
  Slot c = hasRest ? statement.source(3, Type::b32) : a;
  statement.emit(packIntegers, Pipe::conversion,
                 {statement.destination(0, Type::u32), a, b, c},
                 statement.keep(packed));
}

// The first two modifiers that are types decide, so all packed ones lead here.
constexpr Opcode packedConversionOpcodes[] = {
    {"cvt", decodePack, "pack"},   {"cvt", decodePair, "f16x2"},
    {"cvt", decodePair, "bf16x2"}, {"cvt", decodePair, "e4m3x2"},
    {"cvt", decodePair, "e5m2x2"}, {"cvt", decodePair, "tf32"},
    {"cvt", decodePair, "e4m3x4"}, {"cvt", decodePair, "e5m2x4"},
    {"cvt", decodePair, "e2m1x2"}, {"cvt", decodePair, "e3m2x2"},
    {"cvt", decodePair, "e2m3x2"}, {"cvt", decodePair, "ue8m0x2"},
};

} // namespace

std::span<const Opcode> packedConversion() { return packedConversionOpcodes; }
CHEEMS_LANES_END
