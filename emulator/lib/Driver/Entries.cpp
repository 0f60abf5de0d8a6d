//===- Entries.cpp --------------------------------------------------------===//
#include "Functions.h"
#include "Process.h"

#include <cstring>

/// What of cuda.h this driver lacks is exported, too: it names itself once
/// where findings go, and answers 801.
#define IMPLEMENTED(base, symbol, version, variant)
#define MISSING(base, symbol, version, variant)                                \
  CHEEMS_DRIVER_API cheems::emulator::driver::CUresult symbol() {              \
    return cheems::emulator::driver::missing(#symbol);                         \
  }

namespace cheems::emulator::driver {
namespace {

CUresult missing(const char *name) {
  try {
    std::lock_guard guard(process().lock);
    noteOnce(std::string(name) + " is not modelled by this emulator");
    return CUDA_ERROR_NOT_SUPPORTED;
  } catch (...) {
    return codeOfException();
  }
}

} // namespace

#include "Entries.def"

#undef IMPLEMENTED
#undef MISSING

namespace {

enum Variant { legacy, perThread };

struct Entry {
  const char *base;
  int version; ///< of CUDA, the first that has the function in this form
  Variant variant;
  void *address;
};

const Entry entries[] = {
#define IMPLEMENTED(base, symbol, version, variant)                            \
  {#base, version, Variant::variant, reinterpret_cast<void *>(&symbol)},
#define MISSING IMPLEMENTED
#include "Entries.def"
#undef IMPLEMENTED
#undef MISSING
};

/// The newest form of a function that callers of a version know; with
/// `preferPerThread` that for threads' default streams where there is one.
const Entry *newest(const char *base, int version, bool preferPerThread) {
  const Entry *found = nullptr;
  for (const Entry &entry : entries) {
    if (std::strcmp(entry.base, base) != 0 || entry.version > version) {
      continue;
    }
    bool wanted = entry.variant ==
                  (preferPerThread ? Variant::perThread : Variant::legacy);
    bool foundWanted =
        found && found->variant ==
                     (preferPerThread ? Variant::perThread : Variant::legacy);
    if (!found || (wanted && !foundWanted) ||
        (wanted == foundWanted && entry.version > found->version)) {
      found = &entry;
    }
  }
  // A function without a stream has one form alone; one with a stream has none
  // for threads where it is older than those.
  return found && (preferPerThread || found->variant == Variant::legacy)
             ? found
             : nullptr;
}

bool exists(const char *base) {
  for (const Entry &entry : entries) {
    if (std::strcmp(entry.base, base) == 0) {
      return true;
    }
  }
  return false;
}

} // namespace

CUresult cuGetProcAddress_v2(const char *symbol, void **found, int cudaVersion,
                             cuuint64_t flags,
                             CUdriverProcAddressQueryResult *symbolStatus) {
  constexpr cuuint64_t known = CU_GET_PROC_ADDRESS_LEGACY_STREAM |
                               CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  if (!symbol || !found || (flags & ~known) || flags == known) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const Entry *entry =
      newest(symbol, cudaVersion,
             flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
  *found = entry ? entry->address : nullptr;
  CUdriverProcAddressQueryResult status =
      entry            ? CU_GET_PROC_ADDRESS_SUCCESS
      : exists(symbol) ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                       : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  if (symbolStatus) {
    *symbolStatus = status;
    return CUDA_SUCCESS;
  }
  return entry ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress(const char *symbol, void **found, int cudaVersion,
                          cuuint64_t flags) {
  return cuGetProcAddress_v2(symbol, found, cudaVersion, flags, nullptr);
}

} // namespace cheems::emulator::driver
