//===- Standstill.h - Loops that nothing will end ---------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_MACHINE_STANDSTILL_H
#define CHEEMS_EMULATOR_MACHINE_STANDSTILL_H

#include "Block.h"

#include <cstdint>
#include <vector>

namespace cheems::emulator {

/// Finds that a block's warps are in loops which never end: each is in a state,
/// with all its registers, in which it has been before, and nothing that it
/// could see has changed since. So a spin without strong loads is found, too,
/// and one in which its warps meet at barriers.
class Standstill {
public:
  /// Called after each round of the block. True: the block stands still until
  /// something happens elsewhere.
  bool check(const Block &block);

private:
  struct Seen {
    std::vector<std::byte> state;
    bool again = false;
  };
  uint64_t changes = 0, meetings = 0; ///< of the grid, at the first round
  uint64_t rounds = 0;                ///< since something happened
  std::vector<Seen> warps;
};

} // namespace cheems::emulator

#endif
