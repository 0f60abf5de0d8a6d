#include "Compile.h"
#include "runtime/Error.h"
#include "runtime/Generation/ModelCache.h"
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace cheems::bench {

TemporaryFolder::TemporaryFolder() {
  const char *place = std::getenv("TMPDIR");
  folder =
      std::string(place && *place ? place : "/tmp") + "/cheems-bench-XXXXXX";
  if (!mkdtemp(folder.data())) {
    throw Error("cannot make a temporary folder like " + folder +
                "; set TMPDIR to another place");
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

std::vector<std::string> variantToRun() {
  const char *forced = std::getenv("CHEEMS_CPU");
  return {"--cpu", forced && *forced ? forced : "native"};
}

std::vector<std::string> targetToRun(const DeviceChoice &device) {
  return device.kind == DeviceChoice::Kind::cuda
             ? std::vector<std::string>{"--target", "cuda"}
             : variantToRun();
}

DeviceChoice deviceToRun(const DeviceChoice &device) {
  return device.kind == DeviceChoice::Kind::cuda
             ? device
             : DeviceChoice{DeviceChoice::Kind::cpu, std::nullopt};
}

ChildCost compileModel(const std::string &folder, const std::string &output,
                       const std::vector<std::string> &flags) {
  std::string compiler = ModelCache::standardCompiler();
  if (access(compiler.c_str(), X_OK) != 0) {
    throw Error("there is no " + compiler + " to compile " + folder +
                "; give a compiled model");
  }
  std::vector<std::string> words = {compiler, folder, "-o", output};
  words.insert(words.end(), flags.begin(), flags.end());
  ChildCost cost;
  if (int code = runChild(words, nullptr, &cost)) {
    throw CompileFailed{code};
  }
  return cost;
}

} // namespace cheems::bench
