//===- CopyEntries.cpp ----------------------------------------------------===//
#include "Copy.h"
#include "Functions.h"
#include "Process.h"

namespace cheems::emulator::driver {
namespace {

const CUstream legacyStream = nullptr;
const CUstream threadStream = perThread(nullptr);

enum class Wait { yes, no };

CUDA_MEMCPY3D boxOf(const CUDA_MEMCPY2D &copy) {
  CUDA_MEMCPY3D box{};
  box.srcXInBytes = copy.srcXInBytes;
  box.srcY = copy.srcY;
  box.srcMemoryType = copy.srcMemoryType;
  box.srcHost = copy.srcHost;
  box.srcDevice = copy.srcDevice;
  box.srcArray = copy.srcArray;
  box.srcPitch = copy.srcPitch;
  box.dstXInBytes = copy.dstXInBytes;
  box.dstY = copy.dstY;
  box.dstMemoryType = copy.dstMemoryType;
  box.dstHost = copy.dstHost;
  box.dstDevice = copy.dstDevice;
  box.dstArray = copy.dstArray;
  box.dstPitch = copy.dstPitch;
  box.WidthInBytes = copy.WidthInBytes;
  box.Height = copy.Height;
  box.Depth = 1;
  return box;
}

CUDA_MEMCPY3D line(size_t bytes) {
  CUDA_MEMCPY3D box{};
  box.srcMemoryType = box.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  box.WidthInBytes = bytes;
  box.Height = box.Depth = 1;
  return box;
}

/// Keeps the host's bytes as they are now, one row after the other.
void stage(CopyWork &copy) {
  auto bytes = std::make_shared<std::vector<std::byte>>();
  bytes->reserve(copy.width * copy.height * copy.depth);
  for (size_t z = 0; z < copy.depth; ++z) {
    for (size_t y = 0; y < copy.height; ++y) {
      const std::byte *row =
          copy.from.host + z * copy.from.slice + y * copy.from.pitch;
      bytes->insert(bytes->end(), row, row + copy.width);
    }
  }
  copy.staged = std::move(bytes);
}

/// CUDA Driver API, "API synchronization behavior": a copy to or from pageable
/// memory does not see what the host does to it later. One between two places
/// of the GPU waits for nobody, although its name says nothing of that.
void copy(Context &context, CUstream handle, const CUDA_MEMCPY3D &box,
          Wait wait) {
  Stream &stream = findStream(context, handle);
  if (wait == Wait::yes) {
    refuseInCapture(stream);
    if (stream.isLegacy()) {
      refuseImplicitDependency(context);
    }
    refuseUnsafeCall();
  }
  auto work = makeCopy(context, box);
  bool nothing = work->width == 0;
  bool fromHost = !nothing && !work->from.onDevice;
  bool toHost = !nothing && !work->to.onDevice;
  bool pageable = (fromHost && !context.isPageLocked(work->from.host)) ||
                  (toHost && !context.isPageLocked(work->to.host));
  bool waits = wait == Wait::yes ? fromHost || toHost : toHost && pageable;
  waits |= fromHost && toHost;
  if (!stream.capture && fromHost && pageable && !waits) {
    stage(*work);
  }
  auto operation = enqueue(context, stream, std::move(work));
  if (operation && waits) {
    context.queue.finish(operation);
  }
}

CUresult copyLine(CUstream stream, CUDA_MEMCPY3D box, Wait wait) {
  return callInContext(
      [&](Context &context) { copy(context, stream, box, wait); });
}

CUresult unified(CUdeviceptr dst, CUdeviceptr src, size_t bytes,
                 CUstream stream, Wait wait) {
  CUDA_MEMCPY3D box = line(bytes);
  box.srcDevice = src;
  box.dstDevice = dst;
  return copyLine(stream, box, wait);
}

CUresult hostToDevice(CUdeviceptr dst, const void *src, size_t bytes,
                      CUstream stream, Wait wait) {
  CUDA_MEMCPY3D box = line(bytes);
  box.srcMemoryType = CU_MEMORYTYPE_HOST;
  box.srcHost = src;
  box.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  box.dstDevice = dst;
  return copyLine(stream, box, wait);
}

CUresult deviceToHost(void *dst, CUdeviceptr src, size_t bytes, CUstream stream,
                      Wait wait) {
  CUDA_MEMCPY3D box = line(bytes);
  box.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  box.srcDevice = src;
  box.dstMemoryType = CU_MEMORYTYPE_HOST;
  box.dstHost = dst;
  return copyLine(stream, box, wait);
}

CUresult deviceToDevice(CUdeviceptr dst, CUdeviceptr src, size_t bytes,
                        CUstream stream, Wait wait) {
  CUDA_MEMCPY3D box = line(bytes);
  box.srcMemoryType = box.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  box.srcDevice = src;
  box.dstDevice = dst;
  return copyLine(stream, box, wait);
}

CUresult flat(const CUDA_MEMCPY2D *copy, CUstream stream, Wait wait) {
  return callInContext([&](Context &context) {
    require(copy);
    driver::copy(context, stream, boxOf(*copy), wait);
  });
}

CUresult solid(const CUDA_MEMCPY3D *copy, CUstream stream, Wait wait) {
  return callInContext([&](Context &context) {
    require(copy);
    driver::copy(context, stream, *copy, wait);
  });
}

} // namespace

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t bytes) {
  return unified(dst, src, bytes, legacyStream, Wait::yes);
}
CUresult cuMemcpy_ptds(CUdeviceptr dst, CUdeviceptr src, size_t bytes) {
  return unified(dst, src, bytes, threadStream, Wait::yes);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr dst, const void *src, size_t bytes) {
  return hostToDevice(dst, src, bytes, legacyStream, Wait::yes);
}
CUresult cuMemcpyHtoD_v2_ptds(CUdeviceptr dst, const void *src, size_t bytes) {
  return hostToDevice(dst, src, bytes, threadStream, Wait::yes);
}

