//===- GridDependencies.cpp - griddepcontrol -----------------------------===//
#include "cheems/Emulator/Control/Families.h"
#include "cheems/Emulator/Machine/Block.h"

using namespace cheems::emulator;

// PTX ISA, "Parallel Synchronization and Communication Instructions:
// griddepcontrol"
namespace {

Step waitForPrimary(Warp &warp, const Instruction &, LaneMask) {
  GridContext &grid = warp.block.grid;
  return grid.waitsForPrimary ? warp.waitFor(grid.primaryFinished) : Step::next;
}

/// "There is no guarantee that the dependent will launch before the completion
/// of the current grid." The driver starts a dependent grid first, as far as it
/// comes, so it needs no signal.
Step launchDependents(Warp &, const Instruction &, LaneMask) {
  return Step::next;
}

void decode(Statement &statement) {
  const bool waits = statement.takeOne({"launch_dependents", "wait"}) == "wait";
  statement.end(0);
  if (statement.architecture() < 90) {
    statement.refuse("it is for sm_90 and later");
  }
  if (waits) {
    statement.waitsForPrimary();
  }
  statement.emit(waits ? waitForPrimary : launchDependents, Pipe::control, {});
}

constexpr Opcode opcodes[] = {{"griddepcontrol", decode}};

} // namespace

std::span<const Opcode> cheems::emulator::gridDependencies() { return opcodes; }
