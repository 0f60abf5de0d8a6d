// Counts come from the file that a process leaves behind.
#include "Counts.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <unistd.h>

namespace cheems::test {
namespace {

constexpr const char *setting = "CHEEMS_EMULATOR_COUNTS";

std::vector<KernelCounts> kernelsOf(const llvm::json::Object &step) {
  std::vector<KernelCounts> kernels;
  for (const llvm::json::Value &value : *step.getArray("kernels")) {
    const llvm::json::Object &kernel = *value.getAsObject();
    const auto *instructions = kernel.getObject("warp_instructions");
    kernels.push_back(
        {kernel.getString("kernel")->str(), *kernel.getInteger("launches"),
         instructions->getInteger("tensor").value_or(0),
         kernel.getObject("cycles")->getNumber("tensor").value_or(0),
         *kernel.getInteger("bank_conflicts"),
         32 * (*kernel.getInteger("dram_read_sectors") +
               *kernel.getInteger("dram_write_sectors")),
         32 * *kernel.getInteger("global_sectors")});
  }
  return kernels;
}

} // namespace

std::vector<std::vector<KernelCounts>>
countedSteps(llvm::function_ref<void()> body) {
  // The process that runs `body` has it from the one that waits for it.
  const char *given = std::getenv(setting);
  std::string file =
      given ? given : "/tmp/cheems-counts-" + std::to_string(getpid());
  setenv(setting, file.c_str(), 1);
  // The GPU's threads do not live on after a fork.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto run = [&] {
    body();
    std::exit(testing::Test::HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
  unsetenv(setting);

  std::vector<std::vector<KernelCounts>> steps;
  auto text = llvm::MemoryBuffer::getFile(file);
  if (!text) {
    ADD_FAILURE() << file << ": " << text.getError().message();
    return steps;
  }
  std::remove(file.c_str());
  auto counts = llvm::json::parse((*text)->getBuffer());
  if (!counts) {
    ADD_FAILURE() << llvm::toString(counts.takeError());
    return steps;
  }
  for (const llvm::json::Value &step :
       *counts->getAsObject()->getArray("steps")) {
    steps.push_back(kernelsOf(*step.getAsObject()));
  }
  return steps;
}

} // namespace cheems::test
