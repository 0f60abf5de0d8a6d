//===- Warp.h - 32 threads and their registers ------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_MACHINE_WARP_H
#define CHEEMS_EMULATOR_MACHINE_WARP_H

#include "Decode/Instruction.h"
#include "Decode/Program.h"
#include "Support/Error.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cheems::emulator {

class Block;

/// Special registers that differ from lane to lane, or from warp to warp
/// (Base::warp). Decode/SpecialRegisters.cpp has their names.
struct alignas(64) WarpValues {
  uint32_t tid[3][warpLanes];
  uint32_t laneid[warpLanes];
  uint32_t warpid[warpLanes];
  uint32_t lanemaskEq[warpLanes], lanemaskLt[warpLanes], lanemaskLe[warpLanes],
      lanemaskGt[warpLanes], lanemaskGe[warpLanes];
};

/// Lanes of a warp that are at the same instruction. A warp whose lanes have
/// parted has several groups. The one in the deepest call runs first, and of
/// these the one with the smallest pc: the others stand where it will come.
/// Groups that meet become one.
struct Group {
  uint32_t pc = 0; ///< of the running group: where it was when it began to run
  LaneMask mask = 0;
  uint32_t depth = 0; ///< of calls
  enum class State : uint8_t {
    ready,
    waits,     ///< until *word is not `old`; then goes on after its instruction
    converges, ///< until lanes come to its instruction, or exit
  } state = State::ready;
  const uint64_t *word = nullptr;
  uint64_t old = 0;

  bool isAwake() const {
    return state == State::ready || (state == State::waits && *word != old);
  }
};

class Warp {
public:
  Warp(Block &block, uint32_t index, LaneMask threads);
  Warp(const Warp &) = delete;
  Warp &operator=(const Warp &) = delete;

  Block &block;
  const uint32_t index; ///< in its block

  // -- Operands

  /// The 32 elements of an operand.
  template <typename T>
  [[gnu::always_inline]] const T *source(Slot slot) const {
    return reinterpret_cast<const T *>(bases[size_t(slot.base())] +
                                       slot.offset());
  }
  /// Only elements of active lanes may be changed.
  template <typename T> [[gnu::always_inline]] T *destination(Slot slot) {
    return reinterpret_cast<T *>(bases[size_t(slot.base())] + slot.offset());
  }
  /// A bit a lane; those of lanes that are not active mean nothing.
  [[gnu::always_inline]] LaneMask predicate(Slot slot) const {
    LaneMask mask = *source<LaneMask>(slot);
    return slot.negated() ? ~mask : mask;
  }
  [[gnu::always_inline]] void setPredicate(Slot slot, LaneMask value,
                                           LaneMask active) {
    LaneMask *mask = destination<LaneMask>(slot);
    *mask = (*mask & ~active) | (value & active);
  }

  // -- Lanes

  /// Those that have not exited.
  LaneMask live() const { return liveLanes; }
  /// Those that are at this instruction together: active ones, and those whose
  /// guard does not hold.
  LaneMask together() const { return groups[running].mask; }

  /// For instructions with .aligned: true if all live lanes execute it. False
  /// if the handler must return Step::converge. A guard that parts the lanes
  /// is a Finding.
  bool isAligned(const Instruction &instruction, LaneMask active);
  /// For instructions with a membermask: as isAligned, for the live lanes of
  /// `members`. An active lane that is no member is a Finding.
  bool areHere(const Instruction &instruction, LaneMask active,
               LaneMask members);
  /// Does what areHere does, for instructions that lanes may execute at several
  /// places: groups that have come to another instruction for which `same`
  /// holds are here, too. `others` has a bit for each of these. If all lanes
  /// are here, the handler calls goOn or waitWith for them.
  template <typename F>
  bool areSomewhere(const Instruction &instruction, LaneMask active,
                    LaneMask members, F same, uint32_t &others) {
    others = 0;
    if (areHere(instruction, active, members)) {
      return true;
    }
    LaneMask here = active;
    for (int i = 0; i < groupCount; ++i) {
      if (i != running && groups[i].state == Group::State::converges &&
          same(instructions[groups[i].pc], groups[i].mask)) {
        here |= groups[i].mask;
        others |= 1u << i;
      }
    }
    return !(members & liveLanes & ~here);
  }
  /// These groups go on after their instructions, now or when `word` changes.
  void goOn(uint32_t others);
  void waitWith(uint32_t others, const uint64_t &word);

