//===- BulkGroups.cpp - Bulk copies and what they wait for ----------------===//
#include "BulkGroups.h"

#include "Flights.h"

namespace cheems::emulator {
namespace {

class LoadFlight : public Flight {
public:
  LoadFlight(const Asker &asker, const BulkTransfer &transfer, Barrier &barrier)
      : Flight(asker.warp, asker.instruction, asker.lane, asker.operation),
        transfer(transfer), barrier(barrier) {}

  void land() override {
    transfer.load({warp, instruction, lane, operation});
    signalBytes(*this, barrier, transfer.bytes());
  }

private:
  BulkTransfer transfer;
  Barrier &barrier;
};

/// How many groups a thread may have whose sources are free again, but whose
/// end it does not wait for. Older ones are written and forgotten.
constexpr size_t mostRead = 64;

} // namespace

void signalBytes(const Flight &flight, Barrier &barrier, uint32_t bytes) {
  // "complete-tx operation": it has .release semantics at .cluster scope.
  Meeting meeting = barrier.meeting(barrier.counts.phase(), Semantics::release,
                                    Scope::cluster);
  flight.warp.block.observe([&](BlockObserver &observer) {
    observer.arriveAsync(flight.warp, flight.instruction,
                         LaneMask(1) << flight.lane, AsyncKind::bulk,
                         flight.operation, flight.operation, meeting);
  });
  completeBytes(flight.warp, flight.instruction, flight.lane, barrier, bytes);
}

void startLoad(const Asker &asker, BulkTransfer transfer, Barrier &barrier) {
  transfer.checkGlobal(asker);
  transfer.checkDestination(asker);
  transfer.tell(asker, true);
  if (asker.warp.block.grid.early()) {
    LoadFlight(asker, transfer, barrier).land();
    return;
  }
  transfer.markInFlight();
  barrier.owner->extension<Flights>().add(
      std::make_unique<LoadFlight>(asker, transfer, barrier));
}

void BulkGroups::start(const Asker &asker, BulkTransfer transfer) {
  transfer.checkGlobal(asker);
  transfer.checkSource(asker);
  transfer.tell(asker, false);
  Store store = {.asker = asker, .transfer = transfer, .staged = {}};
  if (asker.warp.block.grid.early()) {
    transfer.store(asker);
    store.isWritten = true;
  }
  transfer.markBeingRead();
  threads[asker.warp.index * warpLanes + asker.lane].open.push_back(
      std::move(store));
}

void BulkGroups::commit(Warp &warp, int lane) {
  Thread &thread = threads[warp.index * warpLanes + lane];
  thread.groups.push_back(
      {.last = warp.block.asyncOperations, .stores = std::move(thread.open)});
  thread.open.clear();
}

void BulkGroups::endReads(Group &group) {
  for (Store &store : group.stores) {
    if (!store.isWritten) {
      store.transfer.read(store.staged);
    }
    store.transfer.unmarkBeingRead();
    store.isRead = true;
  }
  group.isRead = true;
}

void BulkGroups::write(Group &group) {
  for (Store &store : group.stores) {
    if (!store.isWritten) {
      store.transfer.write(store.asker, store.staged);
      store.isWritten = true;
    }
  }
}

/// Sources that several stores read are in use until the last one has ended.
void BulkGroups::markAgain() {
  auto mark = [](const std::vector<Store> &stores) {
    for (const Store &store : stores) {
      if (!store.isRead) {
        store.transfer.markBeingRead();
      }
    }
  };
  for (const auto &[_, thread] : threads) {
    for (const Group &group : thread.groups) {
      mark(group.stores);
    }
    mark(thread.open);
  }
}

void BulkGroups::wait(Warp &warp, const Instruction &instruction, int lane,
                      size_t keep, bool readsOnly) {
  auto found = threads.find(warp.index * warpLanes + lane);
  if (found == threads.end() || found->second.groups.size() <= keep) {
    return;
  }
  std::deque<Group> &groups = found->second.groups;
  size_t ended = groups.size() - keep;
  uint64_t last = groups[ended - 1].last;
  bool freed = false;
  for (size_t i = 0; i < ended; ++i) {
    if (!groups[i].isRead) {
      endReads(groups[i]);
      freed = true;
    }
  }
  if (freed) {
    markAgain();
  }
  // `keep` counts the newest groups, so the oldest ones may go.
  size_t over = !readsOnly ? ended : ended > mostRead ? ended - mostRead : 0;
  for (; over > 0; --over) {
    write(groups.front());
    groups.pop_front();
  }
  if (freed || !readsOnly) {
    warp.block.observe([&](BlockObserver &observer) {
      observer.endAsync(warp, instruction, LaneMask(1) << lane, AsyncKind::bulk,
                        last, readsOnly);
    });
  }
}

void BulkGroups::finish(Block &) {
  for (auto &[_, thread] : threads) {
    auto check = [](const Store &store) {
      if (!store.isRead) {
        store.asker.warp.fail(store.asker.instruction, "copy-in-flight-at-exit",
                              "the block exits, and the thread has not waited "
                              "for this store to read its source",
                              store.asker.lane);
      }
    };
    for (Group &group : thread.groups) {
      for (const Store &store : group.stores) {
        check(store);
      }
      // What is only known to be read is written by the end of the grid.
      write(group);
    }
    for (const Store &store : thread.open) {
      check(store);
    }
  }
}

} // namespace cheems::emulator
