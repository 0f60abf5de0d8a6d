// A driver that hands each call to the one that FAULTY_DRIVER_BEHIND names. It
// fails when faultyDriver() tells it to. The environment has it lie:
// FAULTY_DRIVER_VERSION is what it says of its version, FAULTY_DRIVER_INIT what
// cuInit answers, FAULTY_DRIVER_GPU the GPU's name, FAULTY_DRIVER_CAPABILITY
// its compute capability, "75". The kernel that FAULTY_DRIVER_WAITLESS names
// loses each griddepcontrol.wait when it is loaded. FAULTY_DRIVER_REPLACE is
// "FROM=>TO", which all text gets that is loaded.
#include "FaultyDriver.h"
#include "runtime/CUDA/Types.h"
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <initializer_list>
#include <mutex>
#include <string>
#include <vector>

using namespace cheems::cuda;

namespace {

std::atomic<long> count{0}, early{0}, graphs{0}, failing{0}, living{0};
std::atomic<int> failure{0};
std::mutex namesMutex;
std::vector<const char *> names; ///< of the calls that are counted

void *behind(const char *symbol) {
  static void *library =
      dlopen(std::getenv("FAULTY_DRIVER_BEHIND"), RTLD_NOW | RTLD_LOCAL);
  void *address = library ? dlsym(library, symbol) : nullptr;
  if (!address) {
    std::fprintf(stderr, "FaultyDriver: the driver behind it has no %s\n",
                 symbol);
    std::abort();
  }
  return address;
}

int fromEnvironment(const char *name, int otherwise) {
  const char *value = std::getenv(name);
  return value ? static_cast<int>(std::strtol(value, nullptr, 10)) : otherwise;
}

bool oneOf(const char *name, std::initializer_list<const char *> names) {
  for (const char *each : names) {
    if (std::strcmp(name, each) == 0) {
      return true;
    }
  }
  return false;
}

/// 1 for what makes something, -1 for what gives it back.
int effect(const char *name) {
  if (oneOf(name, {"cuMemAlloc", "cuMemAllocHost", "cuStreamCreate",
                   "cuEventCreate", "cuDevicePrimaryCtxRetain",
                   "cuCtxPushCurrent", "cuModuleLoadDataEx",
                   "cuStreamEndCapture", "cuGraphInstantiateWithFlags"})) {
    return 1;
  }
  return oneOf(name, {"cuMemFree", "cuMemFreeHost", "cuStreamDestroy",
                      "cuEventDestroy", "cuDevicePrimaryCtxRelease",
                      "cuCtxPopCurrent", "cuModuleUnload", "cuGraphDestroy",
                      "cuGraphExecDestroy"})
             ? -1
             : 0;
}

/// What is told of the GPU in place of the truth.
void lie(const char *name, unsigned long first, unsigned long second) {
  const char *gpu = std::getenv("FAULTY_DRIVER_GPU");
  if (gpu && std::strcmp(name, "cuDeviceGetName") == 0) {
    std::strncpy(reinterpret_cast<char *>(first), gpu, second);
  }
  int capability = fromEnvironment("FAULTY_DRIVER_CAPABILITY", 0);
  if (capability != 0 && std::strcmp(name, "cuDeviceGetAttribute") == 0) {
    int *value = reinterpret_cast<int *>(first);
    switch (static_cast<int>(second)) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = capability / 10;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      *value = capability % 10;
      break;
    default:
      break;
    }
  }
}

void removeWaits(const std::string &kernel, std::string &text) {
  constexpr char wait[] = "griddepcontrol.wait;";
  size_t begin = text.find(".entry " + kernel + "(");
  auto next = [&] {
    size_t at = begin == std::string::npos ? begin : text.find(wait, begin);
    return at < text.find(".entry ", begin + 1) ? at : std::string::npos;
  };
  if (next() == std::string::npos) {
    std::fprintf(stderr, "FaultyDriver: no %s that waits\n", kernel.c_str());
    std::abort();
  }
  for (size_t at = next(); at != std::string::npos; at = next()) {
    text.erase(at, sizeof(wait) - 1);
  }
}

/// `change` is "FROM=>TO".
void replaceAll(const std::string &change, std::string &text) {
  constexpr char arrow[] = "=>";
  const size_t middle = change.find(arrow);
  if (middle == 0 || middle == std::string::npos) {
    std::fprintf(stderr, "FaultyDriver: '%s' is no FROM=>TO\n", change.c_str());
    std::abort();
  }
  const std::string to = change.substr(middle + sizeof(arrow) - 1);
  for (size_t at = text.find(change.c_str(), 0, middle);
       at != std::string::npos;
       at = text.find(change.c_str(), at + to.size(), middle)) {
    text.replace(at, middle, to);
  }
}

