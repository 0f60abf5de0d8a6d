// From options of the back end to values.
#include "Options.h"

namespace cheems {
namespace {
constexpr llvm::StringLiteral kCPU = "cpu", kGroupExperts = "group-experts",
                              kPipeline = "pipeline",
                              kRaceChecks = "race-checks";
constexpr int64_t kMostGrouped = 4096;

llvm::Error wrong(llvm::StringRef name, const llvm::Twine &what,
                  llvm::StringRef given) {
  return llvm::createStringError("cpu." + name + " is " + what + ", not " +
                                 given);
}
} // namespace

std::vector<BackendOption> CPUOptions::all() {
  return {
      {kCPU.str(), "portable, native, or the name of a CPU or a variant",
       "portable"},
      {kGroupExperts.str(),
       "for how many tokens of a prompt the rows of experts are read once; "
       "0: token by token",
       "0"},
      {kPipeline.str(), "fast, or scalar: plain loops, for comparison", "fast"},
      {kRaceChecks.str(), "on: code with the checks of ThreadSanitizer",
       "off"}};
}

llvm::Expected<CPUOptions> CPUOptions::read(const Backend &backend,
                                            const CompileOptions &options) {
  CPUOptions result;
  result.cpu = backend.valueOf(kCPU, options);
  std::string rows = backend.valueOf(kGroupExperts, options);
  if (!llvm::to_integer(rows, result.groupExperts, 10) ||
      result.groupExperts < 0 || result.groupExperts > kMostGrouped) {
    return wrong(kGroupExperts,
                 "a number from 0 to " + llvm::Twine(kMostGrouped), rows);
  }
  std::string pipeline = backend.valueOf(kPipeline, options);
  result.scalar = pipeline == "scalar";
  if (!result.scalar && pipeline != "fast") {
    return wrong(kPipeline, "fast or scalar", pipeline);
  }
  std::string checks = backend.valueOf(kRaceChecks, options);
  result.raceChecks = checks == "on";
  if (!result.raceChecks && checks != "off") {
    return wrong(kRaceChecks, "on or off", checks);
  }
  if (result.scalar && result.groupExperts > 0) {
    return llvm::createStringError(
        "cpu.pipeline=scalar takes experts token by token: drop "
        "cpu.group-experts");
  }
  return result;
}

} // namespace cheems
