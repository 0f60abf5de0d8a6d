// Kernels of a few instructions, whose counts are known.
#include "Count/Counter.h"
#include "Count/Report.h"
#include "Support/OneKernel.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace cheems::emulator;
using namespace cheems::emulator::test;
using testing::HasSubstr;

namespace {

/// Counts of the body on a GPU of two multiprocessors.
KernelCounts countsOf(const std::string &body, RunOptions options = {},
                      size_t words = 32) {
  options.multiprocessors = 2;
  startCounting(options.device());
  run(body, std::vector<uint32_t>(words, 1), words, options);
  std::vector<StepCounts> steps = takeCounts();
  EXPECT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps.at(0).kernels.size(), 1u);
  return steps.at(0).kernels.at(0);
}

uint64_t of(const KernelCounts &counts, Pipe pipe) {
  return counts.instructions[static_cast<size_t>(pipe)];
}

TEST(Counter, countsInstructionsOfWarpsByPipe) {
  const KernelCounts without = countsOf("");
  const KernelCounts with =
      countsOf("add.f32 %f1, %f1, %f1; ex2.approx.f32 %f1, %f1;",
               {.grid = {3, 1, 1}, .block = {64, 1, 1}});
  EXPECT_EQ(of(with, Pipe::fma), 6 * (of(without, Pipe::fma) + 1));
  EXPECT_EQ(of(with, Pipe::mufu), 6u);
  EXPECT_EQ(with.cycles[static_cast<size_t>(Pipe::mufu)], 12);
  EXPECT_EQ(with.blocks, 3u);
  EXPECT_EQ(with.launches, 1u);
  EXPECT_EQ(with.threads, 64u);
}

TEST(Counter, countsALoopAsOftenAsItRuns) {
  const KernelCounts counts =
      countsOf("mov.u32 %r1, 0;\n"
               "L: add.u32 %r1, %r1, 1; ex2.approx.f32 %f1, %f1;\n"
               "setp.lt.u32 %p1, %r1, 10; @%p1 bra L;");
  EXPECT_EQ(of(counts, Pipe::mufu), 10u);
}

TEST(Counter, sectorsAreThoseThatAnAccessAsksFor) {
  const KernelCounts none = countsOf(""),
                     row = countsOf("ld.global.u32 %r1, [%inl];"),
                     one = countsOf("ld.global.u32 %r1, [%in];");
  EXPECT_EQ(none.globalRequests, 0u);
  EXPECT_EQ(row.globalRequests, 1u);
  EXPECT_EQ(row.globalSectors, 4u);
  EXPECT_EQ(row.dramReadSectors, 4u);
  EXPECT_EQ(row.compulsoryBytes, 128u);
  EXPECT_EQ(one.globalSectors, 1u);
}

TEST(Counter, whatIsReadAgainComesFromTheCache) {
  const KernelCounts counts =
      countsOf("ld.global.u32 %r1, [%inl]; ld.global.u32 %r2, [%inl];",
               {.grid = {500, 1, 1}});
  EXPECT_EQ(counts.globalSectors, 4000u);
  EXPECT_EQ(counts.dramReadSectors, 4u);
}

TEST(Counter, whatIsWrittenReachesMemoryAtTheEnd) {
  const KernelCounts counts = countsOf("st.global.u32 [%outl], %lane;");
  EXPECT_EQ(counts.dramWriteSectors, 4u);
  EXPECT_EQ(counts.dramReadSectors, 0u);
}

TEST(Counter, sharedMemoryHasWavefrontsAndConflicts) {
  const KernelCounts counts =
      countsOf("mov.u32 %r1, sv; shl.b32 %r2, %lane, 7; add.u32 %r2, %r1, %r2;"
               "st.shared.u32 [%r2], %lane;");
  EXPECT_EQ(counts.sharedWavefronts, 32u);
  EXPECT_EQ(counts.bankConflicts(), 31u);
}

TEST(Counter, barriersAreCountedByWarps) {
  EXPECT_EQ(countsOf("bar.sync 0; bar.warp.sync -1;", {.block = {128, 1, 1}})
                .barriers,
            4u);
}

TEST(Counter, occupancyIsThatOfTheLaunch) {
  const KernelCounts counts = countsOf("", {.block = {1024, 1, 1}});
  EXPECT_EQ(counts.residentBlocks, 2);
  EXPECT_EQ(counts.occupancy, 1);
}

