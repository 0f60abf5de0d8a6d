//===- Selection.cpp - selp and slct --------------------------------------===//
#include "Each.h"
#include "Families.h"
#include "Modifiers.h"

using namespace cheems::emulator::lanes;

CHEEMS_LANES_BEGIN
namespace {

/// With bits, since compilers make of two loads one load of two addresses.
template <typename T> CHEEMS_LANE T choose(LaneMask mask, int lane, T a, T b) {
  const T chosen = static_cast<T>(-static_cast<T>(mask >> lane & 1));
  return static_cast<T>(b ^ ((a ^ b) & chosen));
}

/// Slots: d, a, b and the predicate.
template <typename T>
Step select(Warp &warp, const Instruction &instruction, LaneMask active) {
  const Slot *slots = instruction.slots;
  LaneMask mask = warp.predicate(slots[3]);
  T *d = warp.destination<T>(slots[0]);
  const T *a = warp.source<T>(slots[1]), *b = warp.source<T>(slots[2]);
  if (active == allLanes) {
    CHEEMS_LANES_LOOP
    for (int lane = 0; lane < warpLanes; ++lane) {
      d[lane] = choose(mask, lane, a[lane], b[lane]);
    }
  } else {
    CHEEMS_LANES_LOOP
    for (int lane = 0; lane < warpLanes; ++lane) {
      T value = choose(mask, lane, a[lane], b[lane]);
      d[lane] = active >> lane & 1 ? value : d[lane];
    }
  }
  return Step::next;
}

/// c >= 0; false for NaN.
CHEEMS_LANE bool isNotNegative(int32_t c) { return c >= 0; }
CHEEMS_LANE bool isNotBelowZero(float c) { return c >= 0; }
CHEEMS_LANE bool isFlushedNotBelowZero(float c) { return flush(c) >= 0; }

constexpr Typed selections[] = {
    {Type::b16, select<uint16_t>}, {Type::b32, select<uint32_t>},
    {Type::b64, select<uint64_t>}, {Type::u16, select<uint16_t>},
    {Type::u32, select<uint32_t>}, {Type::u64, select<uint64_t>},
    {Type::s16, select<uint16_t>}, {Type::s32, select<uint32_t>},
    {Type::s64, select<uint64_t>}, {Type::f32, select<uint32_t>},
    {Type::f64, select<uint64_t>},
};

/// PTX ISA, "Comparison and Selection Instructions: selp"
void decodeSelect(Statement &statement) {
  auto [type, handler] = takeTyped(statement, selections);
  statement.end(4);
  statement.emit(handler, Pipe::alu,
                 {statement.destination(0, type), statement.source(1, type),
                  statement.source(2, type), statement.predicate(3)});
}

/// PTX ISA, "Comparison and Selection Instructions: slct"
void decodeSelectBySign(Statement &statement) {
  bool flushes = statement.take("ftz");
  auto [type, handler] = takeTyped(statement, selections);
  Type sign = statement.takeType({Type::s32, Type::f32});
  if (flushes && sign != Type::f32) {
    statement.refuse(".ftz applies only to .f32 comparisons");
  }
  statement.end(4);
  Handler compare = sign == Type::s32 ? test<isNotNegative>
                    : flushes         ? test<isFlushedNotBelowZero>
                                      : test<isNotBelowZero>;
  Slot a = statement.source(1, type), b = statement.source(2, type);
  Slot chosen = statement.temporary(1);
  statement.emit(compare, Pipe::none, {chosen, statement.source(3, sign)});
  statement.emit(handler, Pipe::alu,
                 {statement.destination(0, type), a, b, chosen});
}

constexpr Opcode selectionOpcodes[] = {{"selp", decodeSelect},
                                       {"slct", decodeSelectBySign}};

} // namespace

std::span<const Opcode> selection() { return selectionOpcodes; }
CHEEMS_LANES_END
