// A driver that hands each call to the one that TRACING_DRIVER_BEHIND names,
// but launches no kernel: it writes to TRACING_DRIVER_FILE what would be
// launched, a JSON object a line. So a step takes no time, whatever its model.
//
// An address is told as [allocation, offset], allocations by their order.
#include "runtime/CUDA/Types.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <string>

using namespace cheems::cuda;

namespace {

using Word = unsigned long;

void *behind(const char *symbol) {
  static void *library =
      dlopen(std::getenv("TRACING_DRIVER_BEHIND"), RTLD_NOW | RTLD_LOCAL);
  void *address = library ? dlsym(library, symbol) : nullptr;
  if (!address) {
    std::fprintf(stderr, "tracing_driver: no %s after it\n", symbol);
    std::abort();
  }
  return address;
}

FILE *file() {
  static FILE *opened = std::fopen(std::getenv("TRACING_DRIVER_FILE"), "w");
  if (!opened) {
    std::perror("tracing_driver: TRACING_DRIVER_FILE");
    std::abort();
  }
  return opened;
}

struct Allocation {
  int number;
  size_t bytes;
};

constexpr size_t mapBytes = sizeof(CUtensorMap);
std::map<Word, Allocation> allocations; ///< by their addresses
std::map<CUfunction, std::string> functions;
std::map<std::string, std::string> maps; ///< what was said of each, by bytes

std::string place(Word address) {
  auto found = allocations.upper_bound(address);
  if (found != allocations.begin() && address != 0) {
    --found;
    if (address - found->first < found->second.bytes) {
      return "[" + std::to_string(found->second.number) + ", " +
             std::to_string(address - found->first) + "]";
    }
  }
  return std::to_string(address);
}

template <typename Number>
std::string list(const Number *numbers, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += (i ? ", " : "") + std::to_string(numbers[i]);
  }
  return "[" + text + "]";
}

std::string argument(const void *bytes, size_t size) {
  if (size == mapBytes) {
    auto found = maps.find(std::string(static_cast<const char *>(bytes), size));
    return found == maps.end() ? "\"no map\"" : found->second;
  }
  Word value = 0;
  std::memcpy(&value, bytes, size < sizeof(value) ? size : sizeof(value));
  return size == sizeof(value) ? place(value) : std::to_string(value);
}

void launch(const CUlaunchConfig &config, CUfunction function,
            void **parameters) {
  using Info = CUresult (*)(CUfunction, size_t, size_t *, size_t *);
  static auto infoOf = reinterpret_cast<Info>(behind("cuFuncGetParamInfo"));
  std::string arguments;
  size_t offset = 0, size = 0;
  for (size_t i = 0; infoOf(function, i, &offset, &size) == CUDA_SUCCESS; ++i) {
    arguments += (i ? ", " : "") + argument(parameters[i], size);
  }
  std::fprintf(file(),
               "{\"launch\": \"%s\", \"grid\": [%u, %u, %u], \"threads\": %u, "
               "\"shared\": %u, \"overlaps\": %s, \"arguments\": [%s]}\n",
               functions[function].c_str(), config.gridDimX, config.gridDimY,
               config.gridDimZ, config.blockDimX * config.blockDimY,
               config.sharedMemBytes, config.numAttrs ? "true" : "false",
               arguments.c_str());
}

/// What a call did, which succeeded.
void keep(const char *name, Word a, Word b, Word c) {
  static int number = 0;
  if (std::strcmp(name, "cuMemAlloc") == 0) {
    allocations[*reinterpret_cast<CUdeviceptr *>(a)] = {number, b};
    std::fprintf(file(), "{\"allocation\": %d, \"bytes\": %lu}\n", number++, b);
  } else if (std::strcmp(name, "cuModuleGetFunction") == 0) {
    functions[*reinterpret_cast<CUfunction *>(a)] =
        reinterpret_cast<const char *>(c);
  }
}

void forget(const char *name, Word address) {
  auto found = allocations.find(address);
  if (std::strcmp(name, "cuMemFree") == 0 && found != allocations.end()) {
    std::fprintf(file(), "{\"free\": %d}\n", found->second.number);
    allocations.erase(found);
  }
}

} // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

/// Begins a part of the file.
EXPORT void tracing_driver_mark(const char *text) {
  std::fprintf(file(), "{\"mark\": \"%s\"}\n", text);
  std::fflush(file());
}

// All parameters but those of the three below are whole numbers or addresses,
// and there are at most twelve: so many words hold those of any function.
using Function = CUresult (*)(Word, Word, Word, Word, Word, Word, Word, Word,
                              Word, Word, Word, Word);
#define ENTRY(name, symbol, parameters)                                        \
  EXPORT CUresult symbol(Word a, Word b, Word c, Word d, Word e, Word f,       \
                         Word g, Word h, Word i, Word j, Word k, Word l) {     \
    static auto function = reinterpret_cast<Function>(behind(#symbol));        \
    if (std::strcmp(#name, "cuLaunchKernelEx") == 0) {                         \
      launch(*reinterpret_cast<const CUlaunchConfig *>(a),                     \
             reinterpret_cast<CUfunction>(b), reinterpret_cast<void **>(c));   \
      return CUDA_SUCCESS;                                                     \
    }                                                                          \
    if (std::strcmp(#name, "cuTensorMapEncodeTiled") == 0) {                   \
      CUresult code = function(a, b, c, d, e, f, g, h, i, j, k, l);            \
      auto rank = static_cast<uint32_t>(c);                                    \
      maps[std::string(reinterpret_cast<char *>(a), mapBytes)] =               \
          "{\"map\": " + place(d) + ", \"type\": " + std::to_string(b) +       \
          ", \"extents\": " +                                                  \
          list(reinterpret_cast<const uint64_t *>(e), rank) +                  \
          ", \"strides\": " +                                                  \
          list(reinterpret_cast<const uint64_t *>(f), rank - 1) +              \
          ", \"box\": " + list(reinterpret_cast<const uint32_t *>(g), rank) +  \
          ", \"modes\": [" + std::to_string(static_cast<int>(i)) + ", " +      \
          std::to_string(static_cast<int>(j)) + ", " +                         \
          std::to_string(static_cast<int>(k)) + ", " +                         \
          std::to_string(static_cast<int>(l)) + "]}";                          \
      return code;                                                             \
    }                                                                          \
    forget(#name, a);                                                          \
    CUresult code = function(a, b, c, d, e, f, g, h, i, j, k, l);              \
    if (code == CUDA_SUCCESS) {                                                \
      keep(#name, a, b, c);                                                    \
    }                                                                          \
    return code;                                                               \
  }
#include "runtime/CUDA/Entries.def"

EXPORT CUresult cuDriverGetVersion(int *version) {
  return reinterpret_cast<CUresult (*)(int *)>(behind("cuDriverGetVersion"))(
      version);
}

EXPORT CUresult cuGetErrorName(CUresult code, const char **text) {
  return reinterpret_cast<CUresult (*)(CUresult, const char **)>(
      behind("cuGetErrorName"))(code, text);
}

EXPORT CUresult cuGetErrorString(CUresult code, const char **text) {
  return reinterpret_cast<CUresult (*)(CUresult, const char **)>(
      behind("cuGetErrorString"))(code, text);
}
