//===- CopyGroupsTest.cpp - Groups of cp.async of a warp ------------------===//
#include "AsyncCopy/CopyGroups.h"

#include <array>
#include <deque>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace cheems::emulator;

namespace {

LateCopy copyOf(LaneMask lanes, uint32_t number) {
  LateCopy copy = {};
  copy.lanes = lanes;
  copy.bytes = 4;
  for (uint32_t &destination : copy.destinations) {
    destination = number;
  }
  return copy;
}

/// What the ISA says of one thread.
struct Thread {
  std::set<uint32_t> open;
  std::deque<std::set<uint32_t>> groups;
};

} // namespace

// PTX ISA, "cp.async.commit_group" and "cp.async.wait_group": groups are per
// thread, whatever other lanes of the warp do.
TEST(CopyGroups, lanesHaveGroupsOfTheirOwn) {
  std::mt19937 random(1);
  for (int run = 0; run < 300; ++run) {
    CopyGroups groups;
    std::array<Thread, warpLanes> threads;
    Instruction instruction;
    uint32_t number = 0;
    for (int step = 0; step < 60; ++step) {
      // Lanes act together most of the time.
      LaneMask lanes = random() % 3 ? allLanes : random();
      switch (random() % 4) {
      case 0: {
        LateCopy copy = copyOf(lanes, ++number);
        groups.issue(instruction, lanes, &copy);
        for (int lane = 0; lane < warpLanes; ++lane) {
          if (lanes >> lane & 1) {
            threads[lane].open.insert(number);
          }
        }
        break;
      }
      case 1:
        groups.commit(lanes, number);
        for (int lane = 0; lane < warpLanes; ++lane) {
          if (lanes >> lane & 1) {
            threads[lane].groups.push_back(threads[lane].open);
            threads[lane].open.clear();
          }
        }
        break;
      case 2: {
        size_t keep = random() % 4;
        std::array<std::set<uint32_t>, warpLanes> ended, wanted;
        groups.wait(
            lanes, keep,
            [&](LaneMask over, uint64_t, std::vector<LateCopy> &copies) {
              for (LateCopy &copy : copies) {
                for (int lane = 0; lane < warpLanes; ++lane) {
                  if (copy.lanes & over & (1u << lane)) {
                    ended[lane].insert(copy.destinations[lane]);
                  }
                }
                copy.lanes &= ~over;
              }
            });
        for (int lane = 0; lane < warpLanes; ++lane) {
          auto &all = threads[lane].groups;
          while ((lanes >> lane & 1) && all.size() > keep) {
            wanted[lane].insert(all.front().begin(), all.front().end());
            all.pop_front();
          }
        }
        ASSERT_EQ(ended, wanted);
        break;
      }
      default: {
        if (random() % 4) {
          break;
        }
        std::array<std::set<uint32_t>, warpLanes> tracked, wanted;
        for (const LateCopy &copy : groups.track(lanes)) {
          for (int lane = 0; lane < warpLanes; ++lane) {
            if (copy.lanes >> lane & 1) {
              tracked[lane].insert(copy.destinations[lane]);
            }
          }
        }
        for (int lane = 0; lane < warpLanes; ++lane) {
          if (lanes >> lane & 1) {
            Thread &thread = threads[lane];
            for (auto &group : thread.groups) {
              wanted[lane].insert(group.begin(), group.end());
              group.clear();
            }
            wanted[lane].insert(thread.open.begin(), thread.open.end());
            thread.open.clear();
          }
        }
        ASSERT_EQ(tracked, wanted);
        break;
      }
      }
      bool isPending = false;
      for (const Thread &thread : threads) {
        isPending |= !thread.open.empty();
        for (const auto &group : thread.groups) {
          isPending |= !group.empty();
        }
      }
      ASSERT_EQ(groups.pending() != nullptr, isPending);
    }
  }
}

// PTX ISA, "cp.async.wait_group": an empty group counts among the N newest.
TEST(CopyGroups, emptyGroupsCount) {
  CopyGroups groups;
  Instruction instruction;
  LateCopy copy = copyOf(allLanes, 1);
  groups.issue(instruction, allLanes, &copy);
  groups.commit(allLanes, 1);
  groups.commit(allLanes, 1);
  int ended = 0;
  groups.wait(allLanes, 1,
              [&](LaneMask, uint64_t, std::vector<LateCopy> &copies) {
                ended += static_cast<int>(copies.size());
              });
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(groups.pending(), nullptr);
}
