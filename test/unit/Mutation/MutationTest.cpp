// Thousands of modules, each a sound one with something changed, go through the
// parser, the verifier and our passes: diagnostics are fine, crashes and hangs
// are not.
//
// CHEEMS_TEST_MUTANTS says how many. Half of them are the same in every run,
// those of a smaller number the first ones of a larger; CHEEMS_TEST_SEED draws
// the other half.
#include "Batches.h"
#include "Mutate.h"
#include "Seeds.h"
#include "Stages.h"
#include "cheems/Pipelines/Registration.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "test/unit/Support/TestRun.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>

namespace cheems::test {
namespace {

#ifdef CHEEMS_ADDRESS_SANITIZER
constexpr int64_t kMutants = 300;
constexpr unsigned kSeconds = 60; // a mutant
#else
constexpr int64_t kMutants = 1000; // 10 to 20 ms each
constexpr unsigned kSeconds = 20;
#endif
/// In short runs other tests have the other core.
int processes() { return isLongRun() ? 2 : 1; }

/// The mutant that job `job` of `count` makes.
int64_t mutantNumber(int64_t job, int64_t count, int64_t seed) {
  constexpr int64_t drawn = int64_t(1) << 24; // the fixed ones lie below
  int64_t fixed = (count + 1) / 2;
  return job < fixed ? job : drawn + (seed % drawn) * 128 + job - fixed;
}

std::unique_ptr<mlir::MLIRContext> newContext() {
  static const mlir::DialectRegistry registry = [] {
    mlir::DialectRegistry dialects;
    registerDialects(dialects);
    registerPassesAndPipelines();
    return dialects;
  }();
  // Without threads: what crashes then is what this process was doing.
  return std::make_unique<mlir::MLIRContext>(
      registry, mlir::MLIRContext::Threading::DISABLED);
}

/// Mutant `number`: one to three changes of a seed in memory, or one of its
/// text.
std::string mutant(mlir::MLIRContext &context, const std::vector<Seed> &seeds,
                   int64_t number) {
  Random random(static_cast<uint32_t>(number) * 2654435761U + 1);
  const Seed *seed = &random.of(seeds);
  // Whole models take a second each; the rest, milliseconds.
  constexpr size_t large = 20000;
  while (seed->text.size() > large && !random.once(10)) {
    seed = &random.of(seeds);
  }
  const std::string &text = seed->text;
  if (random.once(4)) {
    return mutateText(text, random);
  }
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) {});
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  for (size_t changes = 1 + random.below(3); changes > 0; --changes) {
    mutateModule(*module, random);
  }
  // Generic, because other forms are for ops that verify.
  std::string changed;
  llvm::raw_string_ostream os(changed);
  module->print(os, mlir::OpPrintingFlags().printGenericOpForm());
  return changed;
}

/// Returns where a reproducer of this process lies.
std::filesystem::path reproducer(const Crash &crash) {
  auto folder = std::filesystem::temp_directory_path() / "cheems-mutants";
  std::filesystem::create_directories(folder);
  auto path = folder / ("mutant-" + std::to_string(crash.job) + ".mlir");
  std::ofstream(path) << crash.input;
  return path;
}

TEST(Mutation, noMutantCrashesOrHangs) {
  std::vector<Stage> stages = allStages();
  ASSERT_GE(stages.size(), 10U);
  std::vector<Seed> seeds = allSeeds(*newContext());
  ASSERT_GE(seeds.size(), 50U);
  std::unique_ptr<mlir::MLIRContext> context;
  auto count = static_cast<int64_t>(setting("CHEEMS_TEST_MUTANTS", kMutants));
  auto seed = static_cast<int64_t>(testSeed());
  Summary summary = runJobs(
      count, kSeconds, processes(), [&] { context = newContext(); },
      [&](int64_t job, Notes &notes) {
        notes.stage("mutate");
        std::string text =
            mutant(*context, seeds, mutantNumber(job, count, seed));
        notes.keep(text);
        notes.count(
            passThrough(*context, text, stages,
                        [&](const std::string &stage) { notes.stage(stage); }));
      });
  RecordProperty("sound", static_cast<int>(summary.counted));
  // Otherwise the passes would have had little to do.
  EXPECT_GE(summary.counted, count / 8);
  for (const Crash &crash : summary.crashes) {
    ADD_FAILURE() << "mutant " << mutantNumber(crash.job, count, seed)
                  << " of seed " << seed << ", " << crash.stage << ": "
                  << crash.how << "\n"
                  << reproducer(crash).string() << "\n"
                  << crash.frames;
  }
}

