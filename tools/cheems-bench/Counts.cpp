#include "Counts.h"
#include "Load.h"
#include "Tests.h"
#include "runtime/CUDA/Driver.h"
#include "runtime/Error.h"
#include "runtime/Process/Output.h"
#include <cstdlib>

namespace cheems::bench {

namespace {

void warn(const std::string &line) {
  printMessage("cheems-bench: warning: " + line);
}

/// Tables of all since the last call.
std::string takeCounts() {
  using Take = const char *();
  auto *take = reinterpret_cast<Take *>(
      cuda::Driver::get().extension("cheems_emulator_counts"));
  const char *text = take ? take() : nullptr;
  if (!text) {
    throw Error(Status::unsupported,
                "--counts needs the software GPU: set CHEEMS_CUDA_DRIVER to "
                "libcheems-cuda-emulator.so");
  }
  return text;
}

} // namespace

void prepareCounts() {
  // Counts are taken test by test: what is left at the end is of no use.
  setenv("CHEEMS_EMULATOR_COUNTS", "/dev/null", /*overwrite=*/1);
}

std::string countSteps(const Options &options) {
  std::string text;
  for (const std::string &given : options.models) {
    std::shared_ptr<const Model> model =
        openModel(given, say, options.compileArguments, options.device);
    for (Test test : testsOf(options)) {
      if (!test.prompt) {
        test.tokens = 1;
      }
      runOnce(model, test, options, warn, [] { takeCounts(); });
      text += given + ", " + test.name() + ": " + takeCounts() + "\n";
    }
  }
  return text;
}

} // namespace cheems::bench
