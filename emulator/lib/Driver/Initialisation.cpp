//===- Initialisation.cpp -------------------------------------------------===//
#include "Check/Checker.h"
#include "Count/Counter.h"
#include "Count/Report.h"
#include "Functions.h"
#include "Process.h"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace cheems::emulator::driver {
namespace {

struct ErrorText {
  CUresult code;
  const char *name, *text;
};

constexpr ErrorText errors[] = {
#define ERROR(name, number, text) {name, #name, text},
#include "Errors.def"
};

const ErrorText *find(CUresult code) {
  for (const ErrorText &error : errors) {
    if (error.code == code) {
      return &error;
    }
  }
  return nullptr;
}

/// The end of the process is the end of contexts that nobody destroyed.
void reportAtExit() {
  std::unique_lock guard(process().lock, std::try_to_lock);
  if (!guard.owns_lock()) {
    return; // another thread is in a call
  }
  if (auto gpu = countedGPU()) {
    std::string error =
        writeCounts(process().options->countsFile, *gpu, takeCounts());
    if (!error.empty()) {
      note(error);
    }
  }
  for (const auto &[handle, context] : process().contexts.all()) {
    context->reportLeaks();
  }
}

/// cuProfilerStart and cuProfilerStop part the steps that are counted.
CUresult startStep() {
  return callInContext([](Context &context) {
    if (countedGPU()) {
      context.queue.finishAll();
      nextStep();
    }
  });
}

} // namespace

CUresult cuInit(unsigned flags) {
  try {
    require(flags == 0);
    std::lock_guard guard(process().lock);
    if (!process().options) {
      process().options = Options::fromEnvironment();
      startChecking();
      if (!process().options->countsFile.empty()) {
        startCounting(*process().options);
      }
      std::atexit(reportAtExit);
    }
    return CUDA_SUCCESS;
  } catch (const std::invalid_argument &mistake) {
    std::fprintf(stderr, "cheems-emulator: %s\n", mistake.what());
    return CUDA_ERROR_INVALID_VALUE;
  } catch (...) {
    return codeOfException();
  }
}

CUresult cuDriverGetVersion(int *version) {
  if (!version) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *version = driverVersion;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  if (!text) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const ErrorText *found = find(error);
  *text = found ? found->text : nullptr;
  return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorName(CUresult error, const char **name) {
  if (!name) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const ErrorText *found = find(error);
  *name = found ? found->name : nullptr;
  return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuProfilerStart() { return startStep(); }
CUresult cuProfilerStop() { return startStep(); }

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
  return call([&] {
    require(mode);
    *mode = CU_MODULE_EAGER_LOADING;
  });
}

} // namespace cheems::emulator::driver
