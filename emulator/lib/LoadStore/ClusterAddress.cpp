//===- ClusterAddress.cpp - mapa and getctarank ---------------------------===//
#include "Families.h"
#include "Lanes.h"
#include "Machine/Block.h"

#include <string>

using namespace cheems::emulator;

namespace {

/// A generic address of shared memory as one of its window.
template <bool generic>
uint64_t sharedAddress(const Warp &warp, const Instruction &instruction,
                       int lane, uint64_t address) {
  if (!generic) {
    return address;
  }
  if (!isInWindow(address, sharedWindow)) {
    warp.fail(instruction, "wrong-space",
              "the address is none of shared memory", lane, address);
  }
  return address - sharedWindow;
}

/// slots: d, a, b
template <typename T, bool generic>
Step mapa(Warp &warp, const Instruction &instruction, LaneMask active) {
  T *to = warp.destination<T>(instruction.slots[0]);
  const T *addresses = warp.source<T>(instruction.slots[1]);
  const uint32_t *ranks = warp.source<uint32_t>(instruction.slots[2]);
  size_t blocks = warp.block.cluster->blocks.size();
  forLanes(active, [&](int lane) {
    uint64_t address =
        sharedAddress<generic>(warp, instruction, lane, addresses[lane]);
    if (ranks[lane] >= blocks) {
      warp.fail(instruction, "cluster-rank",
                "The cluster has no block of rank " +
                    std::to_string(ranks[lane]) + ".",
                lane, addresses[lane]);
    }
    uint64_t mapped = sharedAddressOf(sharedOffset(address), ranks[lane]);
    to[lane] = static_cast<T>(mapped + (generic ? sharedWindow : 0));
  });
  return Step::next;
}

/// slots: d, a
template <typename T, bool generic>
Step rankOf(Warp &warp, const Instruction &instruction, LaneMask active) {
  uint32_t *to = warp.destination<uint32_t>(instruction.slots[0]);
  const T *addresses = warp.source<T>(instruction.slots[1]);
  forLanes(active, [&](int lane) {
    uint64_t address =
        sharedAddress<generic>(warp, instruction, lane, addresses[lane]);
    int rank = sharedRank(address);
    to[lane] = rank < 0 ? warp.block.rank : rank;
  });
  return Step::next;
}

struct Shape {
  bool generic;
  Type type; ///< of the address
};

Shape takeShape(Statement &statement) {
  if (statement.architecture() < 90) {
    statement.refuse("it needs sm_90");
  }
  bool generic = !statement.take("shared::cluster");
  Type type = statement.takeType({Type::u32, Type::u64});
  if (generic && type == Type::u32) {
    statement.refuse("a generic address has 64 bits");
  }
  return {generic, type};
}

/// PTX ISA, "Data Movement and Conversion Instructions: mapa"
void decodeMap(Statement &statement) {
  auto [generic, type] = takeShape(statement);
  statement.end(3);
  Handler handler = generic             ? mapa<uint64_t, true>
                    : type == Type::u64 ? mapa<uint64_t, false>
                                        : mapa<uint32_t, false>;
  statement.emit(handler, Pipe::alu,
                 {statement.destination(0, type), statement.source(1, type),
                  statement.source(2, Type::u32)});
}

/// PTX ISA, "Data Movement and Conversion Instructions: getctarank"
void decodeRank(Statement &statement) {
  auto [generic, type] = takeShape(statement);
  statement.end(2);
  Handler handler = generic             ? rankOf<uint64_t, true>
                    : type == Type::u64 ? rankOf<uint64_t, false>
                                        : rankOf<uint32_t, false>;
  statement.emit(
      handler, Pipe::alu,
      {statement.destination(0, Type::u32), statement.source(1, type)});
}

constexpr Opcode clusterAddressesOpcodes[] = {{"mapa", decodeMap},
                                              {"getctarank", decodeRank}};

} // namespace

std::span<const Opcode> cheems::emulator::clusterAddresses() {
  return clusterAddressesOpcodes;
}
