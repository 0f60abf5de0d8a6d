//===- Traffic.cpp - Sectors of global memory that were touched ----------===//
#include "Traffic.h"

#include <algorithm>

using namespace cheems::emulator;

namespace {
/// Ordering pays when so many are new.
constexpr size_t unorderedAtMost = 1 << 14;
} // namespace

void Traffic::add(uint64_t address, uint64_t bytes, bool reads) {
  const uint64_t end = address + bytes;
  while (address < end) {
    const uint64_t sector = address / sectorBytes;
    const uint64_t stop = std::min(end, (sector + 1) * sectorBytes);
    const uint64_t count = stop - address;
    const uint32_t bits = count == sectorBytes ? ~uint32_t(0)
                                               : ((uint32_t(1) << count) - 1)
                                                     << address % sectorBytes;
    uint32_t &of = [&]() -> uint32_t & {
      // Neighbours of a warp's access are often in one sector.
      if (uses.empty() || uses.back().sector != sector) {
        uses.push_back({sector});
      }
      return reads ? uses.back().read : uses.back().written;
    }();
    of |= bits;
    address = stop;
  }
  if (uses.size() - ordered > std::max(unorderedAtMost, ordered)) {
    compact();
  }
}

void Traffic::merge(Traffic &other) {
  const std::vector<SectorUse> &more = other.sectors();
  uses.insert(uses.end(), more.begin(), more.end());
  if (uses.size() - ordered > std::max(unorderedAtMost, ordered)) {
    compact();
  }
}

const std::vector<SectorUse> &Traffic::sectors() {
  if (ordered != uses.size()) {
    compact();
  }
  return uses;
}

void Traffic::compact() {
  std::sort(uses.begin(), uses.end(),
            [](const SectorUse &a, const SectorUse &b) {
              return a.sector < b.sector;
            });
  size_t kept = 0;
  for (const SectorUse &use : uses) {
    if (kept && uses[kept - 1].sector == use.sector) {
      uses[kept - 1].read |= use.read;
      uses[kept - 1].written |= use.written;
    } else {
      uses[kept++] = use;
    }
  }
  uses.resize(kept);
  ordered = kept;
}
