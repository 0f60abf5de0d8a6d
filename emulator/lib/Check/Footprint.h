//===- Footprint.h - What independent blocks have touched -------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_CHECK_FOOTPRINT_H
#define CHEEMS_EMULATOR_CHECK_FOOTPRINT_H

#include "GlobalOrder.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace cheems::emulator {

/// The global memory that the clusters of a grid touch, if its blocks are
/// independent. Nothing in the grid orders two clusters. So what one of them
/// writes no other one may read, nor write with another value.
class Footprint {
public:
  Footprint(const Geometry &geometry, std::atomic<uint64_t> &sameValues)
      : geometry(geometry), sameValues(sameValues) {}
  ~Footprint();
  Footprint(const Footprint &) = delete;
  Footprint &operator=(const Footprint &) = delete;

  /// What a cluster has touched when it has ended. Clusters come in ascending
  /// order, so the report is the same on any number of host threads.
  void add(GlobalOrder &order);
  /// Throws Finding if two clusters are in each other's way.
  void report() const;

private:
  /// Whose a byte is: lane `lane + (byte >> shift)` of the warp's.
  struct Owner {
    uint32_t warp, instruction;
    LanePattern lanes;
  };
  /// Keeps the owner of the first byte of each unit. Units get smaller when two
  /// owners share one.
  class Owners {
  public:
    /// Sets the owner of bytes that are not `known` yet.
    void set(uint64_t begin, unsigned bytes, const Owner &owner,
             const PageBits &known);
    Owner of(uint64_t byte) const;
    void clear();

  private:
    uint64_t unit = Shadow::globalGranule;
    std::vector<Owner> all;
  };
  struct Page {
    PageBits written, read;
    Owners writers, readers;
    Pooled<PageBytes> values; ///< of written bytes

    void clear();
  };
  /// What one cluster does to some bytes of a page.
  struct Piece {
    uint64_t begin;
    unsigned bytes;
    Owner owner;
    bool writes;
    const std::byte *values; ///< that it writes
  };

  /// Finds `pieces` of a page of cells.
  void take(GlobalOrder &order, size_t index);
  void check(const Page &page, uint64_t number, const Piece &piece);
  static void keep(Page &page, const Piece &piece);

  const Geometry &geometry;
  std::atomic<uint64_t> &sameValues;
  Pages pages;
  std::vector<Pooled<Page>> contents; ///< by index
  std::vector<Piece> pieces;
  struct Conflict {
    const char *what;
    uint64_t address;
    Owner first, second;
    int firstLane, secondLane;
  };
  std::optional<Conflict> found;
};

} // namespace cheems::emulator

#endif
