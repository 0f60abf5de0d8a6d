//===- AccessFailure.cpp - What is wrong with an access ------------------===//
#include "AccessFailure.h"

#include <cstdio>
#include <string>

using namespace cheems::emulator;

namespace {

std::string hexadecimal(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof(text), "0x%llx",
                static_cast<unsigned long long>(value));
  return text;
}

const char *nameOf(Space space) {
  switch (space) {
  case Space::generic:
    return "generic";
  case Space::global:
    return "global";
  case Space::constant:
    return "constant";
  case Space::shared:
    return "shared";
  case Space::local:
    return "local";
  case Space::parameter:
    return "parameter";
  }
  return "";
}

/// One range of bytes that is accessed.
struct Bytes {
  Warp &warp;
  const Instruction &instruction;
  int lane;
  Space space;
  Block *owner;
  uint64_t address, bytes;
  bool reads, writes;
};

[[noreturn]] void fail(const Bytes &access, const char *rule,
                       const std::string &why) {
  const char *does = !access.writes  ? "a load"
                     : !access.reads ? "a store"
                                     : "an atomic operation";
  access.warp.fail(access.instruction, rule,
                   std::string(does) + " of " + std::to_string(access.bytes) +
                       " bytes of " + nameOf(access.space) + " memory at " +
                       hexadecimal(access.address) + " " + why,
                   access.lane, access.address);
}

/// "8 bytes after the allocation of 64 bytes at 0x700000000000"
std::string placeOf(const GlobalMemory &memory, uint64_t address) {
  std::string text = "is in no allocation";
  uint64_t nearest = ~uint64_t(0);
  for (const GlobalMemory::Allocation &allocation : memory.live()) {
    const uint64_t end = allocation.address + allocation.bytes;
    const bool after = address >= allocation.address;
    const uint64_t distance = !after          ? allocation.address - address
                              : address < end ? 0
                                              : address - end;
    if (distance < nearest) {
      nearest = distance;
      const std::string of = "the allocation of " +
                             std::to_string(allocation.bytes) + " bytes at " +
                             hexadecimal(allocation.address);
      text = !after
                 ? "starts " + std::to_string(distance) + " bytes before " + of
             : address < end ? "starts in " + of + " and goes beyond its end"
                             : "starts " + std::to_string(distance) +
                                   " bytes after the end of " + of;
    }
  }
  return text;
}

[[noreturn]] void failGlobal(const Bytes &access) {
  GlobalMemory &memory = access.warp.block.grid.device.memory;
  const uint64_t offset = access.address - GlobalMemory::base;
  if (offset >= memory.totalBytes() ||
      access.bytes > memory.totalBytes() - offset) {
    fail(access, "out-of-bounds",
         access.address < 4096 ? "is at a null pointer"
                               : placeOf(memory, access.address));
  }
  for (uint64_t i = 0; i < access.bytes; ++i) {
    switch (*memory.state(access.address + i)) {
    case ByteState::unallocated:
      fail(access, "out-of-bounds", placeOf(memory, access.address));
    case ByteState::freed:
      fail(access, "use-after-free", "is of memory that has been freed");
    case ByteState::uninitialised:
      if (access.reads) {
        fail(access, "uninitialised-read",
             "reads byte " + std::to_string(i) +
                 " of it, which nobody has written");
      }
      break;
    case ByteState::initialised:
      break;
    }
  }
  fail(access, "invalid-access", "is not allowed");
}

[[noreturn]] void failShared(const Bytes &access) {
  const uint64_t size = access.owner->sharedBytes();
  if (access.address >= size || access.bytes > size - access.address) {
    fail(access, "out-of-bounds",
         "is beyond the " + std::to_string(size) + " bytes of the block");
  }
  for (uint64_t i = 0; i < access.bytes; ++i) {
    const std::string byte = "byte " + std::to_string(i) + " of it";
    switch (
        *access.owner->sharedState(static_cast<uint32_t>(access.address + i))) {
    case SharedState::uninitialised:
      if (access.reads) {
        fail(access, "uninitialised-read",
             "reads " + byte + ", which nobody has written");
      }
      break;
    case SharedState::inFlight:
      fail(access, "missing-wait",
           "meets " + byte +
               ", which an asynchronous copy writes that nobody has waited "
               "for");
    case SharedState::barrier:
      fail(access, "barrier-overlap",
           "meets " + byte + ", which belongs to an mbarrier object");
    case SharedState::beingRead:
      if (access.writes) {
        fail(access, "missing-wait",
             "meets " + byte +
                 ", which an asynchronous copy still reads: nobody has waited "
                 "for that");
      }
      break;
    case SharedState::initialised:
      break;
    }
  }
  fail(access, "invalid-access", "is not allowed");
}

[[noreturn]] void failBytes(const Bytes &access) {
  Block &block = access.warp.block;
  switch (access.space) {
  case Space::shared:
    failShared(access);
  case Space::local:
    fail(access, "out-of-bounds",
         "is beyond the " + std::to_string(block.program().localBytes) +
             " bytes of the thread");
  case Space::parameter:
    if (access.writes) {
      fail(access, "invalid-access",
           "is not allowed: a kernel's parameters are only read");
    }
    fail(access, "out-of-bounds",
         "is beyond the " + std::to_string(block.parameters().size()) +
             " bytes of the kernel's parameters");
  default:
    failGlobal(access);
  }
}

} // namespace

void cheems::emulator::failLane(const AccessRequest &request, int lane) {
  const AccessKind &kind = request.kind;
  const Bytes access{
      request.warp,  request.instruction, lane,
      request.space, request.owner,       request.addresses[lane],
      kind.bytes,    kind.reads(),        kind.writes()};
  // PTX ISA, "Addresses as Operands"
  const uint64_t alignment = kind.bytes;
  if (access.address % alignment) {
    fail(access, "misaligned-address",
         "is not at a multiple of " + std::to_string(alignment));
  }
  failBytes(access);
}

void cheems::emulator::failRank(const AccessRequest &request, int lane) {
  request.warp.fail(request.instruction, "out-of-bounds",
                    "the shared::cluster address " +
                        hexadecimal(request.addresses[lane]) +
                        " is of a block that the cluster does not have",
                    lane, request.addresses[lane]);
}

void cheems::emulator::failExited(const AccessRequest &request, int lane) {
  request.warp.fail(
      request.instruction, "exited-peer",
      "the shared memory of block " + std::to_string(request.owner->rank) +
          " of the cluster is accessed, but that block has exited",
      lane, request.addresses[lane]);
}

void cheems::emulator::failRange(Warp &warp, const Instruction &instruction,
                                 Space space, Block &block, uint64_t address,
                                 uint64_t bytes, bool writes,
                                 bool mayBeUninitialised) {
  failBytes({warp, instruction, -1, space, &block, address, bytes,
             !writes && !mayBeUninitialised, writes});
}
