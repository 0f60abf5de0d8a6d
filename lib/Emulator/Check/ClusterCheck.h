//===- ClusterCheck.h - Order in one cluster --------------------*- C++ -*-===//
#ifndef CHEEMS_LIB_EMULATOR_CHECK_CLUSTERCHECK_H
#define CHEEMS_LIB_EMULATOR_CHECK_CLUSTERCHECK_H

#include "cheems/Emulator/Check/Clocks.h"
#include "cheems/Emulator/Check/SharedShadow.h"
#include "cheems/Emulator/Machine/Observer.h"
#include "cheems/Emulator/Support/Error.h"

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace cheems::emulator {

/// What the blocks of one cluster share. One host thread runs them.
class ClusterCheck {
public:
  ClusterCheck(Block &first, std::atomic<uint64_t> &sameValues);

  void access(Warp &warp, const Access &access);
  void fence(Warp &warp, LaneMask lanes, const Fence &fence);
  void arrive(Warp &warp, LaneMask lanes, const Meeting &meeting);
  void leave(Warp &warp, LaneMask lanes, const Meeting &meeting);
  void startAsync(Warp &warp, const Instruction &instruction,
                  const AsyncRange &range);
  void endCopies(Warp &warp, LaneMask lanes, uint64_t last);
  /// The values of unordered writes are known now.
  void settle();

private:
  /// A barrier, or a place of memory by which threads tell each other.
  using Key = std::tuple<uint8_t, const void *, uint64_t>;
  struct Phase {
    explicit Phase(uint64_t number) : number(number) {}

    uint64_t number;
    std::shared_ptr<Knowledge> told = std::make_shared<Knowledge>();
    bool isFrozen = false; ///< somebody has `told`
    Known last;            ///< the newest that went in
  };
  /// Bytes that were written twice without order.
  struct Suspect {
    Block *owner;
    uint64_t offset;
    unsigned bytes;
    std::array<std::byte, 4> before;
    Touch first;
    Place second;
  };
  struct PendingCopy {
    uint64_t operation;
    Block *owner;
    uint64_t offset, bytes;
  };

  uint32_t threadOf(const Warp &warp, int lane) const;
  Place placeOf(const Touch &touch) const;
  SharedShadow &shadowOf(const Block &owner);
  [[noreturn]] void race(const char *what, Warp &warp,
                         const Instruction &instruction, int lane,
                         uint64_t offset, const Touch &other) const;

  Phase &phaseOf(const Key &key, uint64_t number);
  void tell(size_t thread, Phase &phase);
  /// Strong accesses and the fences around them.
  void synchronise(size_t thread, const Access &access, uint64_t address);

  void read(Warp &warp, const Access &access, int lane, ShadowCell &cell,
            uint64_t offset, const Touch &touch);
  void write(Warp &warp, const Access &access, int lane, ShadowCell &cell,
             uint64_t offset, unsigned bytes, const Touch &touch);
  /// Of an asynchronous access: what the thread that asks must have seen.
  void checkAsync(Warp &warp, const Instruction &instruction,
                  const AsyncRange &range, const ShadowCell &cell,
                  uint64_t offset, const Touch &touch);

  const std::vector<Block *> &blocks;
  const Program &program;
  const uint32_t threadsPerBlock; ///< in whole warps
  std::atomic<uint64_t> &sameValues;
  Clocks clocks;
  std::vector<std::unique_ptr<SharedShadow>> shadows; ///< by rank
  std::map<Key, std::vector<Phase>> phases;
  /// By thread: what a fence has made ready to be told, and what waits for one.
  std::vector<Known> releasable, acquirable;
  std::vector<std::vector<PendingCopy>> copies; ///< by thread
  std::vector<Suspect> suspects;
  uint64_t event = 0;
};

} // namespace cheems::emulator

#endif
