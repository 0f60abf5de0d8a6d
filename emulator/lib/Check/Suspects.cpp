//===- Suspects.cpp - Bytes that two threads write without order ---------===//
#include "Suspects.h"

#include <cstring>

using namespace cheems::emulator;

void Suspects::add(const std::byte *memory, unsigned bytes, uint64_t address,
                   const Writer &first, const Writer &second) {
  Suspect &suspect =
      all.emplace_back(Suspect{memory, bytes, address, first, second, {}});
  std::memcpy(suspect.before.data(), memory, bytes);
}

void Suspects::settle() {
  for (const Suspect &suspect : all) {
    if (std::memcmp(suspect.before.data(), suspect.memory, suspect.bytes) !=
        0) {
      const Writer &first = suspect.first, &second = suspect.second;
      throw Finding(
          "race",
          "writes another value where another thread writes, without order "
          "between them",
          geometry.place(second.warp, second.lane, second.instruction),
          suspect.address,
          geometry.place(first.warp, first.lane, first.instruction));
    }
    ++sameValues;
  }
  all.clear();
}
