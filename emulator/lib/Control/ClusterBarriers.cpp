//===- ClusterBarriers.cpp - barrier.cluster -----------------------------===//
#include "Families.h"
#include "Machine/Barriers.h"
#include "Machine/Block.h"

#include <bit>

using namespace cheems::emulator;

// PTX ISA, "Parallel Synchronization and Communication Instructions:
// barrier.cluster"
namespace {

enum class Use { arrive, arriveRelaxed, wait };

template <Use use> Step meet(Warp &warp, const Instruction &instruction) {
  if constexpr (use == Use::wait) {
    return waitForCluster(warp, instruction);
  } else {
    arriveAtCluster(warp, instruction,
                    use == Use::arriveRelaxed ? Semantics::relaxed
                                              : Semantics::release);
    return Step::next;
  }
}

template <Use use>
Step aligned(Warp &warp, const Instruction &instruction, LaneMask active) {
  if (active != warp.together()) {
    warp.fail(instruction, "divergent-barrier",
              "the guard of an aligned barrier parts the threads of a warp",
              std::countr_zero(warp.together() & ~active));
  }
  return warp.isAligned(instruction, active) ? meet<use>(warp, instruction)
                                             : Step::converge;
}

/// "In addition, barrier.cluster instructions cause the executing thread to
/// wait for all non-exited threads from its warp."
template <Use use>
Step unaligned(Warp &warp, const Instruction &instruction, LaneMask active) {
  if (active != warp.together()) {
    warp.branch(instruction, active,
                warp.block.program().index(instruction)); // alone
    return Step::moved;
  }
  auto same = [](const Instruction &other, LaneMask) {
    return other.handler == unaligned<use>;
  };
  uint32_t others = 0;
  if (!warp.areSomewhere(instruction, active, allLanes, same, others)) {
    return Step::converge;
  }
  const Step step = meet<use>(warp, instruction);
  if (step == Step::wait) {
    warp.waitWith(others, warp.block.cluster->barrier.phase);
  } else {
    warp.goOn(others);
  }
  return step;
}

void decode(Statement &statement) {
  statement.take("cluster");
  const bool isAligned = statement.take("aligned");
  const bool waits = statement.takeOne({"arrive", "wait"}) == "wait";
  const bool relaxed =
      statement.takeAny(waits
                            ? std::initializer_list<std::string_view>{"acquire"}
                            : std::initializer_list<std::string_view>{
                                  "release", "relaxed"}) == "relaxed";
  statement.end(0);
  if (statement.architecture() < 90) {
    statement.refuse("it is for sm_90 and later");
  }
  Handler handler;
  if (isAligned) {
    handler = waits     ? aligned<Use::wait>
              : relaxed ? aligned<Use::arriveRelaxed>
                        : aligned<Use::arrive>;
  } else {
    handler = waits     ? unaligned<Use::wait>
              : relaxed ? unaligned<Use::arriveRelaxed>
                        : unaligned<Use::arrive>;
  }
  statement.emit(handler, Pipe::control, {});
}

constexpr Opcode clusterBarriersOpcodes[] = {{"barrier", decode, "cluster"}};

} // namespace

std::span<const Opcode> cheems::emulator::clusterBarriers() {
  return clusterBarriersOpcodes;
}
