//===- ObserverTest.cpp - What checkers and counters are told ------------===//
#include "Decode/Program.h"
#include "Machine/Block.h"
#include "Support/RunPTX.h"

#include <gtest/gtest.h>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

namespace {

/// Everything that it is told, as text.
struct Recorder : GridObserver {
  struct OfBlock : BlockObserver {
    explicit OfBlock(uint64_t number) : number(number) {}
    void access(Warp &warp, const Access &access) override {
      log += "access " + std::to_string(warp.index) + " " +
             std::to_string(access.lanes) + (access.contiguous ? "c" : "") +
             "\n";
    }
    void arrive(Warp &warp, const Instruction &, LaneMask,
                const Meeting &meeting) override {
      log += "arrive " + std::to_string(warp.index) + " at " +
             std::to_string(meeting.key) + " phase " +
             std::to_string(meeting.phase) + "\n";
      ++arrivals[meeting.phase];
    }
    void leave(Warp &, const Instruction &, LaneMask lanes,
               const Meeting &meeting) override {
      EXPECT_EQ(lanes, allLanes);
      EXPECT_EQ(arrivals[meeting.phase], 2) << "all arrive before one leaves";
      ++departures[meeting.phase];
    }
    void exit(Warp &, const Instruction &, LaneMask lanes) override {
      exits += __builtin_popcount(lanes);
    }
    const uint64_t number;
    std::string log;
    std::map<uint64_t, int> arrivals, departures;
    int exits = 0;
  };

  std::unique_ptr<BlockObserver> startBlock(Block &block) override {
    return std::make_unique<OfBlock>(block.number);
  }
  void endBlock(BlockObserver &observer) override {
    auto &block = static_cast<OfBlock &>(observer);
    ended.push_back(block.number);
    logs[block.number] = block.log;
    EXPECT_EQ(block.exits, 64);
    EXPECT_EQ(block.departures[0], 2);
    EXPECT_EQ(block.departures[1], 2);
  }
  void endGrid(std::span<const uint64_t> counts) override {
    executions.assign(counts.begin(), counts.end());
  }

  static inline std::vector<uint64_t> ended;
  static inline std::map<uint64_t, std::string> logs;
  static inline std::vector<uint64_t> executions;
};

std::unique_ptr<GridObserver> record(Device &, const Launch &) {
  Recorder::ended.clear();
  Recorder::logs.clear();
  return std::make_unique<Recorder>();
}

class Observers : public testing::Test {
protected:
  void SetUp() override { setObserver(ObserverKind::counter, record); }
  void TearDown() override { setObserver(ObserverKind::counter, nullptr); }
};

const std::string body = R"(
  bar.sync 3;
  st.global.u32 [%mine], %t;
  mov.u32 %r0, 0;
LOOP:
  add.u32 %r0, %r0, 1;
  setp.lt.u32 %p0, %r0, 10;
  @%p0 bra LOOP;
  bar.sync 3;
  setp.eq.u32 %p1, %t, 1000;
  @%p1 st.global.u32 [%mine], 0;
  )";

RunOptions options(uint64_t seed, int threads) {
  RunOptions options;
  options.grid = {20, 1, 1};
  options.block = {64, 1, 1};
  options.seed = seed;
  options.threads = threads;
  return options;
}

TEST_F(Observers, AreToldTheSameOnOneAndTwoHostThreads) {
  const std::vector<uint32_t> zeros(20 * 64 + 1);
  for (uint64_t seed = 0; seed < 4; ++seed) {
    const std::string ptx = kernelPTX(body + "ret;");
    runPTX(ptx, zeros, options(seed, 1));
    const auto logs = Recorder::logs;
    const auto executions = Recorder::executions;
    ASSERT_EQ(logs.size(), 20u);
    EXPECT_NE(logs.at(19).find("access 1 4294967295c"), std::string::npos);
    EXPECT_NE(logs.at(19).find("arrive 1 at 3 phase 1"), std::string::npos);
    EXPECT_TRUE(std::is_sorted(Recorder::ended.begin(), Recorder::ended.end()));
    runPTX(ptx, zeros, options(seed, 2));
    EXPECT_EQ(Recorder::logs, logs);
    EXPECT_EQ(Recorder::executions, executions);
  }
}

// A loop of ten rounds in 40 warps, and what stands before and after it.
TEST_F(Observers, ExecutionsAreCountedPerInstruction) {
  const std::vector<uint32_t> zeros(20 * 64 + 1);
  const std::string ptx = kernelPTX(body + "ret;");
  runPTX(ptx, zeros, options(1, 1));
  Device device(options(1, 1).device());
  auto module = Module::load(device, ptx);
  const Program &program = *module->kernel("kernel")->program;
  ASSERT_EQ(Recorder::executions.size(), program.instructions.size());
  std::map<std::string, uint64_t> counts;
  for (size_t i = 0; i < program.details.size(); ++i) {
    counts[program.details[i].text] += Recorder::executions[i];
  }
  EXPECT_EQ(counts["bra"], 400u);
  EXPECT_EQ(counts["setp.lt.u32"], 400u);
  EXPECT_EQ(counts["setp.eq.u32"], 40u);
  EXPECT_EQ(counts["bar.sync"], 80u);
  EXPECT_EQ(counts["st.global.u32"], 80u) << "a guard does not matter";
}

// Blocks that see each other end in any order, but are told in ascending order.
TEST_F(Observers, BlocksEndInAscendingOrder) {
  const std::vector<uint32_t> zeros(20 * 64 + 1);
  runPTX(kernelPTX(body + R"(
  add.u64 %rd0, %out, 5120;
  red.global.add.u32 [%rd0], 1;
  ret;)"),
         zeros, options(2, 1));
  EXPECT_EQ(Recorder::ended.size(), 20u);
  EXPECT_TRUE(std::is_sorted(Recorder::ended.begin(), Recorder::ended.end()));
}

} // namespace
