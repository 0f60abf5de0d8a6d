//===- Match.cpp - match.sync ---------------------------------------------===//
#include "Families.h"
#include "Members.h"

#include <cstdint>
#include <string_view>

using namespace cheems::emulator;

namespace {

/// Those of `lanes` that have the value of `lane`.
template <typename T>
LaneMask equal(const T *values, LaneMask lanes, int lane) {
  LaneMask mask = 0;
  forLanes(lanes, [&](int other) {
    mask |= LaneMask(values[other] == values[lane]) << other;
  });
  return mask;
}

/// slots: d, a, membermask
template <typename T>
Step matchAny(Warp &warp, const Instruction &instruction, LaneMask active) {
  const T *values = warp.source<T>(instruction.slots[1]);
  uint32_t *to = warp.destination<uint32_t>(instruction.slots[0]);
  LaneMask masks[warpLanes]; // d and a may be one register
  bool here = forMembers(
      warp, instruction, active, instruction.slots[2], [&](LaneMask lanes) {
        for (LaneMask rest = lanes; rest;) {
          LaneMask same = equal(values, rest, __builtin_ctz(rest));
          forLanes(same, [&](int lane) { masks[lane] = same; });
          rest &= ~same;
        }
      });
  if (!here) {
    return Step::converge;
  }
  forLanes(active, [&](int lane) { to[lane] = masks[lane]; });
  return Step::next;
}

/// slots: d, a, membermask, p
template <typename T>
Step matchAll(Warp &warp, const Instruction &instruction, LaneMask active) {
  const T *values = warp.source<T>(instruction.slots[1]);
  uint32_t *to = warp.destination<uint32_t>(instruction.slots[0]);
  bool here = forMembers(
      warp, instruction, active, instruction.slots[2], [&](LaneMask lanes) {
        bool same = equal(values, lanes, __builtin_ctz(lanes)) == lanes;
        forLanes(lanes, [&](int lane) { to[lane] = same ? lanes : 0; });
        warp.setPredicate(instruction.slots[3], same ? allLanes : 0, lanes);
      });
  return here ? Step::next : Step::converge;
}

/// PTX ISA, "Parallel Synchronization and Communication Instructions:
/// match.sync"
void decodeMatch(Statement &statement) {
  if (!statement.take("sync")) {
    statement.refuse("it needs .sync");
  }
  bool all = statement.takeOne({"any", "all"}) == "all";
  Type type = statement.takeType({Type::b32, Type::b64});
  statement.end(3);
  auto [value, predicate] = statement.pair(statement.operand(0));
  if (predicate && !all) {
    statement.refuse("match.any has no predicate");
  }
  bool isWide = type == Type::b64;
  std::vector<Slot> slots{statement.destination(*value, Type::b32),
                          statement.source(1, type),
                          statement.source(2, Type::b32)};
  if (!all) {
    statement.emit(isWide ? matchAny<uint64_t> : matchAny<uint32_t>, Pipe::lsu,
                   slots);
    return;
  }
  bool hasPredicate =
      predicate && !std::holds_alternative<ptx::Sink>(predicate->value);
  slots.push_back(hasPredicate ? statement.predicateDestination(*predicate)
                               : statement.temporary(1));
  statement.emit(isWide ? matchAll<uint64_t> : matchAll<uint32_t>, Pipe::lsu,
                 slots);
}

constexpr Opcode matchesOpcodes[] = {{"match", decodeMatch}};

} // namespace

std::span<const Opcode> cheems::emulator::matches() { return matchesOpcodes; }