/// A module's image as it is loaded; `text` holds what was changed.
unsigned long loaded(const char *name, unsigned long image, std::string &text) {
  const char *kernel = std::getenv("FAULTY_DRIVER_WAITLESS");
  const char *change = std::getenv("FAULTY_DRIVER_REPLACE");
  if ((!kernel && !change) || std::strcmp(name, "cuModuleLoadDataEx") != 0 ||
      reinterpret_cast<const char *>(image)[0] == '\x7f') { // machine code
    return image;
  }
  text = reinterpret_cast<const char *>(image);
  if (kernel) {
    removeWaits(kernel, text);
  }
  if (change) {
    replaceAll(change, text);
  }
  return reinterpret_cast<unsigned long>(text.c_str());
}

/// Whether a call launches a kernel that may begin before the previous one
/// ends.
bool overlaps(const char *name, unsigned long first) {
  if (std::strcmp(name, "cuLaunchKernelEx") != 0) {
    return false;
  }
  auto config = reinterpret_cast<const CUlaunchConfig *>(first);
  return config->numAttrs == 1 &&
         config->attrs->id ==
             CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION &&
         config->attrs->value.programmaticStreamSerializationAllowed == 1;
}

/// What all functions have in common.
template <typename Forward>
CUresult call(const char *name, const Forward &forward) {
  bool fails = false;
  {
    std::lock_guard<std::mutex> lock(namesMutex);
    fails = ++count == failing;
    names.push_back(name);
  }
  int change = effect(name);
  // A thing that cannot be given back would stay for good: such a call fails
  // after its work.
  if (fails && change >= 0 && std::strcmp(name, "cuStreamEndCapture") != 0) {
    return failure;
  }
  CUresult code = forward();
  if (code == CUDA_SUCCESS) {
    living += change;
  }
  return fails ? failure.load() : code;
}

const FaultyDriver control = {[](long which, int code) {
                                failing = which;
                                failure = code;
                                std::lock_guard<std::mutex> lock(namesMutex);
                                count = 0;
                                names.clear();
                                early = 0;
                                graphs = 0;
                              },
                              [] { return count.load(); },
                              [](long which) {
                                std::lock_guard<std::mutex> lock(namesMutex);
                                return names.at(static_cast<size_t>(which - 1));
                              },
                              [] { return early.load(); },
                              [] { return graphs.load(); },
                              [] { return living.load(); }};

} // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT const FaultyDriver *faultyDriver() { return &control; }

// All parameters are whole numbers or addresses, and there are at most twelve:
// so many words hold those of any function.
using Word = unsigned long;
using Function = CUresult (*)(Word, Word, Word, Word, Word, Word, Word, Word,
                              Word, Word, Word, Word);
// A sanitizer asks for the very type.
#define NO_FUNCTION_CHECK __attribute__((no_sanitize("function")))
#define FORWARD(name, symbol)                                                  \
  EXPORT CUresult symbol(Word a, Word b, Word c, Word d, Word e, Word f,       \
                         Word g, Word h, Word i, Word j, Word k, Word l) {     \
    static auto function = reinterpret_cast<Function>(behind(#symbol));        \
    if (std::strcmp(#name, "cuInit") == 0) {                                   \
      if (int code = fromEnvironment("FAULTY_DRIVER_INIT", 0)) {               \
        return code;                                                           \
      }                                                                        \
    }                                                                          \
    std::string text;                                                          \
    b = loaded(#name, b, text);                                                \
    early += overlaps(#name, a);                                               \
    graphs += std::strcmp(#name, "cuGraphLaunch") == 0;                        \
    return call(#name, [&]() NO_FUNCTION_CHECK {                               \
      CUresult code = function(a, b, c, d, e, f, g, h, i, j, k, l);            \
      lie(#name, a, b);                                                        \
      return code;                                                             \
    });                                                                        \
  }
#define ENTRY(name, symbol, parameters) FORWARD(name, symbol)
#include "runtime/CUDA/Entries.def"
FORWARD(cuCtxSetCurrent, cuCtxSetCurrent) // what scripts/gpu_check needs, too

EXPORT CUresult cuDriverGetVersion(int *version) {
  *version = fromEnvironment("FAULTY_DRIVER_VERSION", 12030);
  return CUDA_SUCCESS;
}

EXPORT NO_FUNCTION_CHECK CUresult cuGetErrorName(CUresult code,
                                                 const char **text) {
  return reinterpret_cast<CUresult (*)(CUresult, const char **)>(
      behind("cuGetErrorName"))(code, text);
}

EXPORT NO_FUNCTION_CHECK CUresult cuGetErrorString(CUresult code,
                                                   const char **text) {
  return reinterpret_cast<CUresult (*)(CUresult, const char **)>(
      behind("cuGetErrorString"))(code, text);
}
