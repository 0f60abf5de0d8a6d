// Calls the driver's functions by their names.
#include "Card.h"
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

Card &Card::get() {
  static Card card;
  return card;
}

Card::Card() {
  report = "/tmp/cheems-findings-" + std::to_string(getpid());
  setenv("CHEEMS_EMULATOR_REPORT", report.c_str(), 1);
  library = dlopen(cheems::test_paths::softwareGPU, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    throw CardError(dlerror());
  }
  call("cuInit", 0U);
  call("cuDeviceGet", &device, 0);
  openContext();
}

void Card::openContext() {
  void *context = nullptr;
  call("cuDevicePrimaryCtxRetain", &context, device);
  call("cuCtxSetCurrent", context);
}

std::string Card::architecture() const {
  return std::strcmp(setting("CHEEMS_EMULATOR_ARCH", "90"), "80") == 0
             ? "sm_80"
             : "sm_90a";
}

bool Card::copiesEarly() {
  return std::strcmp(setting("CHEEMS_EMULATOR_MODE", "early"), "early") == 0;
}

void *Card::symbol(const char *name) {
  auto [found, fresh] = symbols.try_emplace(name);
  if (fresh) {
    found->second = dlsym(library, name);
    if (!found->second) {
      throw CardError(std::string("the driver has no ") + name);
    }
  }
  return found->second;
}

template <typename... Arguments>
void Card::call(const char *name, Arguments... arguments) {
  auto function = reinterpret_cast<int (*)(Arguments...)>(symbol(name));
  if (int status = function(arguments...)) {
    auto nameOf =
        reinterpret_cast<int (*)(int, const char **)>(symbol("cuGetErrorName"));
    const char *error = nullptr;
    nameOf(status, &error);
    throw CardError(std::string(name) + ": " + (error ? error : "?") + "\n" +
                    findings());
  }
}

std::string Card::findings() {
  std::ifstream file(report);
  std::stringstream text;
  text << file.rdbuf();
  if (truncate(report.c_str(), 0) != 0) {
    return text.str(); // nothing was found yet
  }
  return text.str();
}

Card::Address Card::allocate(size_t bytes) {
  Address address = 0;
  call("cuMemAlloc_v2", &address, bytes);
  return address;
}

void Card::free(Address address) { call("cuMemFree_v2", address); }

void Card::write(Address target, const void *source, size_t bytes) {
  if (bytes) {
    call("cuMemcpyHtoD_v2", target, source, bytes);
  }
}

void Card::read(void *target, Address source, size_t bytes) {
  if (bytes) {
    call("cuMemcpyDtoH_v2", target, source, bytes);
  }
}

std::vector<std::byte> Card::tensorMap(const Matrix &matrix) {
  struct alignas(64) Map {
    std::byte bytes[128];
  } map;
  // The numbers of cuda.h, innermost dimension first.
  constexpr int types[] = {6, 9, 7}, none = 0, promoted = 2;
  bool isWord = matrix.element == Matrix::Element::f32;
  uint64_t bytes = (isWord ? 4 : 2) * matrix.columns;
  const uint64_t extents[] = {matrix.columns, matrix.rows};
  // Of a row alone it leads nowhere.
  const uint64_t strides[] = {matrix.rows == 1 ? (bytes + 15) / 16 * 16
                                               : bytes};
  const uint32_t box[] = {matrix.boxColumns, matrix.boxRows}, each[] = {1, 1};
  int swizzle = isWord                    ? none
                : matrix.boxColumns == 64 ? 3
                : matrix.boxColumns == 32 ? 2
                                          : 1;
  call("cuTensorMapEncodeTiled", static_cast<void *>(&map),
       types[static_cast<int>(matrix.element)], 2U,
       reinterpret_cast<void *>(matrix.address), &extents[0], &strides[0],
       &box[0], &each[0], none, swizzle, promoted, none);
  return {std::begin(map.bytes), std::end(map.bytes)};
}

void Card::launch(const std::string &ptx, const Launch &launch) {
  try {
    void *&module = modules[ptx];
    if (!module) {
      call("cuModuleLoadData", &module, static_cast<const void *>(ptx.c_str()));
    }
    void *function = nullptr;
    call("cuModuleGetFunction", &function, module, launch.kernel.c_str());
    call("cuFuncSetAttribute", function, maxDynamicShared,
         static_cast<int>(launch.shared));
    std::vector<void *> parameters;
    for (const std::vector<std::byte> &parameter : launch.parameters) {
      parameters.push_back(const_cast<std::byte *>(parameter.data()));
    }
    void *stream = nullptr;
    void **extra = nullptr;
    call("cuLaunchKernel", function, launch.grid[0], launch.grid[1],
         launch.grid[2], launch.threads, 1U, 1U, launch.shared, stream,
         parameters.data(), extra);
    call("cuCtxSynchronize");
  } catch (const CardError &) {
    // The context keeps its error for ever.
    modules.clear();
    call("cuDevicePrimaryCtxReset_v2", device);
    openContext();
    findings(); // of memory that was not freed
    throw;
  }
}

CardMemory::~CardMemory() {
  try {
    Card::get().free(place);
  } catch (const CardError &) {
    return; // gone with a context that failed
  }
}

} // namespace cheems::test
