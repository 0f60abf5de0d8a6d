//===- SystemCalls.h - Functions that the driver defines --------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DECODE_SYSTEMCALLS_H
#define CHEEMS_EMULATOR_DECODE_SYSTEMCALLS_H

#include "PTX/Syntax.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cheems::emulator {

/// A function that modules declare .extern and the driver defines (PTX Writer's
/// Guide to Interoperability, "System Calls").
struct SystemCall {
  enum class Kind : uint8_t { print, allocate, free, fail } kind;
  std::string_view name;
  /// Bytes of its result; 0: it has none.
  uint32_t result;
  /// Bytes of its parameters.
  std::vector<uint32_t> parameters;
  /// The order in which blocks call it can be seen.
  bool communicates;
};

/// Null: the function has a body, or the driver does not define it. Throws
/// Refusal if it is declared with other parameters.
const SystemCall *systemCall(const ptx::Function &function);

/// The payload of the instruction that executes a system call. Slots: the frame
/// pointer.
struct SystemCallSite {
  SystemCall::Kind kind;
  uint64_t callee = 0; ///< where its frame begins in the caller's
  uint32_t result = 0; ///< offset in its frame
  std::array<uint32_t, 5> parameters{};
};

} // namespace cheems::emulator

#endif
