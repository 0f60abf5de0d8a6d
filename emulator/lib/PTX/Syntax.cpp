//===- Syntax.cpp ---------------------------------------------------------===//
#include "Syntax.h"

namespace cheems::emulator::ptx {

uint64_t Variable::elementBytes() const {
  // A predicate has no address, but a size is asked of every register.
  return uint64_t((type.width + 7) / 8) * vector;
}

uint64_t Variable::bytes() const {
  uint64_t bytes = elementBytes();
  for (uint64_t extent : extents) {
    bytes *= extent;
  }
  return bytes;
}

uint64_t Variable::byteAlignment() const {
  return alignment ? uint64_t(alignment) : elementBytes();
}

} // namespace cheems::emulator::ptx
