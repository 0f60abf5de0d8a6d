//===- StreamEntries.cpp --------------------------------------------------===//
#include "Functions.h"
#include "Process.h"

#include <algorithm>

namespace cheems::emulator::driver {
namespace {

CUresult create(CUstream *result, unsigned flags, int priority) {
  return callInContext([&](Context &context) {
    require(result && flags <= CU_STREAM_NON_BLOCKING);
    auto stream = std::make_shared<Stream>();
    stream->context = context.weak_from_this();
    stream->flags = flags;
    stream->priority =
        std::clamp(priority, greatestStreamPriority, leastStreamPriority);
    stream->id = ++process().streamIds;
    stream->handle = process().streams.add(stream);
    *result = stream->handle;
  });
}

CUresult destroyStream(CUstream handle) {
  return call([&] {
    auto stream = process().streams.get(handle);
    auto context = stream->context.lock();
    if (stream->capture) {
      stream->capture->capture->invalidated = true;
    }
    // What it still has to do is done all the same, and the legacy stream
    // waits for it.
    if (context && stream->isBlocking()) {
      auto &orphans = context->orphans;
      orphans.insert(orphans.end(), stream->tails.begin(), stream->tails.end());
    }
    process().streams.remove(handle);
  });
}

bool isIdle(Context &context, Stream &stream) {
  for (const Dependency &dependency : before(context, stream)) {
    if (!dependency.on->isDone()) {
      return false;
    }
  }
  return true;
}

} // namespace

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  return create(stream, flags, 0);
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags,
                                    int priority) {
  return create(stream, flags, priority);
}

CUresult cuStreamDestroy(CUstream stream) { return destroyStream(stream); }
CUresult cuStreamDestroy_v2(CUstream stream) { return destroyStream(stream); }

CUresult cuStreamQuery(CUstream handle) {
  return callInContext([&](Context &context) {
    Stream &stream = findStream(context, handle);
    refuseInCapture(stream);
    if (stream.isLegacy()) {
      refuseImplicitDependency(context);
    }
    if (!isIdle(context, stream)) {
      context.queue.poll();
    }
    require(isIdle(context, stream), CUDA_ERROR_NOT_READY);
  });
}

CUresult cuStreamSynchronize(CUstream handle) {
  return callInContext([&](Context &context) {
    auto stream = sharedStream(context, handle);
    refuseInCapture(*stream);
    synchronise(context, *stream);
  });
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent eventHandle,
                           unsigned flags) {
  return callInContext([&](Context &context) {
    require(flags <= CU_EVENT_WAIT_EXTERNAL);
    auto stream = sharedStream(context, handle);
    Event &event = findEvent(eventHandle);
    if (stream->capture && flags == CU_EVENT_WAIT_EXTERNAL) {
      enqueue(context, *stream,
              std::make_unique<EventWork>(CU_GRAPH_NODE_TYPE_WAIT_EVENT,
                                          eventHandle));
      return;
    }
    if (event.captured) {
      Capture &capture = *event.captured->capture;
      require(!capture.invalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
      if (!stream->capture) {
        // The stream joins the capture.
        require(!stream->isLegacy(), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
        stream->capture = CapturePoint{event.captured->capture, {}};
        capture.streams.push_back(stream);
      } else if (stream->capture->capture != event.captured->capture) {
        refuseInCapture(*stream, CUDA_ERROR_STREAM_CAPTURE_MERGE);
      }
      auto &tails = stream->capture->tails;
      for (const Edge &edge : event.captured->tails) {
        bool known = std::any_of(tails.begin(), tails.end(), [&](auto &tail) {
          return tail.node == edge.node;
        });
        if (!known) {
          tails.push_back(edge);
        }
      }
      return;
    }
    if (!event.recorded) {
      return; // never recorded: nothing to wait for
    }
    refuseInCapture(*stream, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    auto recorded = recordedHere(context, event);
    if (!recorded) {
      return;
    }
    // An operation of its own, so that a kernel after it does not start before
    // what the event stands for.
    auto dependencies = before(context, *stream);
    dependencies.push_back({recorded});
    stream->tails = {
        {context.queue.add(std::make_unique<EmptyWork>(), dependencies)}};
  });
}

CUresult cuStreamAddCallback(CUstream handle, CUstreamCallback callback,
                             void *userData, unsigned flags) {
  return callInContext([&](Context &context) {
    require(callback && flags == 0);
    Stream &stream = findStream(context, handle);
    refuseInCapture(stream);
    enqueue(context, stream,
            std::make_unique<CallbackWork>(callback, handle, userData));
  });
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *userData) {
  return callInContext([&](Context &context) {
    require(function);
    enqueue(context, findStream(context, stream),
            std::make_unique<HostWork>(function, userData));
  });
}

CUresult cuStreamGetPriority(CUstream stream, int *priority) {
  return callInContext([&](Context &context) {
    require(priority);
    *priority = findStream(context, stream).priority;
  });
}

CUresult cuStreamGetFlags(CUstream stream, unsigned *flags) {
  return callInContext([&](Context &context) {
    require(flags);
    *flags = findStream(context, stream).flags;
  });
}

CUresult cuStreamGetId(CUstream stream, unsigned long long *streamId) {
  return callInContext([&](Context &context) {
    require(streamId);
    *streamId = findStream(context, stream).id;
  });
}

CUresult cuStreamGetDevice(CUstream stream, CUdevice *device) {
  return callInContext([&](Context &context) {
    require(device);
    findStream(context, stream);
    *device = 0;
  });
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext *result) {
  return callInContext([&](Context &context) {
    require(result);
    findStream(context, stream);
    *result = context.handle;
  });
}

CUresult cuStreamCopyAttributes(CUstream dst, CUstream src) {
  return callInContext([&](Context &context) {
    Stream &from = findStream(context, src);
    findStream(context, dst).priority = from.priority;
  });
}

CUresult cuStreamGetAttribute(CUstream handle, CUlaunchAttributeID attribute,
                              CUlaunchAttributeValue *value) {
  return callInContext([&](Context &context) {
    require(value);
    Stream &stream = findStream(context, handle);
    *value = {};
    switch (attribute) {
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
      value->priority = stream.priority;
      return;
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
      return; // hints, which are not kept
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
      value->memSyncDomainMap.remote = 1;
      return;
    default:
      fail(CUDA_ERROR_INVALID_VALUE);
    }
  });
}

CUresult cuStreamSetAttribute(CUstream handle, CUlaunchAttributeID attribute,
                              const CUlaunchAttributeValue *value) {
  return callInContext([&](Context &context) {
    require(value);
    Stream &stream = findStream(context, handle);
    switch (attribute) {
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
      require(!stream.isLegacy());
      stream.priority = std::clamp(value->priority, greatestStreamPriority,
                                   leastStreamPriority);
      return;
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
      return;
    default:
      fail(CUDA_ERROR_INVALID_VALUE);
    }
  });
}

} // namespace cheems::emulator::driver
