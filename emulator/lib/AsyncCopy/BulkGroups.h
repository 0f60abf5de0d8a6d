//===- BulkGroups.h - Bulk copies and what they wait for --------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ASYNCCOPY_BULKGROUPS_H
#define CHEEMS_EMULATOR_ASYNCCOPY_BULKGROUPS_H

#include "Barriers.h"
#include "BulkTransfer.h"

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace cheems::emulator {

/// A copy from global to shared memory that signals `barrier`: done at once, or
/// as a Flight. All is checked here.
void startLoad(const Asker &asker, BulkTransfer transfer, Barrier &barrier);

/// The bulk async-groups of the threads of a block: copies from shared to
/// global memory. Their sources have SharedState::beingRead until the thread
/// has waited.
class BulkGroups : public BlockExtension {
public:
  explicit BulkGroups(Block &) {}

  /// A copy that is in no group yet. All is checked here.
  void start(const Asker &asker, BulkTransfer transfer);
  /// cp.async.bulk.commit_group of one thread.
  void commit(Warp &warp, int lane);
  /// cp.async.bulk.wait_group of one thread.
  void wait(Warp &warp, const Instruction &instruction, int lane, size_t keep,
            bool readsOnly);

  void finish(Block &block) override;

private:
  struct Store {
    Asker asker;
    BulkTransfer transfer;
    bool isRead = false;    ///< the thread knows that the source is free
    bool isWritten = false; ///< the bytes are in global memory
    std::vector<std::byte> staged;
  };
  struct Group {
    uint64_t last; ///< Block::asyncOperations
    std::vector<Store> stores;
    bool isRead = false;
  };
  struct Thread {
    std::vector<Store> open;
    std::deque<Group> groups; ///< the oldest first
  };

  void endReads(Group &group);
  void write(Group &group);
  void markAgain();

  std::map<uint32_t, Thread> threads; ///< by warp and lane
};

} // namespace cheems::emulator

#endif
