//===- Constants.cpp - Values that are known when a kernel is loaded ----===//
#include "Constants.h"

#include <cstring>

using namespace cheems::emulator;

namespace {
constexpr uint32_t predicateBytes = 64; // the two masks, padded
constexpr LaneMask masks[2] = {0, allLanes};
} // namespace

Constants::Constants() : data(predicateBytes) {
  std::memcpy(data.data(), masks, sizeof(masks));
}

Slot Constants::slot(uint64_t value, int bits) {
  if (bits == 1) {
    return Slot(Base::constants, value ? sizeof(LaneMask) : 0);
  }
  if (bits < 64) {
    value &= (uint64_t(1) << bits) - 1;
  }
  auto [found, isNew] = known.try_emplace({bits, value});
  if (isNew) {
    size_t bytes = bits / 8;
    size_t offset = data.size();
    found->second = Slot(Base::constants, static_cast<uint32_t>(offset));
    data.resize(offset + bytes * warpLanes);
    for (int lane = 0; lane < warpLanes; ++lane) {
      std::memcpy(data.data() + offset + lane * bytes, &value,
                  bytes < sizeof(value) ? bytes : sizeof(value));
    }
  }
  return found->second;
}

AlignedBytes Constants::finish() const {
  AlignedBytes bytes(data.size());
  std::memcpy(bytes.data(), data.data(), data.size());
  return bytes;
}