  // -- Control

  /// Lanes of the running group go to `target`, the others of it to the
  /// instruction after. The handler returns Step::moved.
  void branch(const Instruction &instruction, LaneMask lanes, uint32_t target) {
    if (lanes != groups[running].mask || groupCount != 1) {
      split(instruction, lanes, target);
      return;
    }
    backward += target <= numberOf(instruction);
    groups[running].pc = target;
  }
  /// Does what branch does, each lane to its own target.
  void branchEach(const Instruction &instruction, LaneMask lanes,
                  const uint32_t *targets);
  /// Lanes end. The handler returns Step::moved.
  void exit(const Instruction &instruction, LaneMask lanes);
  /// The running group sleeps until `word` changes; a barrier's phase, say.
  Step waitFor(const uint64_t &word);

  /// Lanes go to their targets and come back after the instruction. The
  /// handlers return Step::moved. A return without a call is an exit.
  void call(const Instruction &instruction, LaneMask lanes,
            const uint32_t *targets);
  void returnFromCall(const Instruction &instruction, LaneMask lanes);

  /// Something happened that others may have waited for: memory has changed, a
  /// barrier has moved on. A machine where nothing of this happens while warps
  /// poll is in a deadlock.
  void progressed(); // in Block.h
  /// The instruction asks for something that only others can change: a strong
  /// load, an atomic that changed nothing, a test of a barrier. A loop that
  /// does so gives way to other groups and warps each time it starts again.
  void polled() { ++polls; }

  /// Instructions that the warp has executed before this one: the clock of
  /// %clock64.
  uint64_t clock(const Instruction &instruction) const {
    return executed + static_cast<uint64_t>(&instruction - segment);
  }

  // -- Reports

  Place place(const Instruction &instruction, int lane = -1) const;
  [[noreturn]] void fail(const Instruction &instruction, std::string rule,
                         const std::string &what, int lane = -1,
                         std::optional<uint64_t> address = std::nullopt) const;

  // -- For the scheduler

  /// Executes at most about `quantum` instructions. False: no group could run.
  bool run(int64_t quantum);
  bool isDone() const { return liveLanes == 0; }
  bool isAwake() const;
  const Group *begin() const { return groups.data(); }
  const Group *end() const { return groups.data() + groupCount; }
  /// All that determines what the warp does as long as memory does not change:
  /// registers, and where lanes are.
  std::vector<std::byte> state() const;
  /// Whether it is in that state. A warp in which several groups can run never
  /// is, because the order of these is no part of it.
  bool isIn(const std::vector<std::byte> &state) const;
  /// Who waits for what, a line a group.
  std::string describe() const;

  /// A thread's local memory.
  std::byte *local(int lane);

  uint64_t polls = 0; ///< since the warp was made

  // -- For barriers (Machine/Barriers.h)

  uint64_t clusterArrivals = 0; ///< barrier.cluster.arrive
  uint64_t clusterWaits = 0;    ///< barrier.cluster.wait
  /// What the last bar.red whose barrier has completed counted: threads with a
  /// true predicate, and all threads.
  uint32_t reducedTrue = 0, reducedThreads = 0;

private:
  uint32_t numberOf(const Instruction &instruction) const {
    return static_cast<uint32_t>(&instruction - instructions);
  }
  bool pick();
  /// The next instruction at which the running group meets another one.
  uint32_t meetingPoint(uint32_t pc) const;
  /// Groups that stand where `group` does become part of it.
  void absorb(int group);
  void split(const Instruction &instruction, LaneMask lanes, uint32_t target);
  void descend(const Instruction &instruction, LaneMask lanes, uint32_t depth);
  void remove(int group);
  /// Another group that can run does so next.
  void giveWay();

  std::byte *bases[4];
  const Instruction *const instructions;
  /// The instruction at which the running group began to run.
  const Instruction *segment;
  LaneMask liveLanes;
  int running = 0;
  int groupCount = 1;
  int preferred = -1; ///< the group that runs although it is not the first
  int backward = 0;   ///< branches back since another group ran
  uint64_t executed = 0;
  std::array<Group, warpLanes> groups;
  std::vector<std::array<uint32_t, warpLanes>> returns; ///< by depth
  std::array<uint32_t, warpLanes> depths{};

  friend class Block;
};

} // namespace cheems::emulator

#endif
