//===- Elements.h - Types of numbers in buffers -----------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_TOOLS_CHEEMS_PTX_RUN_ELEMENTS_H
#define CHEEMS_EMULATOR_TOOLS_CHEEMS_PTX_RUN_ELEMENTS_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cheems::ptxrun {

/// "s32" (or "i32"), "f16", "e4m3", "b64": the types of memory that kernels
/// read and write.
struct ElementType {
  enum class Kind { bits, unsignedInteger, signedInteger, floating };
  std::string_view name;
  Kind kind = Kind::bits;
  int bytes = 4;
  int exponentBits = 0, mantissaBits = 0; ///< floating
  bool hasInfinity = true;                ///< not e4m3

  /// Throws Error (usage), which names the types.
  static ElementType parse(std::string_view name);

  /// The bits of a number as a command line has it. Integers may be
  /// hexadecimal, and must fit. Throws Error (usage).
  uint64_t encode(std::string_view text) const;
  /// The nearest, ties to even; what is too large is infinity, or NaN where
  /// there is none.
  uint64_t encode(double value) const;
  /// Integers above 2^53 lose bits.
  double decode(uint64_t bits) const;
  /// The shortest text that means the same number.
  std::string print(uint64_t bits) const;
};

} // namespace cheems::ptxrun

#endif
