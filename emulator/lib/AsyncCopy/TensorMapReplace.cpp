//===- TensorMapReplace.cpp - tensormap.replace and .cp_fenceproxy
//-----------===//
#include "BarrierOperand.h"
#include "Decode/Family.h"
#include "Families.h"
#include "Lanes/Loop.h"
#include "Machine/Block.h"
#include "Machine/LaneOrder.h"
#include "TensorMap.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace cheems::emulator {
namespace {

/// A field of "tensormap.replace": where it lies in a map, and how.
struct Field {
  std::string_view name;
  size_t offset;
  uint8_t bytes;
  uint8_t count;     ///< above 1: an ordinal chooses
  bool isImmediate;  ///< the new value
  uint8_t limit = 0; ///< the first immediate value that is none
};

constexpr Field fields[] = {
    {"global_address", offsetof(TensorMap, globalAddress), 8, 1, false},
    {"rank", offsetof(TensorMap, rankMinusOne), 1, 1, false},
    {"box_dim", offsetof(TensorMap, boxDims), 4, 5, false},
    {"global_dim", offsetof(TensorMap, globalDims), 8, 5, false},
    {"global_stride", offsetof(TensorMap, globalStrides), 8, 4, false},
    {"element_stride", offsetof(TensorMap, elementStrides), 4, 5, false},
    {"elemtype", offsetof(TensorMap, elementType), 1, 1, true, 13},
    {"interleave_layout", offsetof(TensorMap, interleave), 1, 1, true, 3},
    {"swizzle_mode", offsetof(TensorMap, swizzle), 1, 1, true, 4},
    {"fill_mode", offsetof(TensorMap, fill), 1, 1, true, 2},
};

struct Replace {
  AddressOperand map;
  AccessKind load, store; ///< of the whole map
  size_t offset;
  uint8_t bytes;
  bool isWide; ///< the new value has 64 bits
};

AccessKind wholeMap(Effect effect, Space space) {
  AccessKind kind;
  kind.effect = effect;
  kind.space = space;
  kind.bytes = sizeof(TensorMap);
  return kind;
}

/// Replaces a field of a map. Slots: address, new value. The ISA says of it: "a
/// weak memory operation, on the entire 1024-bit opaque tensormap object"
Step replaceField(Warp &warp, const Instruction &instruction, LaneMask active) {
  const Replace &replace = instruction.as<Replace>();
  uint64_t addresses[warpLanes];
  replace.map.ofAll(warp, instruction.slots[0], addresses);
  LanePointers pointers;
  access(warp, instruction, replace.load, addresses, active, pointers);
  access(warp, instruction, replace.store, addresses, active, pointers);
  forLanes(active, [&](int lane) {
    uint64_t value = replace.isWide
                         ? warp.source<uint64_t>(instruction.slots[1])[lane]
                         : warp.source<uint32_t>(instruction.slots[1])[lane];
    // A rank that does not fit stays a wrong one.
    if (replace.bytes == 1) {
      value = std::min<uint64_t>(value, 255);
    }
    std::memcpy(pointers.of[lane] + replace.offset, &value, replace.bytes);
  });
  return Step::next;
}

void decodeReplace(Statement &statement) {
  requireSm90(statement, "tensormap.replace");
  statement.take("replace");
  statement.takeOne({"tile"});
  if (statement.take("swizzle_atomicity")) {
    statement.refuse("swizzle_atomicity requires sm_100a");
  }
  const Field *field = nullptr;
  for (const Field &candidate : fields) {
    if (statement.take(candidate.name)) {
      field = &candidate;
      break;
    }
  }
  if (!field) {
    statement.refuse("it must have a field");
  }
  std::string_view space =
      statement.takeAny({"global", "shared::cta", "shared"});
  statement.takeOne({"b1024"});
  bool isWide =
      field->name == "global_address" || field->name == "global_stride";
  statement.takeOne({isWide ? "b64" : "b32"});
  size_t ordinal = 0, value = field->count > 1 ? 2 : 1;
  statement.end(value + 1);
  if (field->count > 1) {
    int64_t given = statement.immediate(1);
    if (given < 0 || given >= field->count) {
      statement.refuse("the ordinal is " + std::to_string(given) + "; 0 to " +
                       std::to_string(field->count - 1) + " are allowed");
    }
    ordinal = static_cast<size_t>(given);
  }
  if (field->isImmediate) {
    int64_t given = statement.immediate(value);
    if (given < 0 || given >= field->limit) {
      statement.refuse("the new value is " + std::to_string(given) + "; 0 to " +
                       std::to_string(field->limit - 1) + " are allowed");
    }
  }
  DecodedAddress map =
      statement.address(0, space.empty()       ? Space::generic
                           : space == "global" ? Space::global
                                               : Space::shared);
  Replace replace = {.map = AddressOperand(map),
                     .load = wholeMap(Effect::load, map.space),
                     .store = wholeMap(Effect::store, map.space),
                     .offset = field->offset + ordinal * field->bytes,
                     .bytes = field->bytes,
                     .isWide = isWide};
  statement.emit(
      replaceField, Pipe::lsu,
      {map.base, statement.source(value, isWide ? Type::b64 : Type::b32)},
      statement.keep(replace));
}

// -- tensormap.cp_fenceproxy

struct FencedCopy {
  AddressOperand destination, source;
  AccessKind load, store;
  Scope scope;
};

/// Slots: destination, source. The lanes of a warp mostly have the same
/// addresses. Of lanes with equal addresses one copies; the seed determines
/// which.
Step copyAndFence(Warp &warp, const Instruction &instruction, LaneMask active) {
  if (!warp.isAligned(instruction, active)) {
    return Step::converge;
  }
  const FencedCopy &copy = instruction.as<FencedCopy>();
  uint64_t to[warpLanes], from[warpLanes];
  LaneMask first = 0;
  atomicOrder(warp, instruction).forLanes(active, [&](int lane) {
    to[lane] = copy.destination.of(warp, instruction.slots[0], lane);
    from[lane] = copy.source.of(warp, instruction.slots[1], lane);
    bool isNew = true;
    forLanes(first, [&](int other) {
      isNew &= to[other] != to[lane] || from[other] != from[lane];
    });
    first |= LaneMask(isNew) << lane;
  });
  LanePointers sources, destinations;
  access(warp, instruction, copy.load, from, first, sources);
  access(warp, instruction, copy.store, to, first, destinations);
  forLanes(first, [&](int lane) {
    std::memcpy(destinations.of[lane], sources.of[lane], sizeof(TensorMap));
  });
  Fence fence = {.semantics = Semantics::release,
                 .scope = copy.scope,
                 .kind = Fence::Kind::proxyTensorMap,
                 .space = Space::global};
  warp.block.observe([&](BlockObserver &observer) {
    observer.fence(warp, instruction, active, fence);
  });
  return Step::next;
}

void decodeFencedCopy(Statement &statement) {
  requireSm90(statement, "tensormap.cp_fenceproxy");
  statement.take("cp_fenceproxy");
  FencedCopy copy;
  statement.takeOne({"global"});
  statement.takeOne({"shared::cta"});
  statement.takeOne({"tensormap::generic"});
  statement.takeOne({"release"});
  std::string_view scope = statement.takeOne({"cta", "cluster", "gpu", "sys"});
  statement.takeOne({"sync"});
  statement.takeOne({"aligned"});
  statement.end(3);
  if (statement.immediate(2) != int64_t(sizeof(TensorMap))) {
    statement.refuse("the size is 128");
  }
  copy.scope = scope == "cta"       ? Scope::block
               : scope == "cluster" ? Scope::cluster
               : scope == "gpu"     ? Scope::gpu
                                    : Scope::system;
  DecodedAddress to = statement.address(0, Space::global);
  DecodedAddress from = statement.address(1, Space::shared);
  copy.destination = AddressOperand(to);
  copy.source = AddressOperand(from);
  copy.load = wholeMap(Effect::load, Space::shared);
  copy.store = wholeMap(Effect::store, Space::global);
  if (copy.scope >= Scope::gpu) {
    statement.communicates();
  }
  statement.emit(copyAndFence, Pipe::lsu, {to.base, from.base},
                 statement.keep(copy));
}

constexpr Opcode tensorMapsOpcodes[] = {
    {"tensormap", decodeReplace, "replace"},
    {"tensormap", decodeFencedCopy, "cp_fenceproxy"},
};

} // namespace

std::span<const Opcode> tensorMaps() { return tensorMapsOpcodes; }

} // namespace cheems::emulator