CUresult cuMemcpyDtoH_v2(void *dst, CUdeviceptr src, size_t bytes) {
  return deviceToHost(dst, src, bytes, legacyStream, Wait::yes);
}
CUresult cuMemcpyDtoH_v2_ptds(void *dst, CUdeviceptr src, size_t bytes) {
  return deviceToHost(dst, src, bytes, threadStream, Wait::yes);
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes) {
  return deviceToDevice(dst, src, bytes, legacyStream, Wait::yes);
}
CUresult cuMemcpyDtoD_v2_ptds(CUdeviceptr dst, CUdeviceptr src, size_t bytes) {
  return deviceToDevice(dst, src, bytes, threadStream, Wait::yes);
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy) {
  return flat(copy, legacyStream, Wait::yes);
}
CUresult cuMemcpy2D_v2_ptds(const CUDA_MEMCPY2D *copy) {
  return flat(copy, threadStream, Wait::yes);
}

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy) {
  return flat(copy, legacyStream, Wait::yes);
}
CUresult cuMemcpy2DUnaligned_v2_ptds(const CUDA_MEMCPY2D *copy) {
  return flat(copy, threadStream, Wait::yes);
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy) {
  return solid(copy, legacyStream, Wait::yes);
}
CUresult cuMemcpy3D_v2_ptds(const CUDA_MEMCPY3D *copy) {
  return solid(copy, threadStream, Wait::yes);
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes,
                       CUstream stream) {
  return unified(dst, src, bytes, stream, Wait::no);
}
CUresult cuMemcpyAsync_ptsz(CUdeviceptr dst, CUdeviceptr src, size_t bytes,
                            CUstream stream) {
  return unified(dst, src, bytes, perThread(stream), Wait::no);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void *src, size_t bytes,
                              CUstream stream) {
  return hostToDevice(dst, src, bytes, stream, Wait::no);
}
CUresult cuMemcpyHtoDAsync_v2_ptsz(CUdeviceptr dst, const void *src,
                                   size_t bytes, CUstream stream) {
  return hostToDevice(dst, src, bytes, perThread(stream), Wait::no);
}

CUresult cuMemcpyDtoHAsync_v2(void *dst, CUdeviceptr src, size_t bytes,
                              CUstream stream) {
  return deviceToHost(dst, src, bytes, stream, Wait::no);
}
CUresult cuMemcpyDtoHAsync_v2_ptsz(void *dst, CUdeviceptr src, size_t bytes,
                                   CUstream stream) {
  return deviceToHost(dst, src, bytes, perThread(stream), Wait::no);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes,
                              CUstream stream) {
  return deviceToDevice(dst, src, bytes, stream, Wait::no);
}
CUresult cuMemcpyDtoDAsync_v2_ptsz(CUdeviceptr dst, CUdeviceptr src,
                                   size_t bytes, CUstream stream) {
  return deviceToDevice(dst, src, bytes, perThread(stream), Wait::no);
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream) {
  return flat(copy, stream, Wait::no);
}
CUresult cuMemcpy2DAsync_v2_ptsz(const CUDA_MEMCPY2D *copy, CUstream stream) {
  return flat(copy, perThread(stream), Wait::no);
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream) {
  return solid(copy, stream, Wait::no);
}
CUresult cuMemcpy3DAsync_v2_ptsz(const CUDA_MEMCPY3D *copy, CUstream stream) {
  return solid(copy, perThread(stream), Wait::no);
}

} // namespace cheems::emulator::driver
