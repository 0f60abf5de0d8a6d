//===- EventEntries.cpp ---------------------------------------------------===//
#include "Functions.h"
#include "Process.h"

namespace cheems::emulator::driver {
namespace {

CUresult record(CUevent handle, CUstream streamHandle, unsigned flags) {
  return callInContext([&](Context &context) {
    require(flags <= CU_EVENT_RECORD_EXTERNAL);
    Event &event = findEvent(handle);
    require(event.context.lock().get() == &context, CUDA_ERROR_INVALID_HANDLE);
    Stream &stream = findStream(context, streamHandle);
    if (!stream.capture) {
      require(flags == CU_EVENT_RECORD_DEFAULT, CUDA_ERROR_ILLEGAL_STATE);
      event.recorded = enqueue(context, stream, std::make_unique<EmptyWork>());
      event.captured.reset();
      return;
    }
    require(!stream.capture->capture->invalidated,
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    if (flags == CU_EVENT_RECORD_EXTERNAL) {
      enqueue(
          context, stream,
          std::make_unique<EventWork>(CU_GRAPH_NODE_TYPE_EVENT_RECORD, handle));
      return;
    }
    event.recorded = nullptr;
    event.captured = stream.capture;
  });
}

CUresult destroyEvent(CUevent event) {
  return call([&] {
    findEvent(event);
    process().events.remove(event);
  });
}

/// An event of a capture stands for a node, and nothing has run.
void refuseCaptured(Event &event) {
  if (event.captured) {
    event.captured->capture->invalidated = true;
    fail(CUDA_ERROR_CAPTURED_EVENT);
  }
}

Context &ownerOf(const Event &event, Context &current) {
  auto owner = event.context.lock();
  return owner ? *owner : current;
}

CUresult elapsed(float *milliseconds, CUevent start, CUevent end) {
  return callInContext([&](Context &) {
    require(milliseconds);
    Event &first = findEvent(start), &last = findEvent(end);
    for (Event *event : {&first, &last}) {
      refuseCaptured(*event);
      require(event->recorded && !(event->flags & CU_EVENT_DISABLE_TIMING),
              CUDA_ERROR_INVALID_HANDLE);
    }
    for (Event *event : {&first, &last}) {
      require(event->recorded->isDone(), CUDA_ERROR_NOT_READY);
    }
    *milliseconds =
        float((double(last.recorded->end) - double(first.recorded->end)) / 1e6);
  });
}

} // namespace

CUresult cuEventCreate(CUevent *result, unsigned flags) {
  return callInContext([&](Context &context) {
    require(result && flags <= 7);
    require(!(flags & CU_EVENT_INTERPROCESS), CUDA_ERROR_NOT_SUPPORTED);
    auto event = std::make_shared<Event>();
    event->context = context.weak_from_this();
    event->flags = flags;
    event->handle = process().events.add(event);
    *result = event->handle;
  });
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return record(event, stream, CU_EVENT_RECORD_DEFAULT);
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream,
                                unsigned flags) {
  return record(event, stream, flags);
}

CUresult cuEventQuery(CUevent handle) {
  return callInContext([&](Context &context) {
    Event &event = findEvent(handle);
    refuseCaptured(event);
    if (event.recorded && !event.recorded->isDone()) {
      auto recorded = event.recorded;
      ownerOf(event, context).queue.poll();
      require(recorded->isDone(), CUDA_ERROR_NOT_READY);
    }
  });
}

CUresult cuEventSynchronize(CUevent handle) {
  return callInContext([&](Context &context) {
    Event &event = findEvent(handle);
    refuseCaptured(event);
    if (auto recorded = event.recorded) {
      ownerOf(event, context).queue.finish(recorded);
    }
  });
}

CUresult cuEventDestroy(CUevent event) { return destroyEvent(event); }
CUresult cuEventDestroy_v2(CUevent event) { return destroyEvent(event); }

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  return elapsed(milliseconds, start, end);
}
CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start,
                               CUevent end) {
  return elapsed(milliseconds, start, end);
}

} // namespace cheems::emulator::driver
