//===- RegisterPools.cpp - setmaxnreg ------------------------------------===//
#include "Families.h"
#include "Machine/Block.h"

#include <bit>

using namespace cheems::emulator;

// PTX ISA, "Miscellaneous Instructions: setmaxnreg"
namespace {

constexpr uint32_t warpsOfGroup = 4;
/// Least, most and unit of a count: "in the range 24 to 256 (both inclusive)
/// and must be a multiple of 8".
constexpr int64_t least = 24, most = 256, unit = 8;

/// "A pool of available registers is maintained per-CTA." It counts registers
/// of a thread, times warps.
class RegisterPool : public BlockExtension {
public:
  explicit RegisterPool(Block &block)
      : limit(block.grid.launch.kernel->registerLimit),
        warps(block.warps.size(), {limit, 0, nullptr}) {}

  /// "Otherwise, the setmaxnreg instruction may have no effect."
  bool hasEffect() const { return limit != 0; }

  void release(Warp &warp, const Instruction &instruction, int count) {
    Owner &owner = warps[warp.index];
    if (count > owner.registers) {
      warp.fail(instruction, "register-balance",
                "setmaxnreg.dec to " + std::to_string(count) +
                    " registers, but the warp has only " +
                    std::to_string(owner.registers));
    }
    free += owner.registers - count;
    owner.registers = count;
    ++changes;
    warp.progressed();
  }

  /// False: the pool has too few.
  bool request(Warp &warp, const Instruction &instruction, int count) {
    Owner &owner = warps[warp.index];
    if (count < owner.registers) {
      warp.fail(instruction, "register-balance",
                "setmaxnreg.inc to " + std::to_string(count) +
                    " registers, but the warp has " +
                    std::to_string(owner.registers) + " already");
    }
    const int more = count - owner.registers;
    if (more > free) {
      return false;
    }
    free -= more;
    owner.registers = count;
    return true;
  }

  /// "The same setmaxnreg instruction must be executed by all warps in a
  /// warpgroup": the n-th of each warp does the same. It may stand elsewhere in
  /// the text: warps of one group that a compiler has given different work do
  /// so on GPUs.
  void checkGroup(Warp &warp, const Instruction &instruction) {
    Owner &owner = warps[warp.index];
    ++owner.executed;
    owner.last = &instruction;
    const uint32_t first = warp.index / warpsOfGroup * warpsOfGroup;
    for (uint32_t i = first; i < first + warpsOfGroup && i < warps.size();
         ++i) {
      if (warps[i].executed == owner.executed &&
          (warps[i].last->handler != instruction.handler ||
           warps[i].last->payload != instruction.payload)) {
        warp.fail(instruction, "register-balance",
                  "warp " + std::to_string(i) +
                      " of the same warpgroup has executed the setmaxnreg of "
                      "line " +
                      std::to_string(warps[i].last->line) + " instead");
      }
    }
  }

  void finish(Block &block) override {
    for (uint32_t i = 0; i < warps.size(); ++i) {
      const uint32_t first = i / warpsOfGroup * warpsOfGroup;
      if (warps[i].executed > warps[first].executed) {
        block.warps[i].fail(*warps[i].last, "register-balance",
                            "not all warps of the warpgroup have executed this "
                            "setmaxnreg");
      }
      if (warps[i].executed < warps[first].executed) {
        block.warps[first].fail(*warps[first].last, "register-balance",
                                "not all warps of the warpgroup have executed "
                                "this setmaxnreg");
      }
    }
  }

  std::string describe(Block &) override {
    return free || changes ? "registers of a thread, times warps, that are "
                             "free in the block's pool: " +
                                 std::to_string(free) + "\n"
                           : "";
  }

  uint64_t changes = 0; ///< of the pool

private:
  struct Owner {
    int registers;
    uint64_t executed;
    const Instruction *last;
  };
  const int limit;
  int free = 0;
  std::vector<Owner> warps;
};

bool isTogether(Warp &warp, const Instruction &instruction, LaneMask active) {
  return warp.isAligned(instruction, active);
}

Step release(Warp &warp, const Instruction &instruction, LaneMask active) {
  if (!isTogether(warp, instruction, active)) {
    return Step::converge;
  }
  auto &pool = warp.block.extension<RegisterPool>();
  pool.checkGroup(warp, instruction);
  if (pool.hasEffect()) {
    pool.release(warp, instruction, static_cast<int>(instruction.payload));
  }
  return Step::next;
}

/// It waits in two instructions: this one sleeps until the pool has changed,
/// and the next one, which gets the registers, comes back here if others were
/// faster.
Step request(Warp &warp, const Instruction &instruction, LaneMask active) {
  if (!isTogether(warp, instruction, active)) {
    return Step::converge;
  }
  auto &pool = warp.block.extension<RegisterPool>();
  if (!pool.hasEffect() ||
      pool.request(warp, instruction, static_cast<int>(instruction.payload))) {
    pool.checkGroup(warp, instruction);
    const uint32_t here = warp.block.program().index(instruction);
    warp.branch(instruction, active, here + 2);
    return Step::moved;
  }
  return warp.waitFor(pool.changes);
}
Step requestAgain(Warp &warp, const Instruction &instruction, LaneMask active) {
  const uint32_t here = warp.block.program().index(instruction);
  warp.branch(instruction, active, here - 1);
  return Step::moved;
}

void decode(Statement &statement) {
  const bool more = statement.takeOne({"inc", "dec"}) == "inc";
  statement.takeOne({"sync"});
  statement.takeOne({"aligned"});
  statement.takeType({Type::u32});
  statement.end(1);
  if (statement.architecture() < 90) {
    statement.refuse("it is for sm_90a and later");
  }
  const int64_t count = statement.immediate(0);
  if (count < least || count > most || count % unit) {
    statement.refuse("the number of registers must be a multiple of 8 from 24 "
                     "to 256");
  }
  if (statement.syntax.guard) {
    statement.notModelled("setmaxnreg with a guard");
  }
  statement.emit(more ? request : release, Pipe::control, {},
                 static_cast<uint64_t>(count));
  if (more) {
    statement.emit(requestAgain, Pipe::none, {});
  }
}

constexpr Opcode registerPoolsOpcodes[] = {{"setmaxnreg", decode}};

} // namespace

std::span<const Opcode> cheems::emulator::registerPools() {
  return registerPoolsOpcodes;
}
