//===- Clock.cpp - %clock, %clock64, %globaltimer and their halves ------===//
#include "Families.h"
#include "Lanes/Loop.h"

using namespace cheems::emulator;

namespace {

// PTX ISA, "Special Registers: %clock, %clock_hi" and "%clock64": halves of one
// counter. The payload is how far the half is shifted. "%globaltimer" is the
// same counter: a nanosecond is an instruction of the warp, so that a run does
// not depend on the host's time.
template <typename T>
Step readClock(Warp &warp, const Instruction &instruction, LaneMask active) {
  auto value = static_cast<T>(warp.clock(instruction) >> instruction.payload);
  T *destination = warp.destination<T>(instruction.slots[0]);
  forLanes(active, [&](int lane) { destination[lane] = value; });
  return Step::next;
}

void decodeLow(Statement &statement) {
  statement.end(1);
  statement.emit(readClock<uint32_t>, Pipe::none,
                 {statement.destination(0, Type::b32)});
}
void decodeHigh(Statement &statement) {
  statement.end(1);
  statement.emit(readClock<uint32_t>, Pipe::none,
                 {statement.destination(0, Type::b32)}, 32);
}
void decodeWhole(Statement &statement) {
  statement.end(1);
  statement.emit(readClock<uint64_t>, Pipe::none,
                 {statement.destination(0, Type::b64)});
}

// The decoder asks for these; no text can.
constexpr Opcode clocksOpcodes[] = {
    {"%clock", decodeLow},          {"%clock_hi", decodeHigh},
    {"%clock64", decodeWhole},      {"%globaltimer", decodeWhole},
    {"%globaltimer_lo", decodeLow}, {"%globaltimer_hi", decodeHigh}};

} // namespace

std::span<const Opcode> cheems::emulator::clocks() { return clocksOpcodes; }
