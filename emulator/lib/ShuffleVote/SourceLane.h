//===- SourceLane.h - Where shfl takes a value from --------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_SHUFFLEVOTE_SOURCELANE_H
#define CHEEMS_EMULATOR_SHUFFLEVOTE_SOURCELANE_H

#include <cstdint>

namespace cheems::emulator {

enum class ShuffleMode : uint8_t { up, down, butterfly, index };

struct SourceLane {
  int lane;    ///< the own one if `inside` is false
  bool inside; ///< the predicate: the source lies in the segment
};

/// PTX ISA, "Data Movement and Conversion Instructions: shfl.sync": `b` is a
/// lane or a distance, `c` has the clamp value in bits 0 to 4 and the mask of
/// segments in bits 8 to 12.
[[gnu::always_inline]] constexpr SourceLane
sourceLane(ShuffleMode mode, int lane, uint32_t b, uint32_t c) {
  int operand = b & 31;
  int clamp = c & 31;
  int segment = c >> 8 & 31;
  int least = lane & segment;
  int limit = least | (clamp & ~segment);
  int source = mode == ShuffleMode::up          ? lane - operand
               : mode == ShuffleMode::down      ? lane + operand
               : mode == ShuffleMode::butterfly ? lane ^ operand
                                                : least | (operand & ~segment);
  bool inside = mode == ShuffleMode::up ? source >= limit : source <= limit;
  return {inside ? source : lane, inside};
}

} // namespace cheems::emulator

#endif
