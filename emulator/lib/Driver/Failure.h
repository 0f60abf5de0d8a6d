//===- Failure.h - How entry points fail ------------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DRIVER_FAILURE_H
#define CHEEMS_EMULATOR_DRIVER_FAILURE_H

#include "Enumerations.h"

#include <concepts>
#include <string>

namespace cheems::emulator::driver {

/// Thrown inside the driver; the entry point answers `code`.
struct Failure {
  CUresult code;
};

[[noreturn]] inline void fail(CUresult code) { throw Failure{code}; }

/// Pointers are tested by `require(pointer)`.
template <typename Condition>
void require(const Condition &holds, CUresult code = CUDA_ERROR_INVALID_VALUE) {
  if (!holds) {
    fail(code);
  }
}

/// Prints a line where findings go (CHEEMS_EMULATOR_REPORT, else stderr).
void note(const std::string &line);
/// Does what note does, but prints each text only once in the life of the
/// process.
void noteOnce(const std::string &line);

} // namespace cheems::emulator::driver

#endif
