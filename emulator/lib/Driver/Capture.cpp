//===- Capture.cpp --------------------------------------------------------===//
#include "Capture.h"

#include "Process.h"

namespace cheems::emulator::driver {
namespace {

template <typename F> void forEachCapture(F f) {
  for (const auto &weak : process().captures) {
    if (auto capture = weak.lock()) {
      f(*capture);
    }
  }
}

/// Whether a capture forbids this thread calls that may be unsafe.
bool forbids(const Capture &capture) {
  bool own = capture.thread == thread().number;
  switch (thread().captureMode) {
  case CU_STREAM_CAPTURE_MODE_GLOBAL:
    return capture.mode == CU_STREAM_CAPTURE_MODE_GLOBAL ||
           (own && capture.mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  case CU_STREAM_CAPTURE_MODE_THREAD_LOCAL:
    return own && capture.mode != CU_STREAM_CAPTURE_MODE_RELAXED;
  case CU_STREAM_CAPTURE_MODE_RELAXED:
    return false;
  }
  return false;
}

} // namespace

void refuseUnsafeCall() {
  bool refused = false;
  forEachCapture([&](Capture &capture) {
    if (forbids(capture)) {
      capture.invalidated = true;
      refused = true;
    }
  });
  require(!refused, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

void refuseWhileCapturing(Context &context) {
  bool refused = false;
  forEachCapture([&](Capture &capture) {
    auto origin = capture.origin.lock();
    if (origin && origin->context.lock().get() == &context) {
      capture.invalidated = true;
      refused = true;
    }
  });
  require(!refused, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

void refuseImplicitDependency(Context &context) {
  bool refused = false;
  forEachCapture([&](Capture &capture) {
    for (const auto &weak : capture.streams) {
      auto stream = weak.lock();
      if (stream && stream->capture && stream->isBlocking() &&
          stream->context.lock().get() == &context) {
        capture.invalidated = true;
        refused = true;
      }
    }
  });
  require(!refused, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
}

void refuseInCapture(Stream &stream, CUresult code) {
  if (!stream.capture) {
    return;
  }
  Capture &capture = *stream.capture->capture;
  require(!capture.invalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  capture.invalidated = true;
  fail(code);
}

} // namespace cheems::emulator::driver
