//===- SystemCalls.h - What the driver's functions do -----------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_CALLS_SYSTEMCALLS_H
#define CHEEMS_EMULATOR_CALLS_SYSTEMCALLS_H

#include "Machine/Warp.h"

#include <string>

namespace cheems::emulator {

/// vprintf, malloc, free and __assertfail, for each lane in ascending order.
/// The payload is a SystemCallSite.
Step callSystem(Warp &warp, const Instruction &instruction, LaneMask active);

/// Memory of a thread, by generic addresses; checked as other loads are.
class ThreadMemory {
public:
  ThreadMemory(Warp &warp, const Instruction &instruction, int lane)
      : warp(warp), instruction(instruction), lane(lane) {}

  template <typename T> T load(uint64_t address) const {
    T value;
    read(address, &value, sizeof(value));
    return value;
  }
  /// Up to its terminating zero.
  std::string string(uint64_t address) const;
  [[noreturn]] void fail(std::string rule, const std::string &what) const {
    warp.fail(instruction, std::move(rule), what, lane);
  }

private:
  void read(uint64_t address, void *to, uint16_t bytes) const;

  Warp &warp;
  const Instruction &instruction;
  const int lane;
};

struct Printed {
  std::string text;
  int arguments = 0; ///< that the format has used
};

/// What vprintf makes of a format and of arguments that follow each other in
/// memory, each at a multiple of its size (CUDA C++ Programming Guide,
/// "Formatted Output").
Printed formatted(const ThreadMemory &memory, uint64_t format,
                  uint64_t arguments);

} // namespace cheems::emulator

#endif
