//===- Comparison.cpp - setp and set --------------------------------------===//
#include "Comparisons.h"

#include "Each.h"
#include "Families.h"
#include "Modifiers.h"

#include <array>

using namespace cheems::emulator::lanes;

CHEEMS_LANES_BEGIN
namespace {

/// Payload of a comparison: the operation that combines it with c.
enum Combination : uint64_t { none, conjunction, disjunction, difference };

CHEEMS_LANE LaneMask combine(LaneMask t, LaneMask c, uint64_t combination) {
  return combination == conjunction   ? t & c
         : combination == disjunction ? t | c
         : combination == difference  ? t ^ c
                                      : t;
}

/// Slots: p, a, b, c.
template <auto compute> struct Compare;
template <typename T, bool (*compute)(T, T)> struct Compare<compute> {
  CHEEMS_LANE static LaneMask mask(Warp &warp, const Slot *slots) {
    return laneBits([](T a, T b) { return compute(a, b); },
                    warp.source<T>(slots[1]), warp.source<T>(slots[2]));
  }
  /// p = BoolOp(t, c)
  static Step one(Warp &warp, const Instruction &instruction, LaneMask active) {
    const Slot *slots = instruction.slots;
    LaneMask t = mask(warp, slots);
    if (instruction.payload != none) {
      t = combine(t, warp.predicate(slots[3]), instruction.payload);
    }
    warp.setPredicate(slots[0], t, active);
    return Step::next;
  }
};

/// p = BoolOp(t, c), q = BoolOp(!t, c). Slots: p, t, c, q. Or, of halves, q
/// comes from a comparison of its own: slots p, t, c, q, u.
template <bool halves>
Step both(Warp &warp, const Instruction &instruction, LaneMask active) {
  const Slot *slots = instruction.slots;
  LaneMask t = warp.predicate(slots[1]), c = warp.predicate(slots[2]);
  LaneMask u = halves ? warp.predicate(slots[4]) : ~t;
  warp.setPredicate(slots[0], combine(t, c, instruction.payload), active);
  warp.setPredicate(slots[3], combine(u, c, instruction.payload), active);
  return Step::next;
}

using Table = std::array<Handler, allComparisons>;
template <typename T, size_t... comparison>
constexpr Table tableOf(std::index_sequence<comparison...>) {
  return {Compare<compare<static_cast<Comparison>(comparison), T>>::one...};
}
template <size_t... comparison>
constexpr Table flushedTableOf(std::index_sequence<comparison...>) {
  return {Compare<compareFlushed<static_cast<Comparison>(comparison)>>::one...};
}
template <const Format &format, bool flushes, typename Word, int shift,
          size_t... comparison>
constexpr Table halfTableOf(std::index_sequence<comparison...>) {
  return {Compare<compareHalves<format, static_cast<Comparison>(comparison),
                                flushes, Word, shift>>::one...};
}
using Integer = std::make_index_sequence<integerComparisons>;
using All = std::make_index_sequence<allComparisons>;

/// The comparisons of a type; those of its upper halves, if it is a pair.
struct Family {
  Type type;
  bool flushes;
  Table low, high = {};
};
constexpr Family families[] = {
    {Type::b16, false, tableOf<uint16_t>(Integer())},
    {Type::b32, false, tableOf<uint32_t>(Integer())},
    {Type::b64, false, tableOf<uint64_t>(Integer())},
    {Type::u16, false, tableOf<uint16_t>(Integer())},
    {Type::u32, false, tableOf<uint32_t>(Integer())},
    {Type::u64, false, tableOf<uint64_t>(Integer())},
    {Type::s16, false, tableOf<int16_t>(Integer())},
    {Type::s32, false, tableOf<int32_t>(Integer())},
    {Type::s64, false, tableOf<int64_t>(Integer())},
    {Type::f32, false, tableOf<float>(All())},
    {Type::f32, true, flushedTableOf(All())},
    {Type::f64, false, tableOf<double>(All())},
    {Type::f16, false, halfTableOf<f16, false, uint16_t, 0>(All())},
    {Type::f16, true, halfTableOf<f16, true, uint16_t, 0>(All())},
    {Type::bf16, false, halfTableOf<bf16, false, uint16_t, 0>(All())},
    {Type::f16x2, false, halfTableOf<f16, false, uint32_t, 0>(All()),
     halfTableOf<f16, false, uint32_t, 16>(All())},
    {Type::f16x2, true, halfTableOf<f16, true, uint32_t, 0>(All()),
     halfTableOf<f16, true, uint32_t, 16>(All())},
    {Type::bf16x2, false, halfTableOf<bf16, false, uint32_t, 0>(All()),
     halfTableOf<bf16, false, uint32_t, 16>(All())},
};

struct Modifiers {
  Comparison comparison;
  bool isUnsignedName; ///< lo, ls, hi or hs
  uint64_t combination;
  bool flushes;
};

constexpr std::pair<std::string_view, Comparison> names[] = {
    {"eq", Comparison::eq},   {"ne", Comparison::ne},
    {"lt", Comparison::lt},   {"le", Comparison::le},
    {"gt", Comparison::gt},   {"ge", Comparison::ge},
    {"equ", Comparison::equ}, {"neu", Comparison::neu},
    {"ltu", Comparison::ltu}, {"leu", Comparison::leu},
    {"gtu", Comparison::gtu}, {"geu", Comparison::geu},
    {"num", Comparison::num}, {"nan", Comparison::nan},
    {"lo", Comparison::lt},   {"ls", Comparison::le},
    {"hi", Comparison::gt},   {"hs", Comparison::ge},
};

Modifiers takeModifiers(Statement &statement) {
  std::string_view name = statement.takeOne(
      {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu",
       "geu", "num", "nan", "lo", "ls", "hi", "hs"});
  Modifiers modifiers = {};
  for (auto [text, comparison] : names) {
    if (text == name) {
      modifiers.comparison = comparison;
    }
  }
  modifiers.isUnsignedName =
      name == "lo" || name == "ls" || name == "hi" || name == "hs";
  std::string_view combination = statement.takeAny({"and", "or", "xor"});
  modifiers.combination = combination == "and"   ? conjunction
                          : combination == "or"  ? disjunction
                          : combination == "xor" ? difference
                                                 : none;
  modifiers.flushes = statement.take("ftz");
  return modifiers;
}

const Family &familyOf(Statement &statement, const Modifiers &modifiers,
                       Type type) {
  if (modifiers.isUnsignedName && !isUnsigned(type)) {
    statement.refuse("this comparison is of unsigned integers");
  }
  if (isBits(type) && modifiers.comparison > Comparison::ne) {
    statement.refuse("bits are only compared by .eq and .ne");
  }
  for (const Family &family : families) {
    if (family.type == type && family.flushes == modifiers.flushes &&
        family.low[static_cast<size_t>(modifiers.comparison)]) {
      return family;
    }
  }
  statement.refuse("type ." + std::string(name(type)) +
                   " has no such comparison");
}

Pipe pipeOf(Type type) {
  return type == Type::f64                         ? Pipe::fp64
         : type == Type::f16 || type == Type::bf16 ? Pipe::half
         : bits(type) == 32 && !isInteger(type) && !isBits(type) &&
                 type != Type::f32
             ? Pipe::half
             : Pipe::alu;
}

/// What is compared, and with what it is combined.
struct Operands {
  Slot a, b, c;
};
Operands takeOperands(Statement &statement, const Modifiers &modifiers,
                      Type type) {
  bool combines = modifiers.combination != none;
  statement.end(combines ? 4 : 3);
  Slot a = statement.source(1, type), b = statement.source(2, type);
  return {a, b,
          combines ? statement.predicate(3) : statement.allLanesPredicate()};
}

void checkArchitecture(Statement &statement, Type type) {
  if (type == Type::bf16 || type == Type::bf16x2) {
    needs(statement, 90, "bf16");
  }
}

/// PTX ISA, "Comparison and Selection Instructions: setp" and "Half Precision
/// Comparison Instructions: setp"
void decodeSetPredicate(Statement &statement) {
  Modifiers modifiers = takeModifiers(statement);
  std::optional<Type> type = statement.takeAnyType();
  if (!type) {
    statement.refuse("a type is missing");
  }
  checkArchitecture(statement, *type);
  const Family &family = familyOf(statement, modifiers, *type);
  auto number = static_cast<size_t>(modifiers.comparison);
  auto [a, b, c] = takeOperands(statement, modifiers, *type);
  auto [p, q] = statement.pair(statement.operand(0));
  Handler high = family.high[number];
  if (high && !q) {
    statement.refuse("two results p|q are wanted");
  }
  if ((*type == Type::f16 || *type == Type::bf16) && q) {
    statement.refuse("there is one result alone");
  }
  if (!q) {
    statement.emit(family.low[number], pipeOf(*type),
                   {statement.predicateDestination(*p), a, b, c},
                   modifiers.combination);
    return;
  }
  Slot t = statement.temporary(1), u = statement.temporary(1);
  statement.emit(family.low[number], pipeOf(*type), {t, a, b, c}, none);
  if (high) {
    statement.emit(high, Pipe::none, {u, a, b, c}, none);
  }
  Slot first = statement.predicateDestination(*p);
  Slot second = statement.predicateDestination(*q);
  statement.emit(high ? both<true> : both<false>, Pipe::none,
                 {first, t, c, second, u}, modifiers.combination);
}

/// d = t ? payload : 0
template <typename T>
Step choose(Warp &warp, const Instruction &instruction, LaneMask active) {
  LaneMask t = warp.predicate(instruction.slots[1]);
  T *d = warp.destination<T>(instruction.slots[0]);
  T value = static_cast<T>(instruction.payload);
  CHEEMS_LANES_LOOP
  for (int lane = 0; lane < warpLanes; ++lane) {
    T chosen = t >> lane & 1 ? value : T(0);
    d[lane] = active >> lane & 1 ? chosen : d[lane];
  }
  return Step::next;
}
/// Selects between the payload and 0 by two predicates, in the lower and the
/// upper 16 bits.
Step chooseHalves(Warp &warp, const Instruction &instruction, LaneMask active) {
  LaneMask t = warp.predicate(instruction.slots[1]);
  LaneMask u = warp.predicate(instruction.slots[2]);
  auto *d = warp.destination<uint32_t>(instruction.slots[0]);
  auto value = static_cast<uint32_t>(instruction.payload);
  CHEEMS_LANES_LOOP
  for (int lane = 0; lane < warpLanes; ++lane) {
    uint32_t chosen =
        (t >> lane & 1 ? value : 0) | (u >> lane & 1 ? value << 16 : 0);
    d[lane] = active >> lane & 1 ? chosen : d[lane];
  }
  return Step::next;
}

/// What `set` writes for true: 1.0 of floating-point types, else ones.
uint64_t truth(Type type) {
  switch (type) {
  case Type::f32:
    return 0x3f800000;
  case Type::f16:
  case Type::f16x2:
    return 0x3c00;
  case Type::bf16:
  case Type::bf16x2:
    return 0x3f80;
  case Type::u16:
  case Type::s16:
    return 0xffff;
  default:
    return 0xffffffff;
  }
}

/// Which types of results a type of operands has.
bool agree(Type result, Type operand) {
  switch (operand) {
  case Type::f16x2:
  case Type::bf16x2:
    return result == operand || result == Type::u32 || result == Type::s32;
  case Type::f16:
  case Type::bf16:
    if (result == Type::u16 || result == Type::s16) {
      return true;
    }
    [[fallthrough]];
  default:
    return result == Type::u32 || result == Type::s32 || result == Type::f32 ||
           result == Type::f16 || result == Type::bf16;
  }
}

/// PTX ISA, "Comparison and Selection Instructions: set" and "Half Precision
/// Comparison Instructions: set"
void decodeSet(Statement &statement) {
  Modifiers modifiers = takeModifiers(statement);
  std::optional<Type> result = statement.takeAnyType();
  std::optional<Type> type = statement.takeAnyType();
  if (!result || !type) {
    statement.refuse("a type is missing");
  }
  checkArchitecture(statement, *type);
  checkArchitecture(statement, *result);
  if (!agree(*result, *type)) {
    statement.refuse("these types do not go together");
  }
  const Family &family = familyOf(statement, modifiers, *type);
  auto number = static_cast<size_t>(modifiers.comparison);
  auto [a, b, c] = takeOperands(statement, modifiers, *type);
  Slot t = statement.temporary(1), u = statement.temporary(1);
  statement.emit(family.low[number], pipeOf(*type), {t, a, b, c},
                 modifiers.combination);
  Slot d = statement.destination(0, *result);
  if (Handler high = family.high[number]) {
    statement.emit(high, Pipe::none, {u, a, b, c}, modifiers.combination);
    // "0xffff" in each half, or 1.0.
    statement.emit(chooseHalves, Pipe::none, {d, t, u},
                   truth(*result) & 0xffff);
    return;
  }
  statement.emit(bits(*result) == 16 ? choose<uint16_t> : choose<uint32_t>,
                 Pipe::none, {d, t}, truth(*result));
}

constexpr Opcode comparisonOpcodes[] = {{"setp", decodeSetPredicate},
                                        {"set", decodeSet}};

} // namespace

std::span<const Opcode> comparison() { return comparisonOpcodes; }
CHEEMS_LANES_END
