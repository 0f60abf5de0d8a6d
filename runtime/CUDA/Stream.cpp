#include "runtime/CUDA/Stream.h"

using namespace cheems;
using namespace cheems::cuda;

Stream::Stream(std::shared_ptr<const Context> context)
    : owner(std::move(context)) {
  Context::Current current(*owner);
  owner->driver().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
}

Stream::~Stream() {
  owner->cleanUp([&] {
    owner->driver().cuStreamSynchronize.result(stream);
    owner->driver().cuStreamDestroy.result(stream);
  });
}

// The driver refuses some empty copies.
void Stream::copyToDevice(CUdeviceptr to, const void *from,
                          int64_t bytes) const {
  if (bytes != 0) {
    Context::Current current(*owner);
    owner->driver().cuMemcpyHtoDAsync(to, from, static_cast<size_t>(bytes),
                                      stream);
  }
}

void Stream::copyToHost(void *to, CUdeviceptr from, int64_t bytes) const {
  if (bytes != 0) {
    Context::Current current(*owner);
    owner->driver().cuMemcpyDtoHAsync(to, from, static_cast<size_t>(bytes),
                                      stream);
  }
}

void Stream::copyOnDevice(CUdeviceptr to, CUdeviceptr from,
                          int64_t bytes) const {
  if (bytes != 0) {
    Context::Current current(*owner);
    owner->driver().cuMemcpyDtoDAsync(to, from, static_cast<size_t>(bytes),
                                      stream);
  }
}

void Stream::zero(CUdeviceptr to, int64_t bytes) const {
  if (bytes != 0) {
    Context::Current current(*owner);
    owner->driver().cuMemsetD8Async(to, 0, static_cast<size_t>(bytes), stream);
  }
}

void Stream::synchronize() const {
  Context::Current current(*owner);
  owner->driver().cuStreamSynchronize(stream);
}

void Stream::drain() const noexcept {
  owner->cleanUp([&] { owner->driver().cuStreamSynchronize.result(stream); });
}
