//===- GlobalOrder.h - Order in global memory -------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_CHECK_GLOBALORDER_H
#define CHEEMS_EMULATOR_CHECK_GLOBALORDER_H

#include "AddressSpaces/GlobalMemory.h"
#include "Events.h"
#include "Geometry.h"
#include "GlobalShadow.h"
#include "Machine/Observer.h"
#include "Pool.h"
#include "Suspects.h"

#include <map>
#include <unordered_map>

namespace cheems::emulator {

/// Calls f(address of a row) for the rows of a box.
template <typename F> void forRows(const AsyncRange &range, F f) {
  uint64_t index[4] = {};
  for (;;) {
    uint64_t begin = range.address;
    for (int d = 0; d < 4; ++d) {
      begin += index[d] * static_cast<uint64_t>(range.strides[d]);
    }
    f(begin);
    int d = 0;
    while (d < 4 && ++index[d] == range.counts[d]) {
      index[d++] = 0;
    }
    if (d == 4) {
      return;
    }
  }
}

/// Threads that hear each other: those of a block, of a cluster, or all (PTX
/// ISA, "Scope").
struct Circle {
  Scope scope;         ///< block, cluster or gpu
  uint64_t number = 0; ///< of the block or cluster
  auto operator<=>(const Circle &) const = default;
};

/// What has happened in global memory: in that of one cluster if the blocks of
/// the grid are independent, else in that of all. One host thread uses it.
class GlobalOrder {
public:
  /// Checks so many clusters from `firstCluster` on. `keepsValues`: what they
  /// write is compared with what others write when they have ended.
  GlobalOrder(const Geometry &geometry, GlobalMemory &memory,
              uint32_t firstCluster, uint32_t clusters, bool keepsValues,
              std::atomic<uint64_t> &sameValues);

  GlobalMemory &memory;
  GlobalShadow bytes;
  Events events;
  Suspects suspects;

  /// A thread of `cluster` releases what is known to it and what it did to
  /// those of the circle that acquire from this address.
  void tell(uint64_t address, const Circle &circle, const Known &by,
            uint32_t cluster);
  /// What a thread of `cluster` gets that acquires from there.
  Known told(uint64_t address, const Circle &circle, uint32_t cluster);

  // -- For Footprint, if values are kept

  struct UnitReads {
    PageBits read;
    uint32_t warp = 0, instruction = 0; ///< of the newest read
    int lane = 0;
  };
  bool keepsValues() const { return keeps; }
  /// The lanes write, and the bytes are there at the next event.
  void written(const Access &access, const uint64_t *offsets);
  /// A unit reads a part of a page.
  void readByUnit(uint64_t address, uint64_t count, uint32_t warp, int lane,
                  uint32_t instruction);
  const Pages &pagesOfUnits() const { return unitPages; }
  /// The index is that of a page in pagesOfUnits().
  const std::vector<UnitReads> &readsOfUnits() const { return unitReads; }
  /// What the cluster wrote to a page, but for what units wrote. Null: nothing.
  Pooled<PageBytes> &valuesOf(size_t page) {
    values.resize(bytes.pages().size());
    return values[page];
  }

  /// Bytes of the last write have moved.
  void settle() {
    if (writes.lanes) {
      keepValues();
    }
    if (suspects.any()) {
      suspects.settle();
    }
  }
  /// Drops events that no cell refers to.
  void dropEvents();

private:
  struct Told {
    KnownElsewhere ordered, fenced;
    std::unordered_map<uint32_t, Known> asked; ///< by cluster
  };
  void keepValues();

  const bool keeps;
  std::unordered_map<uint64_t, std::map<Circle, Told>> places;
  std::vector<Pooled<PageBytes>> values; ///< by page
  Pages unitPages;
  std::vector<UnitReads> unitReads;
  struct {
    LaneMask lanes = 0;
    uint32_t bytes = 0;
    bool isWholeWarp = false; ///< side by side in one page
    std::array<uint64_t, warpLanes> addresses, offsets;
  } writes;
};

} // namespace cheems::emulator

#endif
