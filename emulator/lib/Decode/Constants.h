//===- Constants.h - Values that are known at load --------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DECODE_CONSTANTS_H
#define CHEEMS_EMULATOR_DECODE_CONSTANTS_H

#include "Program.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace cheems::emulator {

/// Immediates and addresses of variables, each as an array of 32 equal
/// elements.
class Constants {
public:
  Constants();

  /// `bits` is 16, 32, 64 or 128; a value of 128 bits is extended by zeros. Of
  /// 1 bit: a predicate, true for all lanes or for none.
  Slot slot(uint64_t value, int bits);

  AlignedBytes finish() const;

private:
  std::map<std::pair<int, uint64_t>, Slot> known;
  std::vector<std::byte> data;
};

} // namespace cheems::emulator

#endif
