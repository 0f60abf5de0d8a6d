//===- Calls.h - What calls of functions become -----------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DECODE_CALLS_H
#define CHEEMS_EMULATOR_DECODE_CALLS_H

#include "Instruction.h"

#include <cstdint>
#include <vector>

/// Functions keep .param and .local variables in frames of a thread's local
/// memory (PTX ISA, "Call" and "Parameter State Space"). The frame of an entry
/// begins at 0, that of a callee where its caller's ends. The frame pointer is
/// a register of 32 bits at the begin of the warp's arena, and zero at start. A
/// callee's frame begins with its results, then its parameters, so a caller
/// needs not know which function a register means.
///
/// `@p call (r), f, (a);` becomes, in this order:
///
///     skip      lanes without p jump over all of it (only with a guard)
///     arguments .param variables and registers are copied to the callee
///     save      registers that are needed afterwards, if f may call its caller
///     call      the frame pointer moves on; lanes go to the function
///     leave     (they have returned) the frame pointer moves back
///     restore   what was saved
///     results   are copied from the callee
///
/// A system call (Decode/SystemCalls.h) is one instruction in the place of
/// `save` to `restore`. Its frame lies where a callee's would.
///
/// A function begins by taking from its frame what it has in registers (PTX
/// ISA, "Call": .reg parameters), and each `ret` puts its results there.
///
/// Payloads of these instructions are the structs below.
namespace cheems::emulator {

/// The payload of `arguments` and `results` in memory. The slot is the frame
/// pointer.
struct FrameTransfer {
  uint64_t callee = 0; ///< where the callee's frame begins in the caller's
  struct Piece {
    uint32_t caller, callee; ///< offsets in their frames
    uint32_t bytes;
  };
  std::vector<Piece> pieces;
};

/// The payload of an argument or a result in a register. The slots are the
/// frame pointer and the register.
struct FrameRegister {
  uint64_t callee = 0;
  uint32_t offset = 0; ///< in the callee's frame, or in its own
  uint32_t bytes = 0;
  uint32_t stride = 0; ///< bytes of a register's element
};

/// The payload of `save` and `restore`. The slots are the frame pointer and the
/// registers.
struct SavedRegisters {
  uint64_t offset = 0;       ///< in the frame
  std::vector<uint8_t> bits; ///< of each register; 1: a predicate takes a byte
};

/// The payload of `call` and `leave`. The slots are the frame pointer and, if
/// the callee is in a register, that register.
struct CallSite {
  struct Callee {
    uint32_t begin = 0; ///< its first instruction
    uint64_t frameBytes = 0;
    uint64_t interfaceBytes = 0; ///< of results and parameters
    /// The bytes of its frame and of the largest interface of a function after
    /// it: arguments are written before a call.
    uint64_t roomBytes = 0;
    bool isDecoded = false;
  };
  uint64_t frameBytes = 0; ///< the caller's
  uint64_t interfaceBytes = 0;
  /// The callee alone, or all functions of the module: a function's address is
  /// functionAddressBase plus its number times functionAddressStep.
  std::vector<Callee> callees;
};

/// What executes these instructions (Control/Calls.cpp).
struct CallHandlers {
  Handler skip, copyArguments, storeArgument, save, call, callRegister, leave,
      restore, copyResults, loadResult, system;
};

} // namespace cheems::emulator

#endif
