//===- Error.h - Why the program ends -----------------------------*- C++
//-*-===//
#ifndef CHEEMS_EMULATOR_TOOLS_CHEEMS_PTX_RUN_ERROR_H
#define CHEEMS_EMULATOR_TOOLS_CHEEMS_PTX_RUN_ERROR_H

#include <stdexcept>
#include <string>

namespace cheems::ptxrun {

/// Values are exit codes.
enum class Status { ok = 0, failed = 1, usage = 2, unsupported = 3 };

struct Error : std::runtime_error {
  Status status;
  Error(Status status, const std::string &message)
      : std::runtime_error(message), status(status) {}
  /// A plain failure.
  explicit Error(const std::string &message) : Error(Status::failed, message) {}
};

} // namespace cheems::ptxrun

#endif
