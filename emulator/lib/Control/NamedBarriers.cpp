//===- NamedBarriers.cpp - bar and barrier -------------------------------===//
#include "Families.h"
#include "Machine/Barriers.h"
#include "Machine/Block.h"

#include <bit>

using namespace cheems::emulator;

// PTX ISA, "Parallel Synchronization and Communication Instructions: bar,
// barrier"
namespace {

/// The value of an operand that a barrier needs once for the whole warp.
uint32_t sameForAll(Warp &warp, const Instruction &instruction, Slot slot,
                    LaneMask active, const char *what) {
  const uint32_t *values = warp.source<uint32_t>(slot);
  const uint32_t value = values[std::countr_zero(active)];
  if (slot.base() == Base::constants) {
    return value;
  }
  for (LaneMask rest = active; rest; rest &= rest - 1) {
    if (values[std::countr_zero(rest)] != value) {
      warp.fail(instruction, "divergent-barrier",
                std::string("threads of a warp have different ") + what +
                    " at a barrier",
                std::countr_zero(rest));
    }
  }
  return value;
}

/// slots: number, threads, and of bar.red the predicate
template <BarrierUse use>
Step meet(Warp &warp, const Instruction &instruction, LaneMask active,
          uint32_t number) {
  const uint32_t threads =
      sameForAll(warp, instruction, instruction.slots[1], active, "counts");
  if (use == BarrierUse::arrive && !threads) {
    warp.fail(instruction, "barrier-count",
              "bar.arrive needs a count of threads that is not zero");
  }
  const LaneMask predicate =
      use == BarrierUse::reduce ? warp.predicate(instruction.slots[2]) : 0;
  return meetAtBarrier(warp, instruction, number, threads, use, predicate);
}

/// "In conditionally executed code, an aligned barrier{.cta} instruction should
/// only be used if it is known that all threads in CTA evaluate the condition
/// identically, otherwise behavior is undefined."
template <BarrierUse use>
Step aligned(Warp &warp, const Instruction &instruction, LaneMask active) {
  if (active != warp.together()) {
    warp.fail(instruction, "divergent-barrier",
              "the guard of an aligned barrier parts the threads of a warp",
              std::countr_zero(warp.together() & ~active));
  }
  if (!warp.isAligned(instruction, active)) {
    return Step::converge;
  }
  return meet<use>(
      warp, instruction, active,
      sameForAll(warp, instruction, instruction.slots[0], active, "numbers"));
}

/// "barrier{.cta} instruction causes executing thread to wait for all
/// non-exited threads from its warp and marks warps' arrival at barrier." They
/// may come to different instructions.
template <BarrierUse use>
Step unaligned(Warp &warp, const Instruction &instruction, LaneMask active) {
  if (active != warp.together()) {
    warp.branch(instruction, active,
                warp.block.program().index(instruction)); // alone
    return Step::moved;
  }
  const uint32_t number =
      sameForAll(warp, instruction, instruction.slots[0], active, "numbers");
  auto same = [&](const Instruction &other, LaneMask lanes) {
    return other.handler == unaligned<use> &&
           warp.source<uint32_t>(other.slots[0])[std::countr_zero(lanes)] ==
               number;
  };
  uint32_t others = 0;
  if (!warp.areSomewhere(instruction, active, allLanes, same, others)) {
    return Step::converge;
  }
  const Step step = meet<use>(warp, instruction, active, number);
  if (step == Step::wait) {
    warp.waitWith(others, warp.block.barriers[number].phase);
  } else {
    warp.goOn(others);
  }
  return step;
}

/// What bar.red gives, when the warp goes on. slots: d or p
Step population(Warp &warp, const Instruction &instruction, LaneMask active) {
  uint32_t *to = warp.destination<uint32_t>(instruction.slots[0]);
  for (LaneMask rest = active; rest; rest &= rest - 1) {
    to[std::countr_zero(rest)] = warp.reducedTrue;
  }
  return Step::next;
}
template <bool all>
Step truth(Warp &warp, const Instruction &instruction, LaneMask active) {
  const bool result =
      all ? warp.reducedTrue == warp.reducedThreads : warp.reducedTrue != 0;
  warp.setPredicate(instruction.slots[0], result ? allLanes : 0, active);
  return Step::next;
}

template <BarrierUse use> Handler handlerOf(bool isAligned) {
  return isAligned ? aligned<use> : unaligned<use>;
}

void emitReduction(Statement &statement, bool isAligned) {
  const std::string_view operation = statement.takeOne({"popc", "and", "or"});
  const bool counts = operation == "popc";
  statement.takeType({counts ? Type::u32 : Type::pred});
  statement.end(3, 4);
  const size_t last = statement.operands() - 1;
  const Slot number = statement.source(1, Type::u32);
  const Slot threads =
      last == 3 ? statement.source(2, Type::u32) : statement.constant(0, 32);
  const Slot predicate = statement.predicate(last);
  const Slot result = counts ? statement.destination(0, Type::u32)
                             : statement.predicateDestination(0);
  statement.emit(handlerOf<BarrierUse::reduce>(isAligned), Pipe::control,
                 {number, threads, predicate});
  statement.emit(counts               ? population
                 : operation == "and" ? truth<true>
                                      : truth<false>,
                 Pipe::none, {result});
}

void decode(Statement &statement, bool isAligned) {
  statement.take("cta");
  const std::string_view use = statement.takeOne({"sync", "arrive", "red"});
  if (use == "red") {
    emitReduction(statement, isAligned);
    return;
  }
  const bool sync = use == "sync";
  statement.end(sync ? 1 : 2, 2);
  const Slot number = statement.source(0, Type::u32);
  const Slot threads = statement.operands() == 2
                           ? statement.source(1, Type::u32)
                           : statement.constant(0, 32);
  statement.emit(sync ? handlerOf<BarrierUse::sync>(isAligned)
                      : handlerOf<BarrierUse::arrive>(isAligned),
                 Pipe::control, {number, threads});
}

/// "bar{.cta}.sync is equivalent to barrier{.cta}.sync.aligned."
void decodeBar(Statement &statement) { decode(statement, true); }
void decodeBarrier(Statement &statement) {
  decode(statement, statement.take("aligned"));
}

constexpr Opcode namedBarriersOpcodes[] = {{"bar", decodeBar},
                                           {"barrier", decodeBarrier}};

} // namespace

std::span<const Opcode> cheems::emulator::namedBarriers() {
  return namedBarriersOpcodes;
}