TEST(Counter, countsDoNotDependOnThreadsOfTheHost) {
  const std::string body =
      "mov.u32 %r1, %ctaid.x; mad.lo.u32 %r2, %r1, 32, %lane;"
      "mul.wide.u32 %l1, %r2, 4; add.s64 %l2, %in, %l1; add.s64 %l3, %out, %l1;"
      "ld.global.u32 %r3, [%l2]; st.global.u32 [%l3], %r3;";
  auto asJson = [&](int threads) {
    const KernelCounts counts =
        countsOf(body, {.grid = {700, 1, 1}, .threads = threads}, 700 * 32);
    return countsAsJson({}, {{.kernels = {counts}, .copies = {}}});
  };
  const std::string one = asJson(1);
  EXPECT_EQ(one, asJson(2));
  EXPECT_THAT(one, HasSubstr("\"dram_read_sectors\": 2800"));
}

TEST(Counter, stepsAndCopiesAreApart) {
  startCounting(RunOptions().device());
  countCopy(CopyDirection::toDevice, 100);
  countCopy(CopyDirection::toDevice, 28);
  run("");
  run("");
  nextStep();
  nextStep(); // of nothing
  run("st.global.u32 [%outl], %lane;");
  const std::vector<StepCounts> steps = takeCounts();
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].kernels[0].launches, 2u);
  EXPECT_EQ(steps[0].copies[0].copies, 2u);
  EXPECT_EQ(steps[0].copies[0].bytes, 128u);
  EXPECT_EQ(steps[1].copies[0].copies, 0u);
  EXPECT_EQ(steps[1].kernels[0].dramWriteSectors, 4u);
}

TEST(Counter, nothingIsCountedUnasked) {
  EXPECT_FALSE(countedGPU());
  countCopy(CopyDirection::toHost, 1);
  nextStep();
  run("");
  EXPECT_TRUE(takeCounts().empty());
}

TEST(Report, tablesHaveARowPerKernelAndAColumnPerPipeThatIsUsed) {
  KernelCounts norm, sum;
  norm.kernel = "norm";
  norm.launches = 3;
  norm.dramReadSectors = 77;
  norm.instructions[static_cast<size_t>(Pipe::alu)] = 12;
  norm.cycles[static_cast<size_t>(Pipe::alu)] = 6;
  sum.kernel = "sum";
  sum.instructions[static_cast<size_t>(Pipe::control)] = 5;
  const std::string table = countsAsTable(
      {}, {{.kernels = {norm, sum}, .copies = {CopyCounts{2, 128}}}});
  EXPECT_THAT(table, HasSubstr("sm_90, 132 multiprocessors\n"));
  EXPECT_THAT(table,
              HasSubstr("  DRAM reads  DRAM writes  compulsory bytes\n"));
  EXPECT_THAT(table, HasSubstr("  77  "));
  EXPECT_THAT(table, HasSubstr("warp instructions  control  alu  sum\n"
                               "norm                     0   12   12\n"
                               "sum                      5    0    5\n"));
  EXPECT_THAT(table, HasSubstr("cycles of a pipe  alu  sum\n"
                               "norm                6    6\n"
                               "sum                 0    0\n"));
  EXPECT_THAT(table, HasSubstr("copies to_device: 2, 128 bytes\n"));
}

TEST(Report, aFileIsWrittenWholeOrNotAtAll) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "counts";
  std::filesystem::create_directories(folder);
  const std::string path = folder / "counts.json";
  EXPECT_EQ(writeCounts(path, {}, {{}}), "");
  std::ifstream file(path);
  EXPECT_EQ(nlohmann::json::parse(file)["steps"].size(), 1u);
  const std::string text = folder / "counts.txt";
  EXPECT_EQ(writeCounts(text, {}, {{}}), "");
  std::string line;
  EXPECT_TRUE(std::getline(std::ifstream(text), line));
  EXPECT_EQ(line, "sm_90, 132 multiprocessors");
  EXPECT_THAT(writeCounts(folder / "none" / "counts.json", {}, {}),
              HasSubstr("cannot write"));
  std::filesystem::remove_all(folder);
}

TEST(Report, aDeviceIsWrittenAndNotReplaced) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "devices";
  std::filesystem::create_directories(folder);
  // The devices are opened by links: a rename would replace the links and no
  // device.
  const auto full = folder / "full.json", zero = folder / "zero.json";
  std::filesystem::create_symlink("/dev/full", full);
  std::filesystem::create_symlink("/dev/zero", zero);
  EXPECT_THAT(writeCounts(full, {}, {{}}), HasSubstr("No space left"));
  EXPECT_EQ(writeCounts(zero, {}, {{}}), "");
  EXPECT_TRUE(std::filesystem::is_symlink(full));
  EXPECT_TRUE(std::filesystem::is_symlink(zero));
  std::filesystem::remove_all(folder);
}

} // namespace
