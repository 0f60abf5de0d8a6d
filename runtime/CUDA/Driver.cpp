#include "runtime/CUDA/Driver.h"
#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <iterator>
#include <memory>
#include <mutex>
#include <unistd.h>

using namespace cheems;
using namespace cheems::cuda;

namespace {

constexpr int leastVersion = 12000; ///< of CUDA, which driver 525 came with

/// Contexts after these refuse every call.
constexpr CUresult lost[] = {CUDA_ERROR_DEVICE_UNAVAILABLE,
                             CUDA_ERROR_ECC_UNCORRECTABLE,
                             CUDA_ERROR_NVLINK_UNCORRECTABLE,
                             CUDA_ERROR_ILLEGAL_ADDRESS,
                             CUDA_ERROR_LAUNCH_TIMEOUT,
                             CUDA_ERROR_CONTEXT_IS_DESTROYED,
                             CUDA_ERROR_ASSERT,
                             CUDA_ERROR_HARDWARE_STACK_ERROR,
                             CUDA_ERROR_ILLEGAL_INSTRUCTION,
                             CUDA_ERROR_MISALIGNED_ADDRESS,
                             CUDA_ERROR_INVALID_ADDRESS_SPACE,
                             CUDA_ERROR_INVALID_PC,
                             CUDA_ERROR_LAUNCH_FAILED,
                             CUDA_ERROR_UNKNOWN};

Error unusable(const std::string &message) {
  return Error(Status::unsupported, message);
}

std::string versionText(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

} // namespace

bool cuda::losesContext(CUresult code) {
  return std::find(std::begin(lost), std::end(lost), code) != std::end(lost);
}

void cuda::throwFailure(CUresult code, const char *name) {
  std::string message =
      std::string(name) + " failed: " + Driver::get().describe(code);
  if (losesContext(code)) {
    message += "; what this program had on the GPU is lost: start it again";
  }
  throw DriverError(code, message);
}

__attribute__((no_sanitize("function"))) std::string
Driver::describe(CUresult code) const {
  const char *name = nullptr, *text = nullptr;
  if (nameOf(code, &name) != CUDA_SUCCESS || !name) {
    return "error " + std::to_string(code);
  }
  bool known = textOf(code, &text) == CUDA_SUCCESS && text;
  return std::string(name) + (known ? std::string(": ") + text : "");
}

__attribute__((no_sanitize("function"))) void
Driver::resolve(void *library, const std::string &path) {
  auto find = [&](const char *symbol) {
    void *address = dlsym(library, symbol);
    if (!address) {
      throw unusable(path +
                     " is no CUDA driver, or not a whole one: it has "
                     "no " +
                     symbol);
    }
    return address;
  };
  // First: what an older one lacks is no news.
  auto versionOf =
      reinterpret_cast<CUresult (*)(int *)>(find("cuDriverGetVersion"));
  if (CUresult code = versionOf(&cudaVersion);
      code == CUDA_ERROR_STUB_LIBRARY) {
    throw unusable(path + " is the stub that programs are linked with, not a "
                          "driver; install NVIDIA's driver, or use --device "
                          "cpu");
  } else if (code != CUDA_SUCCESS) {
    throw unusable(path + " does not tell its version (error " +
                   std::to_string(code) + "); install NVIDIA's driver again");
  }
  if (cudaVersion < leastVersion) {
    throw unusable("the CUDA driver is too old: it is of CUDA " +
                   versionText(cudaVersion) +
                   ", and the least is driver 525 (CUDA " +
                   versionText(leastVersion) +
                   "); install a newer one, or use --device cpu");
  }
  nameOf = reinterpret_cast<TextOf>(find("cuGetErrorName"));
  textOf = reinterpret_cast<TextOf>(find("cuGetErrorString"));
#define ENTRY(name, symbol, parameters)                                        \
  name.function = reinterpret_cast<decltype(name)::Function>(find(#symbol));
#include "runtime/CUDA/Entries.def"
}

void Driver::open() {
  const char *named = std::getenv("CHEEMS_CUDA_DRIVER");
  bool isNamed = named && *named;
  std::string path = isNamed ? named : "libcuda.so.1";
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    std::string detail = reason ? reason : "unknown reason";
    throw unusable(isNamed
                       ? "cannot load " + path +
                             ", which CHEEMS_CUDA_DRIVER names: " + detail
                       : "no CUDA driver: cannot load " + path + " (" + detail +
                             "); install NVIDIA's driver, 525 or newer, "
                             "or use --device cpu");
  }
  handle = library;
  resolve(library, path);
  CUresult code = cuInit.result(0);
  int count = 0;
  if (code == CUDA_SUCCESS) {
    code = cuDeviceGetCount.result(&count);
  }
  if (code == CUDA_ERROR_NO_DEVICE || (code == CUDA_SUCCESS && count == 0)) {
    throw unusable("the CUDA driver finds no GPU; see what nvidia-smi and "
                   "CUDA_VISIBLE_DEVICES say, or use --device cpu");
  }
  if (code != CUDA_SUCCESS) {
    throw unusable("the CUDA driver " + path +
                   " does not start: " + describe(code) +
                   "; see what nvidia-smi says, or use --device cpu");
  }
}

void *Driver::extension(const char *symbol) const {
  return dlsym(handle, symbol);
}

const Driver &Driver::get() {
  static std::mutex lock;
  static std::unique_ptr<Driver> opened;
  static pid_t process;
  std::lock_guard guard(lock);
  if (!opened) {
    std::unique_ptr<Driver> driver(new Driver);
    driver->open();
    opened = std::move(driver);
    process = getpid();
  } else if (process != getpid()) {
    throw Error(Status::usage,
                "the CUDA driver was opened before a fork, and works in the "
                "parent alone; open models for a GPU in one process");
  }
  return *opened;
}
