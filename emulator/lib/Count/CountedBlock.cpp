//===- CountedBlock.cpp - Accesses of a block ----------------------------===//
#include "CountedGrid.h"

#include "Lanes/Loop.h"
#include "SharedBanks.h"

#include <algorithm>
#include <array>

using namespace cheems::emulator;

namespace {
uint64_t lastSector(uint64_t address, uint64_t bytes) {
  return (address + bytes - 1) / sectorBytes;
}

/// Sectors that the lanes touch, each once.
uint64_t countSectors(const Access &access) {
  std::array<uint64_t, size_t(warpLanes) * 2> sectors;
  size_t count = 0;
  forLanes(access.lanes, [&](int lane) {
    const uint64_t address = access.addresses[lane];
    sectors[count++] = address / sectorBytes;
    sectors[count++] = lastSector(address, access.kind.bytes);
  });
  std::sort(sectors.begin(), sectors.begin() + count);
  return std::unique(sectors.begin(), sectors.begin() + count) -
         sectors.begin();
}
} // namespace

void BlockSums::add(const BlockSums &other) {
  sharedWavefronts += other.sharedWavefronts;
  leastSharedWavefronts += other.leastSharedWavefronts;
  globalRequests += other.globalRequests;
  globalSectors += other.globalSectors;
}

void CountedBlock::access(Warp &, const Access &access) {
  const unsigned bytes = access.kind.bytes;
  if (access.space == Space::shared) {
    const Wavefronts waves = wavefronts(access.addresses, access.lanes, bytes);
    sums.sharedWavefronts += waves.taken;
    sums.leastSharedWavefronts += waves.least;
  } else if (access.space == Space::global) {
    ++sums.globalRequests;
    sums.globalSectors += countSectors(access);
    forLanes(access.lanes, [&](int lane) {
      if (access.kind.reads()) {
        traffic.read(access.addresses[lane], bytes);
      }
      if (access.kind.writes()) {
        traffic.write(access.addresses[lane], bytes);
      }
    });
  }
}

void CountedBlock::startAsync(Warp &, const Instruction &,
                              const AsyncRange &range) {
  if (range.space != Space::global || range.proxy == Proxy::tensorMap) {
    return;
  }
  // Lanes of one cp.async are one request; neighbours share sectors.
  const bool isSame =
      range.kind == AsyncKind::copy && range.operation == lastCopy;
  sums.globalRequests += !isSame;
  uint64_t index[4] = {};
  for (;;) {
    uint64_t address = range.address;
    for (int d = 0; d < 4; ++d) {
      address += index[d] * range.strides[d];
    }
    const uint64_t first = address / sectorBytes;
    const uint64_t last = lastSector(address, range.bytes);
    sums.globalSectors +=
        last - first + 1 - (isSame && first == lastCopySector);
    if (range.kind == AsyncKind::copy) {
      lastCopy = range.operation;
      lastCopySector = last;
    }
    if (range.effect == Effect::store) {
      traffic.write(address, range.bytes);
    } else {
      traffic.read(address, range.bytes);
    }
    int d = 0;
    while (d < 4 && ++index[d] == range.counts[d]) {
      index[d++] = 0;
    }
    if (d == 4) {
      return;
    }
  }
}
