//===- Exits.cpp - ret, exit, trap and brkpt -----------------------------===//
#include "Decode/Decoder.h"
#include "Families.h"
#include "Machine/Warp.h"

#include <bit>

using namespace cheems::emulator;

namespace {

Step end(Warp &warp, const Instruction &instruction, LaneMask active) {
  warp.exit(instruction, active);
  return Step::moved;
}

Step comeBack(Warp &warp, const Instruction &instruction, LaneMask active) {
  warp.returnFromCall(instruction, active);
  return Step::moved;
}

Step trap(Warp &warp, const Instruction &instruction, LaneMask active) {
  warp.fail(instruction, "trap", "the kernel has executed a trap",
            std::countr_zero(active));
}

Step breakpoint(Warp &warp, const Instruction &instruction, LaneMask active) {
  warp.fail(instruction, "breakpoint",
            "the kernel has come to a breakpoint, and there is no debugger",
            std::countr_zero(active));
}

// PTX ISA, "Control Flow Instructions: exit"
void decodeExit(Statement &statement) {
  statement.end(0);
  statement.emit(end, Pipe::control, {});
  statement.decoder.endsPath(statement);
}

/// PTX ISA, "Control Flow Instructions: ret". One in an entry ends the thread.
/// `.uni` promises that all threads of the warp return; nothing here needs it.
void decodeReturn(Statement &statement) {
  statement.take("uni");
  statement.end(0);
  statement.emit(statement.decoder.isInEntry() ? end : comeBack, Pipe::control,
                 {});
  statement.decoder.endsPath(statement);
}

// PTX ISA, "Miscellaneous Instructions: trap": "Abort execution and generate an
// interrupt to the host CPU."
void decodeTrap(Statement &statement) {
  statement.end(0);
  statement.emit(trap, Pipe::control, {});
  statement.decoder.endsPath(statement);
}

/// PTX ISA, "Miscellaneous Instructions: brkpt": "Suspends execution". Kernels
/// have it on paths of failed assertions, which nobody takes.
void decodeBreakpoint(Statement &statement) {
  statement.end(0);
  statement.emit(breakpoint, Pipe::control, {});
}

constexpr Opcode exitsOpcodes[] = {{"exit", decodeExit},
                                   {"ret", decodeReturn},
                                   {"trap", decodeTrap},
                                   {"brkpt", decodeBreakpoint}};

} // namespace

std::span<const Opcode> cheems::emulator::exits() { return exitsOpcodes; }
