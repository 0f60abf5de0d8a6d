//===- GridDependencies.cpp - griddepcontrol -----------------------------===//
#include "Families.h"
#include "Machine/Block.h"

using namespace cheems::emulator;

// PTX ISA, "Parallel Synchronization and Communication Instructions:
// griddepcontrol"
namespace {

Step waitForPrimary(Warp &warp, const Instruction &, LaneMask) {
  GridContext &grid = warp.block.grid;
  return grid.waitsForPrimary ? warp.waitFor(grid.primaryFinished) : Step::next;
}

/// Dependents "can be scheduled as soon as all other CTAs in the grid issue the
/// same instruction or have completed"; "repeated invocations have no
/// additional side effects". The rest of the grid runs later if it can, so that
/// a dependent that does not wait reads old values.
Step launchDependents(Warp &warp, const Instruction &, LaneMask) {
  Block &block = warp.block;
  if (block.hasReleased) {
    return Step::next;
  }
  block.hasReleased = true;
  ++block.grid.released;
  return block.grid.launch.pausesAtRelease ? Step::yield : Step::next;
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

constexpr Opcode gridDependenciesOpcodes[] = {{"griddepcontrol", decode}};

} // namespace

std::span<const Opcode> cheems::emulator::gridDependencies() {
  return gridDependenciesOpcodes;
}
