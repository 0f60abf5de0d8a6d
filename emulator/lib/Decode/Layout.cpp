//===- Layout.cpp - Registers that are not live at once share a place ---===//
#include "Layout.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

using namespace cheems::emulator;

namespace {

constexpr uint32_t cacheLine = 64;

/// The bytes of the 32 elements of a register.
uint32_t placeBytes(int bits) { return bits == 1 ? 4 : bits * 32 / 8; }

/// Places for the registers of one size, which lie side by side from `base` on.
/// The lowest free one is taken first, so the ones in use stay together.
uint32_t placeSize(int bits, uint32_t base, const Flow &flow,
                   const Liveness &liveness, bool reuse,
                   std::vector<uint32_t> &offsets) {
  std::vector<uint32_t> registers;
  for (uint32_t reg = 0; reg < flow.registers.size(); ++reg) {
    if (flow.registers[reg].bits == bits) {
      registers.push_back(reg);
    }
  }
  std::sort(registers.begin(), registers.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(liveness.intervals[a].first, a) <
           std::pair(liveness.intervals[b].first, b);
  });
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> free;
  using Ending = std::pair<uint32_t, uint32_t>; // last statement, place
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> active;
  uint32_t places = 0;
  for (uint32_t reg : registers) {
    const Liveness::Interval &interval = liveness.intervals[reg];
    bool own = !reuse || flow.registers[reg].pinned;
    if (interval.empty() && !own) {
      offsets[reg] = base; // nothing reads or writes it
      continue;
    }
    while (!active.empty() && active.top().first < interval.first) {
      free.push(active.top().second);
      active.pop();
    }
    uint32_t taken = places;
    if (own || free.empty()) {
      ++places;
    } else {
      taken = free.top();
      free.pop();
    }
    if (!own) {
      active.push({interval.last, taken});
    }
    offsets[reg] = base + taken * placeBytes(bits);
  }
  uint32_t end = base + places * placeBytes(bits);
  return (end + cacheLine - 1) / cacheLine * cacheLine;
}

} // namespace

Layout cheems::emulator::place(const Flow &flow, const Liveness &liveness,
                               bool reuse) {
  Layout layout;
  layout.offsets.resize(flow.registers.size());
  for (int bits : {1, 16, 32, 64, 128}) {
    layout.bytes =
        placeSize(bits, layout.bytes, flow, liveness, reuse, layout.offsets);
  }
  return layout;
}
