//===- CacheControl.cpp - prefetch, applypriority and discard -------------===//
#include "Families.h"
#include "Lanes.h"
#include "Machine/Block.h"

#include <algorithm>
#include <string_view>

using namespace cheems::emulator;

namespace {

/// What happens in caches cannot be seen; an address need not be valid.
Step nothing(Warp &, const Instruction &, LaneMask) { return Step::next; }

void emitNothing(Statement &statement, Space space) {
  Transfer transfer;
  transfer.kind.space = space;
  Slot base = takeAddress(statement, 0, transfer);
  statement.emit(nothing, Pipe::lsu, {base});
}

/// PTX ISA, "Data Movement and Conversion Instructions: prefetch, prefetchu"
void decodePrefetch(Statement &statement) {
  bool isParameter = statement.take("param"); // without ::entry or ::func
  Space space = isParameter
                    ? Space::parameter
                    : takeSpace(statement, {"global", "local", "const"});
  if (statement.take("tensormap")) {
    if (statement.architecture() < 90) {
      statement.refuse(".tensormap needs sm_90");
    }
    if (space == Space::global || space == Space::local) {
      statement.refuse("a tensor map is prefetched from .const, .param or a "
                       "generic address");
    }
  } else {
    std::string_view level =
        statement.takeOne({"L1", "L2", "L2::evict_last", "L2::evict_normal"});
    bool isPlain = level == "L1" || level == "L2";
    if (space == Space::constant || space == Space::parameter ||
        (space == Space::local && !isPlain)) {
      statement.refuse("it is not for this state space");
    }
  }
  statement.end(1);
  emitNothing(statement, space);
}

void decodeUniformPrefetch(Statement &statement) {
  if (!statement.take("L1")) {
    statement.refuse("it needs .L1");
  }
  statement.end(1);
  emitNothing(statement, Space::generic);
}

void checkLine(Statement &statement) {
  statement.end(2);
  if (statement.immediate(1) != 128) {
    statement.refuse("the size must be 128");
  }
}

/// PTX ISA, "Data Movement and Conversion Instructions: applypriority"
void decodePriority(Statement &statement) {
  Space space = takeSpace(statement, {"global"});
  if (!statement.take("L2::evict_normal")) {
    statement.refuse("it needs .L2::evict_normal");
  }
  checkLine(statement);
  emitNothing(statement, space);
}

/// "Semantically, this behaves like a weak write of an unstable indeterminate
/// value": who reads the bytes now reads what nobody wrote.
Step discard(Warp &warp, const Instruction &instruction, LaneMask active) {
  const Transfer &transfer = instruction.as<Transfer>();
  alignas(64) uint64_t addresses[warpLanes];
  LanePointers at;
  laneAddresses(warp, instruction.slots[0], transfer, addresses);
  access(warp, instruction, transfer.kind, addresses, active, at);
  GlobalMemory &memory = warp.block.grid.device.memory;
  forLanes(active, [&](int lane) {
    memory.setStates(addresses[lane], transfer.kind.bytes,
                     ByteState::uninitialised);
  });
  return Step::next;
}

/// PTX ISA, "Data Movement and Conversion Instructions: discard". A generic
/// address must be in global memory.
void decodeDiscard(Statement &statement) {
  Transfer transfer;
  takeSpace(statement, {"global"});
  transfer.kind.space = Space::global;
  transfer.kind.effect = Effect::store;
  transfer.kind.bytes = 128;
  if (!statement.take("L2")) {
    statement.refuse("it needs .L2");
  }
  checkLine(statement);
  Slot base = takeAddress(statement, 0, transfer);
  statement.emit(discard, Pipe::lsu, {base}, statement.keep(transfer));
}

constexpr Opcode cacheControlOpcodes[] = {{"prefetch", decodePrefetch},
                                          {"prefetchu", decodeUniformPrefetch},
                                          {"applypriority", decodePriority},
                                          {"discard", decodeDiscard}};

} // namespace

std::span<const Opcode> cheems::emulator::cacheControl() {
  return cacheControlOpcodes;
}
