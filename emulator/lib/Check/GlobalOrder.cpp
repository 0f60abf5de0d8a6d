//===- GlobalOrder.cpp - Order in global memory --------------------------===//
#include "GlobalOrder.h"

#include "Lanes/Loop.h"

#include <algorithm>
#include <bit>
#include <cstring>

using namespace cheems::emulator;

GlobalOrder::GlobalOrder(const Geometry &geometry, GlobalMemory &memory,
                         uint32_t firstCluster, uint32_t clusters,
                         bool keepsValues, std::atomic<uint64_t> &sameValues)
    : memory(memory), events(ProxiedMemory::global, geometry.warpsPerCluster,
                             firstCluster * geometry.warpsPerCluster,
                             clusters * geometry.warpsPerCluster),
      suspects(geometry, sameValues), keeps(keepsValues) {}

// -- Releases and acquires

namespace {

/// Adds the clocks of one cluster.
void add(KnownElsewhere &to, uint32_t cluster,
         std::shared_ptr<const ClockVector> clocks) {
  auto alone = std::make_shared<Elsewhere>(size_t(cluster) + 1);
  alone->back() = std::move(clocks);
  to = join(to, alone);
}

} // namespace

void GlobalOrder::tell(uint64_t address, const Circle &circle, const Known &by,
                       uint32_t cluster) {
  Told &told = places[address][circle];
  told.ordered = join(told.ordered, by->elsewhere);
  told.fenced = join(told.fenced, by->elsewhereFenced);
  add(told.ordered, cluster, {by, &by->ordered});
  add(told.fenced, cluster, {by, &by->fenced[size_t(ProxiedMemory::global)]});
  told.asked.clear();
}

Known GlobalOrder::told(uint64_t address, const Circle &circle,
                        uint32_t cluster) {
  auto place = places.find(address);
  if (place == places.end()) {
    return nullptr;
  }
  auto found = place->second.find(circle);
  if (found == place->second.end()) {
    return nullptr;
  }
  Told &told = found->second;
  Known &known = told.asked[cluster];
  if (!known) {
    auto made = std::make_shared<Knowledge>();
    auto take = [&](const KnownElsewhere &from, ClockVector &to) {
      if (from && cluster < from->size() && (*from)[cluster]) {
        to = *(*from)[cluster];
      }
    };
    take(told.ordered, made->ordered);
    take(told.fenced, made->fenced[size_t(ProxiedMemory::global)]);
    made->elsewhere = told.ordered;
    made->elsewhereFenced = told.fenced;
    known = std::move(made);
  }
  return known;
}

void GlobalOrder::dropEvents() {
  events.drop([&](auto renumber) { bytes.shadow.forEvents(renumber); });
}

// -- What a footprint is made of

void GlobalOrder::written(const Access &access, const uint64_t *offsets) {
  writes.lanes = access.lanes;
  writes.bytes = access.kind.bytes;
  writes.isWholeWarp =
      access.contiguous &&
      offsets[0] / pageBytes == offsets[warpLanes - 1] / pageBytes;
  const int lanes = writes.isWholeWarp ? 1 : warpLanes;
  std::copy_n(access.addresses, lanes, writes.addresses.begin());
  std::copy_n(offsets, lanes, writes.offsets.begin());
}

void GlobalOrder::keepValues() {
  values.resize(bytes.pages().size());
  auto keep = [&](uint64_t address, uint64_t offset, uint64_t count) {
    auto &page = values[offset / pageBytes];
    if (!page) {
      page = takePooled<PageBytes>();
    }
    std::memcpy(page->data() + offset % pageBytes, memory.data(address), count);
  };
  if (writes.isWholeWarp) {
    keep(writes.addresses[0], writes.offsets[0],
         uint64_t(warpLanes) * writes.bytes);
  } else {
    forLanes(writes.lanes, [&](int lane) {
      keep(writes.addresses[lane], writes.offsets[lane], writes.bytes);
    });
  }
  writes.lanes = 0;
}

void GlobalOrder::readByUnit(uint64_t address, uint64_t count, uint32_t warp,
                             int lane, uint32_t instruction) {
  forPages(address, count, [&](uint64_t begin, uint64_t part) {
    const uint32_t index =
        unitPages.take(begin / pageBytes, [&] { unitReads.emplace_back(); });
    UnitReads &page = unitReads[index];
    page.read.set(begin % pageBytes, part);
    page.warp = warp;
    page.lane = lane;
    page.instruction = instruction;
  });
}
