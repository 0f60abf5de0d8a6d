//===- PatternBytes.h - Long runs of one byte that cost nothing -*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ADDRESSSPACES_PATTERNBYTES_H
#define CHEEMS_EMULATOR_ADDRESSSPACES_PATTERNBYTES_H

#include <cstdint>
#include <span>

namespace cheems::emulator {

/// A large array of bytes, zeros at first. To fill much of it with a value that
/// was named before takes neither time nor memory: its pages are those of one
/// file until somebody writes to them.
class PatternBytes {
public:
  /// Throws std::bad_alloc.
  PatternBytes(uint64_t bytes, std::span<const uint8_t> values);
  ~PatternBytes();
  PatternBytes(const PatternBytes &) = delete;
  PatternBytes &operator=(const PatternBytes &) = delete;

  uint8_t *data() { return data_; }
  const uint8_t *data() const { return data_; }
  void fill(uint64_t begin, uint64_t bytes, uint8_t value);

private:
  /// Whole pages. False: the host cannot.
  bool map(uint8_t *pages, uint64_t bytes, uint8_t value);

  uint8_t *data_;
  uint64_t bytes_;
  std::span<const uint8_t> values; ///< in the file, `patternBytes` of each
  uint64_t patternBytes = 0;
  int file = -1;
};

} // namespace cheems::emulator

#endif
