// Core counting on made-up /sys and /proc trees.
#include "runtime/ThreadPool/Cores.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace cheems;

namespace {

class Cores : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "cheems-cores-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(root); }

  void write(const std::string &path, const std::string &text) {
    std::filesystem::create_directories(
        std::filesystem::path(root + path).parent_path());
    std::ofstream(root + path) << text;
  }
  /// CPUs 0..3 are the first hyperthreads of four cores, 4..7 the second.
  void hyperthreads(const char *file = "core_cpus_list") {
    for (int cpu = 0; cpu < 8; ++cpu) {
      write("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/" +
                file,
            std::to_string(cpu % 4) + "," + std::to_string(cpu % 4 + 4) + "\n");
    }
  }
  std::string root;
};

TEST_F(Cores, hyperthreadsShareACore) {
  hyperthreads();
  CoreLimits limits = CoreLimits::read({0, 1, 2, 3, 4, 5, 6, 7}, root);
  EXPECT_EQ(limits.logical, 8);
  EXPECT_EQ(limits.physical, 4);
  EXPECT_EQ(limits.quota, 0);
  EXPECT_EQ(limits.threads(), 4);
  EXPECT_EQ(limits.available(), 8);
}

TEST_F(Cores, affinityCountsOnlyTheCoresInIt) {
  hyperthreads("thread_siblings_list");
  EXPECT_EQ(CoreLimits::read({1, 5}, root).physical, 1);
  EXPECT_EQ(CoreLimits::read({1, 2, 5}, root).physical, 2);
}

TEST_F(Cores, withoutTopologyEachCpuIsACore) {
  EXPECT_EQ(CoreLimits::read({3, 9}, root).physical, 2);
  EXPECT_EQ(CoreLimits::read({}, root).threads(), 1);
}

TEST_F(Cores, quotaOfVersion2CountsParentsAndRoundsDown) {
  hyperthreads();
  write("/proc/self/cgroup", "0::/a/b\n");
  write("/proc/self/mountinfo",
        "30 23 0:26 / /cg rw,nosuid shared:9 - cgroup2 cgroup2 rw\n");
  write("/cg/a/b/cpu.max", "max 100000\n");
  write("/cg/a/cpu.max", "250000 100000\n");
  CoreLimits limits = CoreLimits::read({0, 1, 2, 3, 4, 5, 6, 7}, root);
  EXPECT_EQ(limits.quota, 2);
  EXPECT_EQ(limits.threads(), 2);
  EXPECT_EQ(limits.available(), 2);
}

TEST_F(Cores, quotaBelowOneCpuStillLeavesOneThread) {
  write("/proc/self/cgroup", "0::/\n");
  write("/proc/self/mountinfo", "30 23 0:26 / /cg rw - cgroup2 cgroup2 rw\n");
  write("/cg/cpu.max", "50000 100000\n");
  EXPECT_EQ(CoreLimits::read({0, 1}, root).threads(), 1);
}

TEST_F(Cores, quotaOfVersion1IsFoundAfterAContainersMountRoot) {
  write("/proc/self/cgroup", "12:memory:/box\n4:cpu,cpuacct:/box/x\n0::/\n");
  write("/proc/self/mountinfo",
        "31 23 0:27 / /cg/memory rw - cgroup cgroup rw,memory\n"
        "32 23 0:28 /box /cg/cpu rw master:1 - cgroup cgroup rw,cpu,cpuacct\n");
  write("/cg/cpu/x/cpu.cfs_quota_us", "300000\n");
  write("/cg/cpu/x/cpu.cfs_period_us", "100000\n");
  write("/cg/cpu/cpu.cfs_quota_us", "-1\n");
  write("/cg/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(CoreLimits::read({0, 1, 2, 3, 4}, root).quota, 3);
}

TEST_F(Cores, nonsenseInTheFilesIsNoLimit) {
  write("/proc/self/cgroup", "garbage\n0::/a\n");
  write("/proc/self/mountinfo",
        "1 2\n\n30 23 0:26 / /cg rw - cgroup2 cgroup2 rw\n");
  write("/cg/a/cpu.max", "lots\n");
  EXPECT_EQ(CoreLimits::read({0, 1}, root).quota, 0);
}

TEST_F(Cores, thisMachineHasAtLeastOne) {
  CoreLimits limits = CoreLimits::host();
  EXPECT_GE(limits.physical, 1);
  EXPECT_LE(limits.physical, limits.logical);
}

} // namespace
