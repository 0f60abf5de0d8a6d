//===- Warpgroup.h - wgmma operations in flight -----------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_TENSORCORE_WARPGROUP_H
#define CHEEMS_EMULATOR_TENSORCORE_WARPGROUP_H

#include "Machine/Block.h"
#include "Wgmma.h"

#include <deque>
#include <unordered_map>
#include <vector>

namespace cheems::emulator {

/// Registers of a warp, by the place of each in its arena.
class RegisterSet {
public:
  void insert(Slot slot);
  void insert(const RegisterSet &other);
  bool meets(const RegisterSet &other) const;
  void clear() { words.clear(); }

private:
  std::vector<uint64_t> words;
};

/// wgmma.mma_async of the warps of a block (PTX ISA, "Asynchronous Warpgroup
/// Level Matrix Multiply-Accumulate Instructions").
///
/// An operation is whole when all four warps of the warpgroup have issued it;
/// no warp waits for the others there. It takes effect then (early), or when
/// one of the four waits for it (late): kernels of CUTLASS give operands free
/// as soon as one of the four warps has waited, so an operation ends for all
/// warps at once.
class WarpgroupMatmuls : public BlockExtension {
public:
  explicit WarpgroupMatmuls(Block &block);

  Step issue(Warp &warp, const Instruction &instruction);
  Step fence(Warp &warp);
  Step commit(Warp &warp);
  /// Waits until at most `pending` groups are.
  Step wait(Warp &warp, const Instruction &instruction, size_t pending);
  /// The next instruction accesses registers that are operands of some wgmma.
  /// `drains`: the assembler waits there by itself.
  Step touch(Warp &warp, const Instruction &instruction, bool drains);

  bool advance(Block &block) override;
  void finish(Block &block) override;
  std::string describe(Block &block) override;

private:
  struct Operation {
    const Instruction *instruction;
    uint64_t a, b; ///< descriptors
    bool accumulate;
    uint64_t number = 0; ///< Block::asyncOperations
  };
  struct Member {
    uint64_t issued = 0;         ///< operations so far
    std::deque<uint64_t> groups; ///< where each committed one ends
    uint64_t waited = 0;         ///< operations that it has waited for
    bool fenced = false;         ///< once
    RegisterSet busy;            ///< of operations in flight
    RegisterSet touched;         ///< since the last fence
    /// Accumulators of wgmma since the last fence, and their shape (n, k).
    RegisterSet accumulators;
    std::pair<int, int> shape;
    // While it sleeps:
    const Instruction *waits = nullptr;
    uint64_t needed = 0;
    uint64_t awake = 0; ///< the word that it sleeps on
  };
  struct Group {
    uint64_t first = 0; ///< the number of operations.front()
    uint64_t done = 0;  ///< operations that have taken effect
    std::deque<Operation> operations;
    Member members[warpgroupWarps];

    uint64_t whole() const; ///< operations that all four have issued
  };
  /// Registers of a wgmma.
  struct Registers {
    RegisterSet accumulators, fragments, all;
  };

  Group &groupOf(const Warp &warp) { return groups[warp.index / 4]; }
  Member &memberOf(const Warp &warp) {
    return groupOf(warp).members[warp.index % 4];
  }
  const Registers &registersOf(const Instruction &instruction);
  void checkOrder(Warp &warp, const Instruction &instruction);
  Operation operandsOf(Warp &warp, const Instruction &instruction);
  void checkEqual(Warp &warp, const Operation &first, const Operation &mine);
  Step waitUntil(Warp &warp, const Instruction &instruction, uint64_t target);
  /// Operations up to `target` take effect. `warp` is any of the warpgroup.
  void run(Warp &warp, uint64_t target);
  void execute(Warp &warp, const Operation &operation);
  /// `warp` goes on: it has waited for all operations up to `target`.
  void release(Warp &warp, const Instruction &instruction, uint64_t target);
  void wake(Group &group, uint32_t firstWarp);

  Block &block;
  std::vector<Group> groups;
  std::unordered_map<const Instruction *, Registers> registers;
  std::vector<float> room;
};

} // namespace cheems::emulator

#endif
