//===- Fence.cpp - fence and membar ---------------------------------------===//
#include "Families.h"
#include "Lanes.h"
#include "Machine/Block.h"

#include <string_view>

using namespace cheems::emulator;

namespace {

/// Memory of the emulator is coherent, so a fence only tells observers.
Step fence(Warp &warp, const Instruction &instruction, LaneMask active) {
  const Fence &fence = instruction.as<Fence>();
  warp.block.observe([&](BlockObserver &observer) {
    observer.fence(warp, instruction, active, fence);
  });
  return Step::next;
}

struct MapFence : Transfer {
  Fence fence;
};

/// slots: base of the map's address
Step fenceMap(Warp &warp, const Instruction &instruction, LaneMask active) {
  const auto &payload = instruction.as<MapFence>();
  alignas(64) uint64_t addresses[warpLanes];
  laneAddresses(warp, instruction.slots[0], payload, addresses);
  Fence fence = payload.fence;
  fence.addresses = addresses;
  warp.block.observe([&](BlockObserver &observer) {
    observer.fence(warp, instruction, active, fence);
  });
  return Step::next;
}

void emitFence(Statement &statement, const Fence &what) {
  statement.end(0);
  if (what.scope == Scope::gpu || what.scope == Scope::system) {
    statement.communicates();
  }
  statement.emit(fence, Pipe::lsu, {}, statement.keep(what));
}

void requireHopper(Statement &statement) {
  if (statement.architecture() < 90) {
    statement.refuse("it needs sm_90");
  }
}

/// fence.proxy.tensormap::generic.release.scope, .acquire.scope [map], 128
void decodeTensorMap(Statement &statement) {
  requireHopper(statement);
  MapFence payload;
  Fence &what = payload.fence;
  what.kind = Fence::Kind::proxyTensorMap;
  bool acquires = statement.takeOne({"acquire", "release"}) == "acquire";
  what.semantics = acquires ? Semantics::acquire : Semantics::release;
  what.scope = takeRequiredScope(statement);
  if (!acquires) {
    emitFence(statement, what);
    return;
  }
  statement.end(2);
  if (statement.immediate(1) != 128) {
    statement.refuse("a tensor map has 128 bytes");
  }
  if (what.scope == Scope::gpu || what.scope == Scope::system) {
    statement.communicates();
  }
  Slot base = takeAddress(statement, 0, payload);
  statement.emit(fenceMap, Pipe::lsu, {base}, statement.keep(payload));
}

/// What .sync_restrict says: only a release of .shared::cta and an acquire of
/// .shared::cluster, both for the cluster.
Semantics takeRestricted(Statement &statement) {
  requireHopper(statement);
  bool acquires = statement.takeOne({"acquire", "release"}) == "acquire";
  std::string_view wanted = acquires ? "sync_restrict::shared::cluster"
                                     : "sync_restrict::shared::cta";
  if (!statement.take(wanted)) {
    statement.refuse("it needs ." + std::string(wanted));
  }
  if (!statement.take("cluster")) {
    statement.refuse("it needs the scope .cluster");
  }
  return acquires ? Semantics::acquire : Semantics::release;
}

void decodeAsync(Statement &statement) {
  requireHopper(statement);
  Fence what;
  what.kind = Fence::Kind::proxyAsync;
  std::string_view space =
      statement.takeAny({"global", "shared::cta", "shared::cluster"});
  what.space = space.empty()       ? Space::generic
               : space == "global" ? Space::global
                                   : Space::shared;
  what.scope = space == "shared::cluster" ? Scope::cluster : Scope::block;
  emitFence(statement, what);
}

/// PTX ISA, "membar / fence": the proxies
void decodeProxy(Statement &statement) {
  std::string_view proxy = statement.takeOne(
      {"alias", "async", "async::generic", "tensormap::generic"});
  if (proxy == "tensormap::generic") {
    decodeTensorMap(statement);
  } else if (proxy == "async") {
    decodeAsync(statement);
  } else if (proxy == "async::generic") {
    Fence what;
    what.kind = Fence::Kind::proxyAsync;
    what.semantics = takeRestricted(statement);
    what.scope = Scope::cluster;
    what.space = Space::shared;
    emitFence(statement, what);
  } else {
    emitFence(statement, {.kind = Fence::Kind::proxyAlias});
  }
}

bool isRestricted(const Statement &statement) {
  for (const std::string &modifier : statement.syntax.modifiers) {
    if (modifier.starts_with("sync_restrict")) {
      return true;
    }
  }
  return false;
}

/// PTX ISA, "Parallel Synchronization and Communication Instructions: membar /
/// fence"
void decodeFence(Statement &statement) {
  if (statement.take("proxy")) {
    decodeProxy(statement);
    return;
  }
  Fence what;
  if (statement.take("mbarrier_init")) {
    requireHopper(statement);
    if (!statement.take("release") || !statement.take("cluster")) {
      statement.refuse("it is .mbarrier_init.release.cluster alone");
    }
    what.kind = Fence::Kind::mbarrierInit;
    what.semantics = Semantics::release;
    what.scope = Scope::cluster;
    what.space = Space::shared;
    emitFence(statement, what);
    return;
  }
  if (isRestricted(statement)) {
    what.semantics = takeRestricted(statement);
    what.scope = Scope::cluster;
    what.space = Space::shared;
    emitFence(statement, what);
    return;
  }
  std::string_view order =
      statement.takeAny({"sc", "acq_rel", "acquire", "release"});
  what.semantics = order == "sc"        ? Semantics::sequential
                   : order == "acquire" ? Semantics::acquire
                   : order == "release" ? Semantics::release
                                        : Semantics::acquireRelease;
  what.scope = takeRequiredScope(statement);
  emitFence(statement, what);
}

/// "On sm_70 and higher membar is a synonym for fence.sc", and
/// "membar.{cta,gl,sys} are equivalent to fence.sc.{cta,gpu,sys}".
void decodeMembar(Statement &statement) {
  if (statement.take("proxy")) {
    if (!statement.take("alias")) {
      statement.refuse("its only proxy is .alias");
    }
    emitFence(statement, {.kind = Fence::Kind::proxyAlias});
    return;
  }
  std::string_view level = statement.takeOne({"cta", "gl", "sys"});
  emitFence(statement, {.semantics = Semantics::sequential,
                        .scope = level == "cta"  ? Scope::block
                                 : level == "gl" ? Scope::gpu
                                                 : Scope::system});
}

constexpr Opcode fencesOpcodes[] = {{"fence", decodeFence},
                                    {"membar", decodeMembar}};

} // namespace

std::span<const Opcode> cheems::emulator::fences() { return fencesOpcodes; }
