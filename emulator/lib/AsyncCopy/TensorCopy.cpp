//===- TensorCopy.cpp - cp.async.bulk.tensor ------------------------------===//
#include "BarrierOperand.h"
#include "BulkGroups.h"
#include "BulkOperands.h"
#include "Decode/Family.h"
#include "Families.h"
#include "Lanes/Loop.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace cheems::emulator {
namespace {

/// Boxes in shared memory start at multiples of 128 bytes, tensor maps at
/// multiples of 64 (CUDA C++ Programming Guide, "Tensor Memory Accelerator").
constexpr uint32_t boxAlignment = 128;
constexpr uint32_t mapAlignment = 64;

struct TensorCopy {
  AddressOperand shared, map, barrier;
  int rank;
  Reach reach = Reach::block; ///< of the destination and the mbarrier
  /// The coordinates are slots from this number on.
  int coordinates;
};

/// Reads a tensor map: "The operand tensorMap is the generic address of the
/// opaque tensor-map object which resides in .param space or .const space or
/// .global space" ("cp.async.bulk.tensor").
TensorMap readMap(const Asker &asker, const AddressOperand &operand,
                  Slot base) {
  auto &[warp, instruction, lane, operation] = asker;
  uint64_t address = operand.of(warp, base, lane);
  bool isParameter =
      operand.space == Space::parameter || isInWindow(address, parameterWindow);
  if (address % mapAlignment != 0) {
    warp.fail(instruction, "misaligned-address",
              "the address of the tensor map is not a multiple of 64", lane,
              address);
  }
  TensorMap map;
  AsyncRange told = {.kind = AsyncKind::bulk,
                     .operation = operation,
                     .lane = lane,
                     .effect = Effect::load,
                     .proxy = Proxy::tensorMap,
                     .space = isParameter ? Space::parameter : Space::global,
                     .address = address,
                     .bytes = sizeof(map)};
  if (isParameter) {
    const std::vector<std::byte> &parameters = warp.block.parameters();
    uint64_t offset = isInWindow(address, parameterWindow)
                          ? address - parameterWindow
                          : address;
    if (offset > parameters.size() ||
        parameters.size() - offset < sizeof(map)) {
      warp.fail(instruction, "out-of-bounds",
                "the tensor map is beyond the kernel's parameters", lane,
                address);
    }
    told.address = offset;
    std::memcpy(&map, parameters.data() + offset, sizeof(map));
  } else {
    globalPlace(warp, instruction, lane, address, mapAlignment);
    std::memcpy(&map,
                range(warp, instruction, Space::global, warp.block, address,
                      sizeof(map), false),
                sizeof(map));
  }
  warp.block.observe([&](BlockObserver &observer) {
    observer.startAsync(warp, instruction, told);
  });
  return map;
}

/// What the instruction asks of a map.
TensorMap checkedMap(const Asker &asker, const TensorCopy &copy, Slot base) {
  TensorMap map = readMap(asker, copy.map, base);
  TensorMapCheck check = checkTensorMap(map);
  if (check.kind == TensorMapCheck::Kind::notModelled) {
    throw NotModelled(asker.instruction.line, check.reason);
  }
  if (!check) {
    asker.warp.fail(asker.instruction, "tensor-map",
                    "the tensor map is not valid: " + check.reason, asker.lane);
  }
  if (map.rank() != copy.rank) {
    asker.warp.fail(asker.instruction, "tensor-map",
                    "the instruction is for " + std::to_string(copy.rank) +
                        " dimensions, but the tensor map has " +
                        std::to_string(map.rank()),
                    asker.lane);
  }
  return map;
}

std::array<int32_t, 5> coordinates(const Asker &asker, const TensorCopy &copy) {
  std::array<int32_t, 5> start = {};
  for (int d = 0; d < copy.rank; ++d) {
    Slot slot = asker.instruction.slots[copy.coordinates + d];
    start[d] = asker.warp.source<int32_t>(slot)[asker.lane];
  }
  return start;
}

/// Slots: destination, map, mbarrier, coordinates.
Step tensorToShared(Warp &warp, const Instruction &instruction,
                    LaneMask active) {
  const TensorCopy &copy = instruction.as<TensorCopy>();
  const Slot *slots = instruction.slots;
  forLanes(active, [&](int lane) {
    Asker asker = {warp, instruction, lane, ++warp.block.asyncOperations};
    TensorMap map = checkedMap(asker, copy, slots[1]);
    SharedPlace to = sharedPlace(warp, instruction, lane, Space::shared,
                                 copy.shared.of(warp, slots[0], lane),
                                 copy.reach, map.boxBytes(), boxAlignment);
    Barrier &barrier =
        signalledBarrier(warp, instruction, lane, Space::shared,
                         copy.barrier.of(warp, slots[2], lane), copy.reach);
    // .cta_group::1, the default
    if (barrier.owner != to.owner) {
      warp.fail(instruction, "wrong-space",
                "the mbarrier is not in the shared memory of the block that "
                "the destination is in",
                lane, barrier.offset);
    }
    startLoad(asker, BulkTransfer(map, coordinates(asker, copy), to), barrier);
  });
  return Step::next;
}

/// Slots: map, source, coordinates. Elements out of the tensor's bounds are not
/// written ("Out of Boundary Access").
Step sharedToTensor(Warp &warp, const Instruction &instruction,
                    LaneMask active) {
  const TensorCopy &copy = instruction.as<TensorCopy>();
  const Slot *slots = instruction.slots;
  forLanes(active, [&](int lane) {
    Asker asker = {warp, instruction, lane, ++warp.block.asyncOperations};
    TensorMap map = checkedMap(asker, copy, slots[0]);
    SharedPlace from = sharedPlace(warp, instruction, lane, Space::shared,
                                   copy.shared.of(warp, slots[1], lane),
                                   Reach::block, map.boxBytes(), boxAlignment);
    warp.block.extension<BulkGroups>().start(
        asker, BulkTransfer(map, coordinates(asker, copy), from));
  });
  return Step::next;
}

/// Slots: map, coordinates. A hint, of which the map's rules are checked.
Step prefetchTensor(Warp &warp, const Instruction &instruction,
                    LaneMask active) {
  const TensorCopy &copy = instruction.as<TensorCopy>();
  forLanes(active, [&](int lane) {
    Asker asker = {warp, instruction, lane, ++warp.block.asyncOperations};
    checkedMap(asker, copy, instruction.slots[0]);
  });
  return Step::next;
}

// -- Decoding

int takeRank(Statement &statement) {
  return statement.takeOne({"1d", "2d", "3d", "4d", "5d"})[0] - '0';
}

/// .load_mode, of which only .tile is here.
void takeMode(Statement &statement) {
  statement.take("tile");
  for (std::string_view mode :
       {"im2col", "im2col_no_offs", "im2col::w", "im2col::w::128",
        "tile::gather4", "tile::scatter4"}) {
    if (statement.take(mode)) {
      statement.notModelled("the mode ." + std::string(mode));
    }
  }
  for (std::string_view group : {"cta_group::1", "cta_group::2"}) {
    if (statement.take(group)) {
      statement.refuse("." + std::string(group) + " requires sm_100");
    }
  }
}

/// `[tensorMap, {coordinates}]`. Appends the slots of the coordinates.
Slot takeMap(Statement &statement, size_t number, TensorCopy &copy,
             std::vector<Slot> &slots) {
  const ptx::Operand &operand = statement.operand(number);
  auto *address = std::get_if<ptx::Address>(&operand.value);
  if (!address || address->coordinates.size() != size_t(copy.rank)) {
    statement.refuse("a tensor of " + std::to_string(copy.rank) +
                     " dimensions needs [map, {as many coordinates}]");
  }
  DecodedAddress map = statement.address(operand, Space::generic);
  copy.map = AddressOperand(map);
  for (const ptx::Operand &coordinate : address->coordinates) {
    slots.push_back(statement.source(coordinate, Type::s32));
  }
  return map.base;
}

void decodeLoad(Statement &statement, TensorCopy copy, bool isCluster) {
  if (statement.take("multicast::cluster")) {
    statement.notModelled("multicast");
  }
  takeMode(statement);
  statement.takeOne({"global"});
  statement.takeOne({"mbarrier::complete_tx::bytes"});
  endWithHint(statement, 3, true);
  copy.reach = isCluster ? Reach::cluster : Reach::block;
  Slot to = takePlace(statement, 0, Space::shared, copy.shared);
  Slot barrier = takePlace(statement, 2, Space::shared, copy.barrier);
  copy.coordinates = 3;
  std::vector<Slot> slots = {to, Slot(), barrier};
  slots[1] = takeMap(statement, 1, copy, slots);
  statement.emit(tensorToShared, Pipe::async, slots, statement.keep(copy));
}

void decodeStore(Statement &statement, TensorCopy copy) {
  takeMode(statement);
  statement.takeOne({"shared::cta"});
  statement.takeOne({"bulk_group"});
  endWithHint(statement, 2, true);
  Slot from = takePlace(statement, 1, Space::shared, copy.shared);
  copy.coordinates = 2;
  std::vector<Slot> slots = {Slot(), from};
  slots[0] = takeMap(statement, 0, copy, slots);
  statement.emit(sharedToTensor, Pipe::async, slots, statement.keep(copy));
}

void decodePrefetch(Statement &statement, TensorCopy copy) {
  takeMode(statement);
  statement.takeOne({"L2"});
  statement.takeOne({"global"});
  endWithHint(statement, 1, true);
  copy.coordinates = 1;
  std::vector<Slot> slots = {Slot()};
  slots[0] = takeMap(statement, 0, copy, slots);
  statement.emit(prefetchTensor, Pipe::async, slots, statement.keep(copy));
}

void decodeTensor(Statement &statement) {
  requireSm90(statement, "a tensor copy");
  statement.take("async");
  statement.take("bulk");
  statement.take("tensor");
  if (statement.take("reduce")) {
    statement.notModelled("an asynchronous reduction");
  }
  TensorCopy copy;
  copy.rank = takeRank(statement);
  if (statement.take("prefetch")) {
    decodePrefetch(statement, copy);
    return;
  }
  std::string_view destination = takeDestination(statement);
  if (destination == "global") {
    decodeStore(statement, copy);
  } else {
    decodeLoad(statement, copy, destination == "shared::cluster");
  }
}

constexpr Opcode tensorCopiesOpcodes[] = {{"cp", decodeTensor, "tensor"}};

} // namespace

std::span<const Opcode> tensorCopies() { return tensorCopiesOpcodes; }

} // namespace cheems::emulator
