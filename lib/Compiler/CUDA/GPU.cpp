// From options of the back end to those of passes.
#include "GPU.h"
#include "cheems/Import/Error.h"

namespace cheems {
namespace {
constexpr llvm::StringLiteral kArchitectures = "arch", kUnit = "unit",
                              kCopy = "copy";

/// \param choices what messages call the values of the option.
template <typename Value>
llvm::Error read(const Backend &backend, const CompileOptions &options,
                 llvm::StringRef name, llvm::StringRef choices, Value &value) {
  std::string given = backend.valueOf(name, options);
  std::optional<Value> known = tile::symbolizeEnum<Value>(given);
  if (!known) {
    return llvm::createStringError("cuda." + name + " is " + choices +
                                   ", not " + given);
  }
  value = *known;
  return llvm::Error::success();
}
} // namespace

std::vector<BackendOption> cudaOptions() {
  return {{kArchitectures.str(),
           "GPUs that code is made for, with commas between: sm_80, sm_90a",
           "sm_80,sm_90a"},
          {kUnit.str(),
           "newest unit that matmuls and attention of prompts may use: mma, "
           "or wgmma, which sm_90a has",
           "wgmma"},
          {kCopy.str(),
           "newest copies that matmuls and attention of prompts by wgmma may "
           "use: threads, or bulk, by the hardware",
           "bulk"}};
}

llvm::Expected<std::vector<GPU>> gpusOf(const Backend &backend,
                                        const CompileOptions &options) {
  std::string value = backend.valueOf(kArchitectures, options);
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(value).split(names, ',');
  std::vector<GPU> gpus;
  for (llvm::StringRef name : names) {
    auto known = cuda::Architecture::find(name);
    if (!known) {
      return llvm::make_error<UnsupportedError>(
          llvm::toString(known.takeError()));
    }
    GPUOptions gpu{*tile::symbolizeArchitecture(known->name)};
    if (auto error = read(backend, options, kUnit, "mma or wgmma", gpu.unit)) {
      return error;
    }
    if (auto error =
            read(backend, options, kCopy, "threads or bulk", gpu.copy)) {
      return error;
    }
    gpus.push_back({*known, gpu});
  }
  return gpus;
}

} // namespace cheems