// MLIR verifies such a dim, and its own patterns may crash on it: no stage is
// given one.
TEST(Mutation, dimsPastTheShapeAreLeftOut) {
  auto context = newContext();
  auto stagesOf = [&](const std::string &index) {
    std::vector<std::string> seen;
    passThrough(*context,
                "func.func @extent(%x: memref<?x64xf32>) -> index {\n"
                "  %c = arith.constant " +
                    index +
                    " : index\n"
                    "  %n = memref.dim %x, %c : memref<?x64xf32>\n"
                    "  return %n : index\n}\n",
                {{"cheems-enter-buffers", "cheems-enter-buffers"}},
                [&](const std::string &stage) { seen.push_back(stage); });
    return seen.back();
  };
  EXPECT_EQ(stagesOf("1"), "cheems-enter-buffers");
  EXPECT_EQ(stagesOf("2"), "parse back");
  EXPECT_EQ(stagesOf("-1"), "parse back");
}

// MLIR verifies such a position, and prints what does not parse.
TEST(Mutation, positionsWithoutAnOperandAreLeftOut) {
  auto context = newContext();
  auto isTaken = [&](const std::string &position) {
    return passThrough(
        *context,
        "func.func @f(%x: f32, %y: vector<4xf32>) -> vector<4xf32> {\n"
        "  %z = \"vector.insert\"(%x, %y) <{static_position = array<i64: " +
            position +
            ">}> : (f32, vector<4xf32>) -> vector<4xf32>\n"
            "  return %z : vector<4xf32>\n}\n",
        {}, [](const std::string &) {});
  };
  EXPECT_TRUE(isTaken("3"));
  EXPECT_FALSE(isTaken("-9223372036854775808"));
}

// MLIR prints them, and does not parse them.
TEST(Mutation, attributesOfPrefetchesAreLeftOut) {
  auto context = newContext();
  auto isTaken = [&](const std::string &attributes) {
    return passThrough(
        *context,
        "func.func @f(%x: memref<4xf32>, %i: index) {\n"
        "  \"memref.prefetch\"(%x, %i) <{isDataCache = true, isWrite = false, "
        "localityHint = 3 : i32}> " +
            attributes + " : (memref<4xf32>, index) -> ()\n  return\n}\n",
        {}, [](const std::string &) {});
  };
  EXPECT_TRUE(isTaken(""));
  EXPECT_FALSE(isTaken("{more = 1 : i64}"));
}

// MLIR's parser crashes on them: it is given none.
TEST(Mutation, tornListsAreLeftOut) {
  auto context = newContext();
  auto isTaken = [&](const std::string &list) {
    return passThrough(
        *context,
        "func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) -> "
        "tensor<3x2xf32> {\n"
        "  %z = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%y : "
        "tensor<3x2xf32>) permutation = " +
            list + "\n  return %z : tensor<3x2xf32>\n}\n",
        {}, [](const std::string &) {});
  };
  EXPECT_TRUE(isTaken("[1, 0]"));
  EXPECT_FALSE(isTaken("1, 0]"));
  EXPECT_FALSE(isTaken("[1 0]"));
}

// MLIR's parser crashes on them: it is given none.
TEST(Mutation, arraysOfIndexAreLeftOut) {
  auto context = newContext();
  auto isTaken = [&](const std::string &type) {
    return passThrough(*context,
                       "func.func private @f() attributes {extents = array<" +
                           type + ": 1, 2>}",
                       {}, [](const std::string &) {});
  };
  EXPECT_TRUE(isTaken("i64"));
  EXPECT_FALSE(isTaken("index"));
}

} // namespace
} // namespace cheems::test
