//===- SetEntries.cpp -----------------------------------------------------===//
#include "Copy.h"
#include "Functions.h"
#include "Process.h"

namespace cheems::emulator::driver {
namespace {

const CUstream legacyStream = nullptr;
const CUstream threadStream = perThread(nullptr);

/// Sets of the GPU's memory wait for nobody, whatever their name.
CUresult set(CUdeviceptr dst, size_t pitch, unsigned value, unsigned bytes,
             size_t width, size_t height, CUstream handle, bool isAsync) {
  return callInContext([&](Context &context) {
    Stream &stream = findStream(context, handle);
    if (!isAsync) {
      refuseInCapture(stream);
      if (stream.isLegacy()) {
        refuseImplicitDependency(context);
      }
      refuseUnsafeCall();
    }
    enqueue(context, stream,
            makeSet(context, {dst, pitch, value, bytes, width, height}));
  });
}

} // namespace

CUresult cuMemsetD8_v2(CUdeviceptr dst, unsigned char value, size_t count) {
  return set(dst, 0, value, 1, count, 1, legacyStream, false);
}
CUresult cuMemsetD8_v2_ptds(CUdeviceptr dst, unsigned char value,
                            size_t count) {
  return set(dst, 0, value, 1, count, 1, threadStream, false);
}

CUresult cuMemsetD16_v2(CUdeviceptr dst, unsigned short value, size_t count) {
  return set(dst, 0, value, 2, count, 1, legacyStream, false);
}
CUresult cuMemsetD16_v2_ptds(CUdeviceptr dst, unsigned short value,
                             size_t count) {
  return set(dst, 0, value, 2, count, 1, threadStream, false);
}

CUresult cuMemsetD32_v2(CUdeviceptr dst, unsigned value, size_t count) {
  return set(dst, 0, value, 4, count, 1, legacyStream, false);
}
CUresult cuMemsetD32_v2_ptds(CUdeviceptr dst, unsigned value, size_t count) {
  return set(dst, 0, value, 4, count, 1, threadStream, false);
}

CUresult cuMemsetD2D8_v2(CUdeviceptr dst, size_t pitch, unsigned char value,
                         size_t width, size_t height) {
  return set(dst, pitch, value, 1, width, height, legacyStream, false);
}
CUresult cuMemsetD2D8_v2_ptds(CUdeviceptr dst, size_t pitch,
                              unsigned char value, size_t width,
                              size_t height) {
  return set(dst, pitch, value, 1, width, height, threadStream, false);
}

CUresult cuMemsetD2D16_v2(CUdeviceptr dst, size_t pitch, unsigned short value,
                          size_t width, size_t height) {
  return set(dst, pitch, value, 2, width, height, legacyStream, false);
}
CUresult cuMemsetD2D16_v2_ptds(CUdeviceptr dst, size_t pitch,
                               unsigned short value, size_t width,
                               size_t height) {
  return set(dst, pitch, value, 2, width, height, threadStream, false);
}

CUresult cuMemsetD2D32_v2(CUdeviceptr dst, size_t pitch, unsigned value,
                          size_t width, size_t height) {
  return set(dst, pitch, value, 4, width, height, legacyStream, false);
}
CUresult cuMemsetD2D32_v2_ptds(CUdeviceptr dst, size_t pitch, unsigned value,
                               size_t width, size_t height) {
  return set(dst, pitch, value, 4, width, height, threadStream, false);
}

CUresult cuMemsetD8Async(CUdeviceptr dst, unsigned char value, size_t count,
                         CUstream stream) {
  return set(dst, 0, value, 1, count, 1, stream, true);
}
CUresult cuMemsetD8Async_ptsz(CUdeviceptr dst, unsigned char value,
                              size_t count, CUstream stream) {
  return set(dst, 0, value, 1, count, 1, perThread(stream), true);
}

CUresult cuMemsetD16Async(CUdeviceptr dst, unsigned short value, size_t count,
                          CUstream stream) {
  return set(dst, 0, value, 2, count, 1, stream, true);
}
CUresult cuMemsetD16Async_ptsz(CUdeviceptr dst, unsigned short value,
                               size_t count, CUstream stream) {
  return set(dst, 0, value, 2, count, 1, perThread(stream), true);
}

CUresult cuMemsetD32Async(CUdeviceptr dst, unsigned value, size_t count,
                          CUstream stream) {
  return set(dst, 0, value, 4, count, 1, stream, true);
}
CUresult cuMemsetD32Async_ptsz(CUdeviceptr dst, unsigned value, size_t count,
                               CUstream stream) {
  return set(dst, 0, value, 4, count, 1, perThread(stream), true);
}

CUresult cuMemsetD2D8Async(CUdeviceptr dst, size_t pitch, unsigned char value,
                           size_t width, size_t height, CUstream stream) {
  return set(dst, pitch, value, 1, width, height, stream, true);
}
CUresult cuMemsetD2D8Async_ptsz(CUdeviceptr dst, size_t pitch,
                                unsigned char value, size_t width,
                                size_t height, CUstream stream) {
  return set(dst, pitch, value, 1, width, height, perThread(stream), true);
}

CUresult cuMemsetD2D16Async(CUdeviceptr dst, size_t pitch, unsigned short value,
                            size_t width, size_t height, CUstream stream) {
  return set(dst, pitch, value, 2, width, height, stream, true);
}
CUresult cuMemsetD2D16Async_ptsz(CUdeviceptr dst, size_t pitch,
                                 unsigned short value, size_t width,
                                 size_t height, CUstream stream) {
  return set(dst, pitch, value, 2, width, height, perThread(stream), true);
}

CUresult cuMemsetD2D32Async(CUdeviceptr dst, size_t pitch, unsigned value,
                            size_t width, size_t height, CUstream stream) {
  return set(dst, pitch, value, 4, width, height, stream, true);
}
CUresult cuMemsetD2D32Async_ptsz(CUdeviceptr dst, size_t pitch, unsigned value,
                                 size_t width, size_t height, CUstream stream) {
  return set(dst, pitch, value, 4, width, height, perThread(stream), true);
}

} // namespace cheems::emulator::driver
