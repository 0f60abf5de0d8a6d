//===- Initialisation.cpp -------------------------------------------------===//
#include "cheems/Emulator/Driver/Functions.h"
#include "cheems/Emulator/Driver/Process.h"

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
#include "cheems/Emulator/Driver/Errors.def"
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
void reportLeaksAtExit() {
  std::unique_lock guard(process().lock, std::try_to_lock);
  if (!guard.owns_lock()) {
    return; // another thread is in a call
  }
  for (const auto &[handle, context] : process().contexts.all()) {
    context->reportLeaks();
  }
}

} // namespace

CUresult cuInit(unsigned flags) {
  try {
    require(flags == 0);
    std::lock_guard guard(process().lock);
    if (!process().options) {
      process().options = Options::fromEnvironment();
      std::atexit(reportLeaksAtExit);
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

CUresult cuProfilerStart() {
  return callInContext([](Context &) {});
}

CUresult cuProfilerStop() {
  return callInContext([](Context &) {});
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
  return call([&] {
    require(mode);
    *mode = CU_MODULE_EAGER_LOADING;
  });
}

} // namespace cheems::emulator::driver
