//===- SharedBanks.cpp - Turns that shared memory takes ------------------===//
#include "SharedBanks.h"

#include <algorithm>
#include <array>
#include <cstddef>

using namespace cheems::emulator;

namespace {
constexpr unsigned banks = 32;
constexpr unsigned wordBytes = 4;
constexpr unsigned turnBytes = banks * wordBytes;
} // namespace

Wavefronts cheems::emulator::wavefronts(const uint64_t *addresses,
                                        LaneMask lanes, unsigned bytes) {
  const unsigned wide = std::max(bytes, wordBytes);
  const int lanesPerTurn = static_cast<int>(std::max(turnBytes / wide, 1u));
  Wavefronts result;
  for (int first = 0; first < warpLanes; first += lanesPerTurn) {
    std::array<uint64_t, size_t(warpLanes) * 2> words;
    size_t count = 0;
    for (int lane = first; lane < std::min(first + lanesPerTurn, warpLanes);
         ++lane) {
      if (lanes >> lane & 1) {
        const uint64_t end = addresses[lane] + bytes;
        for (uint64_t word = addresses[lane] / wordBytes;
             word * wordBytes < end && count < words.size(); ++word) {
          words[count++] = word;
        }
      }
    }
    if (count == 0) {
      continue;
    }
    std::sort(words.begin(), words.begin() + count);
    const auto end = std::unique(words.begin(), words.begin() + count);
    std::array<uint64_t, banks> perBank{};
    for (auto word = words.begin(); word != end; ++word) {
      ++perBank[*word % banks];
    }
    result.taken += *std::max_element(perBank.begin(), perBank.end());
    ++result.least;
  }
  return result;
}
