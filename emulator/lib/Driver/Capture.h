//===- Capture.h - Streams that record instead of running -------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DRIVER_CAPTURE_H
#define CHEEMS_EMULATOR_DRIVER_CAPTURE_H

#include "Graph.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace cheems::emulator::driver {

struct Context;
struct Stream;

/// Streams that record into one graph: that in which capture began, and those
/// that joined it by waiting for an event that was recorded in one of them.
struct Capture {
  uint64_t id;
  std::shared_ptr<Graph> graph;
  bool ownsGraph = true; ///< not cuStreamBeginCaptureToGraph
  std::weak_ptr<Stream> origin;
  std::vector<std::weak_ptr<Stream>> streams; ///< with the origin
  CUstreamCaptureMode mode;
  uint64_t thread; ///< that began it
  bool invalidated = false;
};

/// The state of a stream's capture: what its next node depends on.
struct CapturePoint {
  std::shared_ptr<Capture> capture;
  std::vector<Edge> tails;
};

/// Answers 900 and invalidates captures if this thread may not make calls now
/// that could be unsafe while some thread captures (allocations, say): see
/// cuThreadExchangeStreamCaptureMode.
void refuseUnsafeCall();
/// Does what refuseUnsafeCall does, for calls that concern all streams of a
/// context.
void refuseWhileCapturing(Context &context);
/// Work of the legacy stream would wait for blocking streams: 906 if one of
/// them captures.
void refuseImplicitDependency(Context &context);
/// 901 if the stream's capture was invalidated, else it is invalidated now and
/// the answer is `code`. Nothing happens to a stream that does not capture.
void refuseInCapture(Stream &stream,
                     CUresult code = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);

} // namespace cheems::emulator::driver

#endif
