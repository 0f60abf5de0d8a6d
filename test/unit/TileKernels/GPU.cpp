// Calls the driver's functions by their names.
#include "GPU.h"
#include "test/unit/Support/TestPaths.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace cheems::test {
namespace {

/// CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
constexpr int maxDynamicShared = 8;

const char *setting(const char *name, const char *otherwise) {
  const char *value = std::getenv(name);
  return value ? value : otherwise;
}

} // namespace

GPU &GPU::get() {
  static GPU gpu;
  return gpu;
}

GPU::GPU() {
  report = "/tmp/cheems-findings-" + std::to_string(getpid());
  setenv("CHEEMS_EMULATOR_REPORT", report.c_str(), 1);
  // The runtime opens the same one.
  setenv("CHEEMS_CUDA_DRIVER", cheems::test_paths::softwareGPU, 1);
  library = dlopen(cheems::test_paths::softwareGPU, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    throw GPUError(dlerror());
  }
  call("cuInit", 0U);
  call("cuDeviceGet", &device, 0);
  openContext();
}

void GPU::openContext() {
  void *context = nullptr;
  call("cuDevicePrimaryCtxRetain", &context, device);
  call("cuCtxSetCurrent", context);
}

std::string GPU::architecture() const {
  return std::strcmp(setting("CHEEMS_EMULATOR_ARCH", "90"), "80") == 0
             ? "sm_80"
             : "sm_90a";
}

bool GPU::copiesEarly() {
  return std::strcmp(setting("CHEEMS_EMULATOR_MODE", "early"), "early") == 0;
}

void *GPU::symbol(const char *name) {
  auto [found, fresh] = symbols.try_emplace(name);
  if (fresh) {
    found->second = dlsym(library, name);
    if (!found->second) {
      throw GPUError(std::string("the driver has no ") + name);
    }
  }
  return found->second;
}

template <typename... Arguments>
void GPU::call(const char *name, Arguments... arguments) {
  auto function = reinterpret_cast<int (*)(Arguments...)>(symbol(name));
  if (int status = function(arguments...)) {
    auto nameOf =
        reinterpret_cast<int (*)(int, const char **)>(symbol("cuGetErrorName"));
    const char *error = nullptr;
    nameOf(status, &error);
    throw GPUError(std::string(name) + ": " + (error ? error : "?") + "\n" +
                   findings());
  }
}

std::string GPU::findings() {
  std::ifstream file(report);
  std::stringstream text;
  text << file.rdbuf();
  if (truncate(report.c_str(), 0) != 0) {
    return text.str(); // nothing was found yet
  }
  return text.str();
}

GPU::Address GPU::allocate(size_t bytes) {
  Address address = 0;
  call("cuMemAlloc_v2", &address, bytes);
  return address;
}

void GPU::free(Address address) { call("cuMemFree_v2", address); }

void GPU::write(Address target, const void *source, size_t bytes) {
  if (bytes) {
    call("cuMemcpyHtoD_v2", target, source, bytes);
  }
}

void GPU::read(void *target, Address source, size_t bytes) {
  if (bytes) {
    call("cuMemcpyDtoH_v2", target, source, bytes);
  }
}

void *GPU::function(const std::string &ptx, const std::string &kernel,
                    int shared) {
  void *&module = modules[ptx];
  if (!module) {
    call("cuModuleLoadData", &module, static_cast<const void *>(ptx.c_str()));
  }
  void *function = nullptr;
  call("cuModuleGetFunction", &function, module, kernel.c_str());
  call("cuFuncSetAttribute", function, maxDynamicShared, shared);
  return function;
}

void GPU::renewContext() {
  modules.clear();
  call("cuDevicePrimaryCtxReset_v2", device);
  openContext();
  findings(); // of memory that was not freed
}

void GPU::fail(const std::string &what) {
  std::string found = findings();
  renewContext();
  throw GPUError(what + "\n" + found);
}

void GPU::launch(const std::string &ptx, const Launch &launch) {
  try {
    void *kernel =
        function(ptx, launch.kernel, static_cast<int>(launch.shared));
    std::vector<void *> parameters;
    for (const std::vector<std::byte> &parameter : launch.parameters) {
      parameters.push_back(const_cast<std::byte *>(parameter.data()));
    }
    void *stream = nullptr;
    void **extra = nullptr;
    call("cuLaunchKernel", kernel, launch.grid[0], launch.grid[1],
         launch.grid[2], launch.threads, 1U, 1U, launch.shared, stream,
         parameters.data(), extra);
    call("cuCtxSynchronize");
  } catch (const GPUError &) {
    renewContext();
    throw;
  }
}

GPUMemory::~GPUMemory() {
  try {
    GPU::get().free(place);
  } catch (const GPUError &) {
    return; // gone with a context that failed
  }
}

} // namespace cheems::test
