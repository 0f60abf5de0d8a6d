//===- Buffer.h - Memory as a command line describes it ---------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_TOOLS_CHEEMS_PTX_RUN_BUFFER_H
#define CHEEMS_EMULATOR_TOOLS_CHEEMS_PTX_RUN_BUFFER_H

#include "Elements.h"

#include <cstddef>
#include <vector>

namespace cheems::ptxrun {

/// `x:f32[4x8]=iota`
struct Buffer {
  std::string name;
  ElementType type;
  std::vector<uint64_t> extents; ///< outermost first
  std::string initial;           ///< what follows the equals sign

  /// Throws Error (usage).
  static Buffer parse(const std::string &text);

  uint64_t elements() const;
  uint64_t bytes() const { return elements() * type.bytes; }
  /// "f32[4x8]"
  std::string shape() const;

  /// What `text` describes, in the buffer's type and size:
  ///   zeros, iota (0, 1, 2, ...), random, random:LEAST:MOST (whole numbers),
  ///   NUMBER (all of them), NUMBER,NUMBER,... (as many as there are elements),
  ///   @FILE (.npy, or raw bytes), none (nothing: not initialised).
  /// Random numbers depend on `seed` and the buffer's name: floating-point ones
  /// are of [-1, 1), integers any. Throws Error.
  std::vector<std::byte> values(const std::string &text, uint64_t seed) const;

  /// The shape, and a line for each row of the innermost dimension. An element
  /// that was not `written` is a question mark.
  std::string print(const std::byte *data,
                    const std::vector<bool> &written) const;

  uint64_t element(const std::byte *data, uint64_t index) const;
};

} // namespace cheems::ptxrun

#endif
