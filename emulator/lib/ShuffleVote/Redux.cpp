//===- Redux.cpp - redux.sync ---------------------------------------------===//
#include "Families.h"
#include "Members.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

using namespace cheems::emulator;

namespace {

/// slots: d, a, membermask
template <typename T, T (*combine)(T, T)>
Step reduce(Warp &warp, const Instruction &instruction, LaneMask active) {
  const T *values = warp.source<T>(instruction.slots[1]);
  T *to = warp.destination<T>(instruction.slots[0]);
  bool here = forMembers(
      warp, instruction, active, instruction.slots[2], [&](LaneMask lanes) {
        T result = values[__builtin_ctz(lanes)];
        forLanes(lanes & (lanes - 1),
                 [&](int lane) { result = combine(result, values[lane]); });
        forLanes(lanes, [&](int lane) { to[lane] = result; });
      });
  return here ? Step::next : Step::converge;
}

template <typename T> T least(T a, T b) { return std::min(a, b); }
template <typename T> T greatest(T a, T b) { return std::max(a, b); }
uint32_t sum(uint32_t a, uint32_t b) { return a + b; }
uint32_t both(uint32_t a, uint32_t b) { return a & b; }
uint32_t either(uint32_t a, uint32_t b) { return a | b; }
uint32_t differing(uint32_t a, uint32_t b) { return a ^ b; }

Handler handlerOf(std::string_view operation, Type type) {
  bool isSigned = type == Type::s32;
  if (operation == "add") { // wraps around, so the sign does not matter
    return reduce<uint32_t, sum>;
  }
  if (operation == "min") {
    return isSigned ? reduce<int32_t, least> : reduce<uint32_t, least>;
  }
  if (operation == "max") {
    return isSigned ? reduce<int32_t, greatest> : reduce<uint32_t, greatest>;
  }
  return operation == "and"  ? reduce<uint32_t, both>
         : operation == "or" ? reduce<uint32_t, either>
                             : reduce<uint32_t, differing>;
}

/// PTX ISA, "Parallel Synchronization and Communication Instructions:
/// redux.sync". Its .f32 is for sm_100a.
void decodeRedux(Statement &statement) {
  if (!statement.take("sync")) {
    statement.refuse("it needs .sync");
  }
  std::string_view operation =
      statement.takeOne({"add", "min", "max", "and", "or", "xor"});
  bool isBitwise =
      operation == "and" || operation == "or" || operation == "xor";
  Type type = isBitwise ? statement.takeType({Type::b32})
                        : statement.takeType({Type::u32, Type::s32});
  statement.end(3);
  statement.emit(handlerOf(operation, type), Pipe::lsu,
                 {statement.destination(0, type), statement.source(1, type),
                  statement.source(2, Type::b32)});
}

constexpr Opcode warpReductionsOpcodes[] = {{"redux", decodeRedux}};

} // namespace

std::span<const Opcode> cheems::emulator::warpReductions() {
  return warpReductionsOpcodes;
}
