#include "runtime/CUDA/Memory.h"
#include <algorithm>

using namespace cheems;
using namespace cheems::cuda;

namespace {

std::string number(size_t value) { return std::to_string(value); }

} // namespace

DeviceMemory::DeviceMemory(std::shared_ptr<const Context> context,
                           int64_t bytes)
    : context(std::move(context)), size(std::max<int64_t>(bytes, 1)) {}

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
    size_t free = 0, total = 0;
    driver.cuMemGetInfo(&free, &total);
    throw Error("cannot allocate " + number(static_cast<size_t>(size)) +
                " bytes of GPU memory for " + purpose + ": " + number(free) +
                " of " + number(total) + " are free");
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
    throw Error("cannot allocate " + number(static_cast<size_t>(size)) +
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
