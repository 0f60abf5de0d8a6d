//===- GridDependencyTest.cpp - griddepcontrol ---------------------------===//
#include "Support/RunPTX.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

// Each test is of PTX ISA, "Parallel Synchronization and Communication
// Instructions: griddepcontrol".
namespace {

/// Reads word 0 before and after the wait.
const std::string dependent = kernelPTX(R"(
  griddepcontrol.launch_dependents;
  ld.global.u32 %r0, [%out];
  griddepcontrol.wait;
  ld.global.u32 %r1, [%out];
  mad.lo.u32 %r1, %r0, 100, %r1;
  st.global.u32 [%mine+4], %r1;
  ret;)");

TEST(GridDependency, WaitsForTheKernelBefore) {
  RunOptions options;
  options.grid = {40, 1, 1};
  options.multiprocessors = 1; // 32 blocks are resident
  PTXRunner runner(dependent, options);
  const uint64_t memory = runner.buffer(std::vector<uint32_t>(1 + 40 * 32, 3));
  Launch launch = runner.launchOf("kernel", parameterBytes({memory}));
  launch.programmatic = true;
  Grid grid(runner.device, launch);
  ASSERT_EQ(grid.run(), Grid::State::waitsForPrimary);
  EXPECT_EQ(grid.run(), Grid::State::waitsForPrimary);
  *reinterpret_cast<uint32_t *>(runner.device.memory.data(memory)) = 8;
  grid.primaryFinished();
  ASSERT_EQ(grid.run(), Grid::State::finished);
  auto out = runner.read<uint32_t>(memory, 1 + 40 * 32);
  for (uint32_t i = 0; i < 40 * 32; ++i) {
    ASSERT_EQ(out[1 + i], i < 32 * 32 ? 308u : 808u);
  }
}

TEST(GridDependency, LetsOthersStartWhenAllBlocksHaveSaidSo) {
  // Block 39 exits without a signal; the others write after it.
  const std::string primary = kernelPTX(R"(
  setp.eq.u32 %p1, %block, 39;
  @%p1 ret;
  griddepcontrol.launch_dependents;
  st.global.u32 [%mine], 1;
  ret;)");
  RunOptions options;
  options.grid = {40, 1, 1};
  options.multiprocessors = 1; // 32 blocks are resident
  PTXRunner runner(primary, options);
  const uint64_t memory = runner.buffer(std::vector<uint32_t>(40 * 32, 0));
  Launch launch = runner.launchOf("kernel", parameterBytes({memory}));
  launch.pausesAtRelease = true;
  Grid grid(runner.device, launch);
  ASSERT_EQ(grid.run(), Grid::State::released);
  auto out = runner.read<uint32_t>(memory, 40 * 32);
  EXPECT_LT(std::count(out.begin(), out.end(), 1), 39 * 32);
  ASSERT_EQ(grid.run(), Grid::State::finished);
  out = runner.read<uint32_t>(memory, 40 * 32);
  EXPECT_EQ(std::count(out.begin(), out.end(), 1), 39 * 32);
}

// A launch that is not programmatic starts when the kernel before has ended.
TEST(GridDependency, AnOrdinaryLaunchHasNothingToWaitFor) {
  auto out = runPTX(dependent, std::vector<uint32_t>(33, 3));
  EXPECT_EQ(out[32], 303u);
}

} // namespace
