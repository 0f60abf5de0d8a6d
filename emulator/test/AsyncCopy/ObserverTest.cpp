//===- ObserverTest.cpp - What observers are told of copies ---------------===//
#include "RunCopy.h"

#include "Machine/Block.h"
#include "Machine/Observer.h"

using namespace cheems::emulator;
using namespace cheems::emulator::test;
using testing::ElementsAre;

namespace {

/// What happened, a line each.
std::vector<std::string> *events = nullptr;

std::string name(Space space) {
  return space == Space::shared      ? "shared"
         : space == Space::global    ? "global"
         : space == Space::parameter ? "parameter"
                                     : "other";
}

class Recorder : public BlockObserver {
  void access(Warp &, const Access &access) override {
    if (access.kind.asynchronous) {
      events->push_back(std::string(access.kind.writes() ? "write " : "read ") +
                        name(access.space) + " asynchronously " +
                        std::to_string(access.kind.bytes));
    }
  }
  void startAsync(Warp &warp, const Instruction &,
                  const AsyncRange &range) override {
    std::string line = std::to_string(range.operation) +
                       (range.effect == Effect::load ? " reads " : " writes ") +
                       (range.proxy == Proxy::tensorMap ? "map " : "") +
                       name(range.space) + " " + std::to_string(range.bytes);
    for (int d = 0; d < 4; ++d) {
      if (range.counts[d] != 1) {
        line += " x" + std::to_string(range.counts[d]) + " by " +
                std::to_string(range.strides[d]);
      }
    }
    if (range.space == Space::global) {
      line += " from " + std::to_string(range.address % 65536);
    }
    if (range.space == Space::shared && range.owner != &warp.block) {
      line += " of a peer";
    }
    events->push_back(line);
  }
  void endAsync(Warp &, const Instruction &, LaneMask lanes, AsyncKind kind,
                uint64_t last, bool readsOnly) override {
    events->push_back(std::to_string(__builtin_popcount(lanes)) +
                      " lanes waited for " +
                      (kind == AsyncKind::copy ? "copies" : "bulk") + " to " +
                      std::to_string(last) + (readsOnly ? " to read" : ""));
  }
  void arriveAsync(Warp &, const Instruction &, LaneMask, AsyncKind,
                   uint64_t first, uint64_t last,
                   const Meeting &meeting) override {
    events->push_back(std::to_string(first) + "-" + std::to_string(last) +
                      " arrive in phase " + std::to_string(meeting.phase));
  }
  void arrive(Warp &, const Instruction &, LaneMask lanes,
              const Meeting &meeting) override {
    if (meeting.kind == Meeting::Kind::mbarrier) {
      events->push_back(std::to_string(__builtin_popcount(lanes)) +
                        " lanes arrive in phase " +
                        std::to_string(meeting.phase));
    }
  }
  void leave(Warp &, const Instruction &, LaneMask lanes,
             const Meeting &meeting) override {
    if (meeting.kind == Meeting::Kind::mbarrier) {
      events->push_back(std::to_string(__builtin_popcount(lanes)) +
                        " lanes leave phase " + std::to_string(meeting.phase));
    }
  }
};

class GridRecorder : public GridObserver {
  std::unique_ptr<BlockObserver> startBlock(Block &) override {
    return events ? std::make_unique<Recorder>() : nullptr;
  }
};

std::unique_ptr<GridObserver> makeRecorder(Device &, const Launch &) {
  return std::make_unique<GridRecorder>();
}

std::vector<std::string> eventsOf(Trial &run, const std::string &body) {
  std::vector<std::string> list;
  events = &list;
  setObserver(ObserverKind::checker, makeRecorder);
  run(body);
  setObserver(ObserverKind::checker, nullptr);
  events = nullptr;
  EXPECT_EQ(run.rule, "") << run.what;
  return list;
}

} // namespace

// A box is told with the part of it that is in bounds, when it is asked for
// (PTX ISA, "Asynchronous Operations"), and ends when the mbarrier is told.
TEST(Observers, tensorCopies) {
  inBothModes([](Trial &run) {
    TensorMap &map = run.map;
    map.rankMinusOne = 2;
    map.elementType = static_cast<uint8_t>(TensorType::f32);
    map.globalDims[0] = 40, map.globalDims[1] = 9, map.globalDims[2] = 3;
    map.globalStrides[0] = 160, map.globalStrides[1] = 1600;
    map.boxDims[0] = 16, map.boxDims[1] = 8, map.boxDims[2] = 2;
    map.elementStrides[1] = 2, map.elementStrides[2] = 1;
    std::vector<std::string> list = eventsOf(
        run, std::string(init) +
                 "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [b0], 512;"
                 "@%p0 cp.async.bulk.tensor.3d.shared::cta.global.mbarrier::"
                 "complete_tx::bytes [%r2], [%d2, {-4, -1, 2}], [b0];" +
                 wait0);
    // Rows -1, 1, 3, 5 of which the first is out, plane 2 of 2 and 3.
    EXPECT_THAT(list,
                ElementsAre("1 lanes arrive in phase 0",
                            "1 reads map parameter 128",
                            "1 reads global 48 x3 by 320 from 3360",
                            "1 writes shared 512", "1-1 arrive in phase 0",
                            "32 lanes leave phase 0"));
  });
}

// PTX ISA, "cp.async.bulk.wait_group": .read waits for what is read alone.
TEST(Observers, bulkStores) {
  inBothModes([](Trial &run) {
    std::vector<std::string> list = eventsOf(
        run, std::string(init) +
                 "mad.lo.u32 %r3, %r0, 4, %r2; st.shared.u32 [%r3], %r0;"
                 "bar.sync 0;"
                 "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%d0 + 64],"
                 " [%r2], 128;"
                 "@%p0 cp.async.bulk.commit_group;"
                 "@%p0 cp.async.bulk.wait_group.read 0;"
                 "@%p0 cp.async.bulk.wait_group 0;");
    EXPECT_THAT(list,
                ElementsAre("1 writes global 128 from 64", "1 reads shared 128",
                            "1 lanes waited for bulk to 1 to read",
                            "1 lanes waited for bulk to 1"));
  });
}

// PTX ISA, "cp.async.wait_group" and "cp.async.mbarrier.arrive"
TEST(Observers, asyncCopies) {
  inBothModes([](Trial &run) {
    std::vector<std::string> list = eventsOf(
        run, std::string(init) +
                 "mul.wide.u32 %d9, %r0, 16; add.u64 %d3, %d0, %d9;"
                 "mad.lo.u32 %r2, %r0, 16, %r2;"
                 "cp.async.cg.shared.global [%r2], [%d3], 16;"
                 "cp.async.commit_group;"
                 "cp.async.ca.shared.global [%r2 + 512], [%d3], 8;"
                 "cp.async.commit_group; cp.async.wait_group 1;"
                 "@%p0 cp.async.mbarrier.arrive.noinc.shared.b64 [b0];" +
                 wait0 + "cp.async.wait_all;");
    EXPECT_EQ(list[0], "read global asynchronously 16");
    EXPECT_EQ(list[1], "write shared asynchronously 16");
    EXPECT_EQ(list[2], "read global asynchronously 8");
    EXPECT_EQ(list[3], "write shared asynchronously 8");
    EXPECT_EQ(list[4], "32 lanes waited for copies to 1");
    EXPECT_EQ(list[5], "0-2 arrive in phase 0");
    EXPECT_EQ(list[6], "32 lanes leave phase 0");
    EXPECT_THAT(list, testing::Contains("32 lanes waited for copies to 2"));
  });
}
