#include "runtime/CUDA/Memory.h"
#include <algorithm>

using namespace cheems;
using namespace cheems::cuda;

namespace {

std::string number(int64_t value) { return std::to_string(value); }

struct Amounts {
  size_t free = 0, total = 0;
};

/// Asks about the current context.
Amounts amounts(const Driver &driver) {
  Amounts result;
  driver.cuMemGetInfo(&result.free, &result.total);
  return result;
}

MemoryShort shortage(const Amounts &has, int64_t bytes,
                     const std::string &purpose) {
  return MemoryShort("cannot allocate " + number(bytes) +
                     " bytes of GPU memory for " + purpose + ": " +
                     std::to_string(has.free) + " of " +
                     std::to_string(has.total) + " are free");
}

} // namespace

void cuda::requireFree(const Context &context, int64_t bytes,
                       const std::string &purpose) {
  Context::Current current(context);
  Amounts has = amounts(context.driver());
  if (bytes > 0 && static_cast<uint64_t>(bytes) > has.free) {
    throw shortage(has, bytes, purpose);
  }
}

DeviceMemory::DeviceMemory(std::shared_ptr<const Context> context,
                           int64_t bytes)
    : context(std::move(context)), size(sizeOf(bytes)) {}

// The other constructor's work is done when this one starts, so the destructor
// runs even where a call below fails.
DeviceMemory::DeviceMemory(std::shared_ptr<const Context> given, int64_t bytes,
                           const std::string &purpose, Content content)
    : DeviceMemory(std::move(given), bytes) {
  Context::Current current(*context);
  const Driver &driver = context->driver();
  CUresult code = driver.cuMemAlloc.result(&begin, static_cast<size_t>(size));
  if (code != CUDA_SUCCESS) {
    begin = 0;
  }
  if (code == CUDA_ERROR_OUT_OF_MEMORY) {
    throw shortage(amounts(driver), size, purpose);
  }
  if (code != CUDA_SUCCESS) {
    throwFailure(code, "cuMemAlloc");
  }
  if (content == Content::zero) {
    driver.cuMemsetD8Async(begin, 0, static_cast<size_t>(size), nullptr);
    driver.cuStreamSynchronize(nullptr); // other streams do not wait for it
  }
}

DeviceMemory::~DeviceMemory() {
  if (begin) {
    context->cleanUp([&] { context->driver().cuMemFree.result(begin); });
  }
}

PinnedMemory::PinnedMemory(std::shared_ptr<const Context> given, int64_t bytes,
                           const std::string &purpose)
    : context(std::move(given)), size(std::max<int64_t>(bytes, 1)) {
  Context::Current current(*context);
  CUresult code = context->driver().cuMemAllocHost.result(
      &begin, static_cast<size_t>(size));
  if (code == CUDA_ERROR_OUT_OF_MEMORY) {
    throw MemoryShort(
        "cannot allocate " + number(size) +
        " bytes of page-locked memory for " + purpose +
        "; end other programs, or raise the limit of locked memory");
  }
  if (code != CUDA_SUCCESS) {
    throwFailure(code, "cuMemAllocHost");
  }
}

PinnedMemory::~PinnedMemory() {
  context->cleanUp([&] { context->driver().cuMemFreeHost.result(begin); });
}
