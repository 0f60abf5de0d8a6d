//===- GlobalShadow.h - Who touched global memory ---------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_CHECK_GLOBALSHADOW_H
#define CHEEMS_EMULATOR_CHECK_GLOBALSHADOW_H

#include "AddressSpaces/Access.h"
#include "Lanes/Loop.h"
#include "Pages.h"
#include "Shadow.h"

namespace cheems::emulator {

/// Cells for the pages of global memory that somebody has touched, one page
/// after the other, so an address becomes an offset in a Shadow.
class GlobalShadow {
public:
  Shadow shadow{0, Shadow::globalGranule};

  const Pages &pages() const { return touched; }
  /// The offset of an address. Its page is made if there is none.
  uint64_t offsetOf(uint64_t address) {
    const uint32_t page = touched.take(
        address / pageBytes, [&] { shadow.grow(touched.size() * pageBytes); });
    return page * pageBytes + address % pageBytes;
  }
  /// The same of the lanes of an access.
  void offsetsOf(const Access &access, uint64_t *offsets) {
    const uint64_t *addresses = access.addresses;
    if (access.contiguous &&
        addresses[0] / pageBytes == addresses[warpLanes - 1] / pageBytes) {
      const uint64_t first = offsetOf(addresses[0]);
      for (int lane = 0; lane < warpLanes; ++lane) {
        offsets[lane] = first + static_cast<uint64_t>(lane) * access.kind.bytes;
      }
      return;
    }
    forLanes(access.lanes,
             [&](int lane) { offsets[lane] = offsetOf(addresses[lane]); });
  }
  /// Nothing if nobody has touched the page.
  std::optional<uint64_t> find(uint64_t address) const {
    const auto page = touched.find(address / pageBytes);
    if (!page) {
      return std::nullopt;
    }
    return *page * pageBytes + address % pageBytes;
  }
  uint64_t addressOf(uint64_t offset) const {
    return touched.number(offset / pageBytes) * pageBytes + offset % pageBytes;
  }

private:
  Pages touched;
};

} // namespace cheems::emulator

#endif
