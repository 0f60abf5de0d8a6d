//===- Program.h - A kernel with all that it calls --------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DECODE_PROGRAM_H
#define CHEEMS_EMULATOR_DECODE_PROGRAM_H

#include "Instruction.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cheems::emulator {

/// What of an instruction only reports and counters want.
struct Detail {
  Pipe pipe = Pipe::none;
  std::string text; ///< opcode and modifiers: "ld.global.v4.b32"
};

/// Bytes at a 64-byte boundary.
struct AlignedBytes {
  explicit AlignedBytes(size_t bytes = 0);

  std::byte *data() { return begin; }
  const std::byte *data() const { return begin; }
  size_t size() const { return bytes; }

private:
  struct Free {
    void operator()(std::byte *data) const;
  };
  std::unique_ptr<std::byte, Free> memory;
  std::byte *begin = nullptr;
  size_t bytes = 0;
};

/// Execution starts at instruction 0. The last one is an exit, so a counter
/// that has come to the end needs no test.
struct Program {
  std::string kernel;
  std::vector<Instruction> instructions;
  std::vector<Detail> details; ///< one an instruction
  std::vector<Slot> slots;
  AlignedBytes constants;
  uint32_t registerBytes = 0;  ///< of a warp's arena
  uint64_t localBytes = 0;     ///< per thread: .local and .param of calls
  uint64_t parameterBytes = 0; ///< of the kernel
  uint64_t sharedBytes = 0;    ///< static ones; dynamic ones follow them
  /// One block may see what another does before the grid ends: an atomic or a
  /// strong access to global memory, or a fence, of the gpu's scope or a wider
  /// one. Such a grid runs in one interleaving.
  bool communicates = false;
  /// It calls malloc or free; it calls vprintf.
  bool usesHeap = false, prints = false;
  /// It uses griddepcontrol.wait.
  bool waitsForPrimary = false;
  /// What payloads point to.
  std::vector<std::shared_ptr<const void>> kept;

  uint32_t index(const Instruction &instruction) const {
    return static_cast<uint32_t>(&instruction - instructions.data());
  }
};

} // namespace cheems::emulator

#endif
