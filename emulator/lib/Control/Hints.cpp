//===- Hints.cpp - nanosleep and pmevent ---------------------------------===//
#include "Families.h"
#include "Machine/Warp.h"

using namespace cheems::emulator;

namespace {

/// PTX ISA, "Miscellaneous Instructions: nanosleep": the duration is "in the
/// interval [0, 2*t]", so others may run, but need not. Who sleeps waits for
/// something that others do.
Step sleep(Warp &warp, const Instruction &, LaneMask) {
  warp.polled();
  return Step::yield;
}

void decodeSleep(Statement &statement) {
  statement.takeType({Type::u32});
  statement.end(1);
  statement.source(0, Type::u32);
  statement.emit(sleep, Pipe::control, {});
}

/// PTX ISA, "Miscellaneous Instructions: pmevent": it triggers events of
/// counters that a kernel does not see.
Step ignore(Warp &, const Instruction &, LaneMask) { return Step::next; }

void decodeEvent(Statement &statement) {
  const bool isMask = statement.take("mask");
  statement.end(1);
  const int64_t event = statement.immediate(0);
  if (event < 0 || event > (isMask ? 0xffff : 15)) {
    statement.refuse(isMask ? "its mask has more than 16 bits"
                            : "events have the numbers 0 to 15");
  }
  statement.emit(ignore, Pipe::control, {});
}

constexpr Opcode hintsOpcodes[] = {{"nanosleep", decodeSleep},
                                   {"pmevent", decodeEvent}};

} // namespace

std::span<const Opcode> cheems::emulator::hints() { return hintsOpcodes; }
