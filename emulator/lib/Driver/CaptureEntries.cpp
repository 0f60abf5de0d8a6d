//===- CaptureEntries.cpp -------------------------------------------------===//
#include "Functions.h"
#include "Process.h"

#include <algorithm>

namespace cheems::emulator::driver {
namespace {

void begin(Context &context, CUstream handle, CUstreamCaptureMode mode,
           std::shared_ptr<Graph> graph, bool ownsGraph,
           std::vector<Edge> tails) {
  require(mode <= CU_STREAM_CAPTURE_MODE_RELAXED);
  auto stream = sharedStream(context, handle);
  require(!stream->isLegacy(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  require(!stream->capture, CUDA_ERROR_ILLEGAL_STATE);
  auto capture = std::make_shared<Capture>();
  capture->id = ++process().captureIds;
  capture->graph = std::move(graph);
  capture->ownsGraph = ownsGraph;
  capture->origin = stream;
  capture->streams = {stream};
  capture->mode = mode;
  capture->thread = thread().number;
  stream->capture = CapturePoint{capture, std::move(tails)};
  auto &all = process().captures;
  std::erase_if(all, [](const auto &weak) { return weak.expired(); });
  all.push_back(capture);
}

std::shared_ptr<Graph> newGraph() {
  auto graph = std::make_shared<Graph>();
  graph->handle = process().graphs.add(graph);
  return graph;
}

/// Every node that ends the graph must be one that the origin has come to.
bool isJoined(const Graph &graph, const std::vector<Edge> &tails) {
  return std::all_of(
      graph.nodes.begin(), graph.nodes.end(), [&](const auto &node) {
        return !node->after.empty() ||
               std::any_of(tails.begin(), tails.end(), [&](const Edge &tail) {
                 return tail.node == node.get();
               });
      });
}

void end(Context &context, CUstream handle, CUgraph *result) {
  require(result);
  *result = nullptr;
  auto stream = sharedStream(context, handle);
  require(stream->capture, CUDA_ERROR_ILLEGAL_STATE);
  auto capture = stream->capture->capture;
  require(capture->origin.lock() == stream,
          CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  require(capture->mode == CU_STREAM_CAPTURE_MODE_RELAXED ||
              capture->thread == thread().number,
          CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  auto tails = stream->capture->tails;
  for (const auto &weak : capture->streams) {
    if (auto member = weak.lock()) {
      member->capture.reset();
    }
  }
  // Events keep the capture, which has ended for all of them.
  bool wasInvalidated = capture->invalidated;
  bool joined = isJoined(*capture->graph, tails);
  capture->invalidated = true;
  std::erase_if(process().captures,
                [&](const auto &weak) { return weak.lock() == capture; });
  if (wasInvalidated || !joined) {
    if (capture->ownsGraph) {
      process().graphs.remove(capture->graph->handle);
    }
    fail(wasInvalidated ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                        : CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  }
  *result = capture->graph->handle;
}

/// Nodes and edges that a caller names, as one list.
std::vector<Edge> edgesOf(const CUgraphNode *nodes, const CUgraphEdgeData *data,
                          size_t count, const Graph &graph) {
  require(nodes || count == 0);
  std::vector<Edge> edges;
  for (size_t i = 0; i < count; ++i) {
    Node &node = findNode(nodes[i]);
    require(node.graph == &graph);
    edges.push_back({&node, data ? data[i] : CUgraphEdgeData{}});
  }
  return edges;
}

} // namespace

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  return callInContext([&](Context &context) {
    begin(context, stream, mode, newGraph(), true, {});
  });
}

CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph,
                                     const CUgraphNode *dependencies,
                                     const CUgraphEdgeData *dependencyData,
                                     size_t numDependencies,
                                     CUstreamCaptureMode mode) {
  return callInContext([&](Context &context) {
    auto target = findGraph(graph);
    begin(context, stream, mode, target, false,
          edgesOf(dependencies, dependencyData, numDependencies, *target));
  });
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  return call([&] {
    require(mode && *mode <= CU_STREAM_CAPTURE_MODE_RELAXED);
    std::swap(*mode, thread().captureMode);
  });
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  return callInContext([&](Context &context) { end(context, stream, graph); });
}

CUresult cuStreamIsCapturing(CUstream stream,
                             CUstreamCaptureStatus *captureStatus) {
  return cuStreamGetCaptureInfo_v2(stream, captureStatus, nullptr, nullptr,
                                   nullptr, nullptr);
}

CUresult cuStreamGetCaptureInfo_v2(CUstream stream,
                                   CUstreamCaptureStatus *captureStatus,
                                   cuuint64_t *id, CUgraph *graph,
                                   const CUgraphNode **dependencies,
                                   size_t *numDependencies) {
  return cuStreamGetCaptureInfo_v3(stream, captureStatus, id, graph,
                                   dependencies, nullptr, numDependencies);
}

CUresult cuStreamGetCaptureInfo_v3(CUstream captured,
                                   CUstreamCaptureStatus *captureStatus,
                                   cuuint64_t *id, CUgraph *graph,
                                   const CUgraphNode **dependencies,
                                   const CUgraphEdgeData **edgeData,
                                   size_t *numDependencies) {
  return call([&] {
    Context &context = currentContext();
    require(captureStatus);
    Stream &stream = findStream(context, captured);
    if (stream.isLegacy()) {
      refuseImplicitDependency(context);
    }
    if (!stream.capture) {
      *captureStatus = CU_STREAM_CAPTURE_STATUS_NONE;
      return;
    }
    const CapturePoint &point = *stream.capture;
    *captureStatus = point.capture->invalidated
                         ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                         : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    if (point.capture->invalidated) {
      return;
    }
    if (id) {
      *id = point.capture->id;
    }
    if (graph) {
      *graph = point.capture->graph->handle;
    }
    // Valid until the next call for this stream, as the API says.
    thread_local std::vector<CUgraphNode> nodes;
    thread_local std::vector<CUgraphEdgeData> data;
    nodes.clear();
    data.clear();
    for (const Edge &edge : point.tails) {
      nodes.push_back(edge.node->handle);
      data.push_back(edge.data);
    }
    if (dependencies) {
      *dependencies = nodes.data();
    }
    if (edgeData) {
      *edgeData = data.data();
    }
    if (numDependencies) {
      *numDependencies = nodes.size();
    }
  });
}

CUresult cuStreamUpdateCaptureDependencies(CUstream stream,
                                           CUgraphNode *dependencies,
                                           size_t numDependencies,
                                           unsigned flags) {
  return cuStreamUpdateCaptureDependencies_v2(stream, dependencies, nullptr,
                                              numDependencies, flags);
}

CUresult
cuStreamUpdateCaptureDependencies_v2(CUstream captured,
                                     CUgraphNode *dependencies,
                                     const CUgraphEdgeData *dependencyData,
                                     size_t numDependencies, unsigned flags) {
  return callInContext([&](Context &context) {
    require(flags <= CU_STREAM_SET_CAPTURE_DEPENDENCIES);
    Stream &stream = findStream(context, captured);
    require(stream.capture, CUDA_ERROR_ILLEGAL_STATE);
    auto edges = edgesOf(dependencies, dependencyData, numDependencies,
                         *stream.capture->capture->graph);
    auto &tails = stream.capture->tails;
    if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES) {
      tails.clear();
    }
    tails.insert(tails.end(), edges.begin(), edges.end());
  });
}

} // namespace cheems::emulator::driver
