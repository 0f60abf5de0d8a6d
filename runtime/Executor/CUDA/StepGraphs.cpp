#include "runtime/Executor/CUDA/StepGraphs.h"
#include <algorithm>
#include <iterator>

using namespace cheems;
using namespace cheems::cuda;

namespace {

/// All graphs of a session together take at most so much of the GPU's memory.
constexpr int64_t mostBytes = int64_t{256} << 20;

int64_t freeBytes(const Driver &driver) {
  size_t unused = 0, all = 0;
  driver.cuMemGetInfo(&unused, &all);
  return static_cast<int64_t>(unused);
}

/// What is put onto a stream becomes a graph instead.
class Capture {
public:
  Capture(const Driver &driver, const Stream &stream)
      : driver(driver), stream(stream) {
    // Other threads go on with streams of their own.
    driver.cuStreamBeginCapture(stream.handle(),
                                CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  }
  ~Capture() {
    if (isOpen) { // something failed: the stream must be usable again
      driver.cuStreamEndCapture.result(stream.handle(), &graph);
    }
    if (graph) {
      driver.cuGraphDestroy.result(graph);
    }
  }
  Capture(const Capture &) = delete;
  Capture &operator=(const Capture &) = delete;

  CUgraph end() {
    isOpen = false;
    driver.cuStreamEndCapture(stream.handle(), &graph);
    return graph;
  }

private:
  const Driver &driver;
  const Stream &stream;
  CUgraph graph = nullptr;
  bool isOpen = true;
};

} // namespace

StepGraphs::Graph StepGraphs::make(const Sizes &sizes, const Stream &stream,
                                   const std::function<void()> &launch) const {
  const Driver &driver = context->driver();
  Capture capture(driver, stream);
  launch();
  CUgraph graph = capture.end();
  int64_t before = freeBytes(driver);
  Graph made{sizes, nullptr, 0};
  driver.cuGraphInstantiateWithFlags(&made.executable, graph, 0);
  // Others may use the GPU, too: it is an estimate.
  made.bytes = std::max<int64_t>(0, before - freeBytes(driver));
  return made;
}

void StepGraphs::run(const StepSizes &step, const Stream &stream,
                     const std::function<void()> &launch) {
  const Sizes sizes = {step.tokens, step.segments, step.rows};
  if (!launched.count(sizes)) {
    launch();
    launched.insert(sizes); // which a launch that fails does not reach
    return;
  }
  auto found =
      std::find_if(graphs.begin(), graphs.end(),
                   [&](const Graph &graph) { return graph.sizes == sizes; });
  if (found == graphs.end()) {
    graphs.push_front(make(sizes, stream, launch));
  } else {
    graphs.splice(graphs.begin(), graphs, found);
  }
  context->driver().cuGraphLaunch(graphs.front().executable, stream.handle());
  int64_t bytes = 0;
  for (const Graph &graph : graphs) {
    bytes += graph.bytes;
  }
  while (bytes > mostBytes && graphs.size() > 1) {
    bytes -= graphs.back().bytes;
    // One that still runs goes when it has ended.
    destroy(graphs.back());
    graphs.pop_back();
  }
}

void StepGraphs::destroy(const Graph &graph) const {
  context->cleanUp(
      [&] { context->driver().cuGraphExecDestroy.result(graph.executable); });
}

void StepGraphs::clear() {
  for (const Graph &graph : graphs) {
    destroy(graph);
  }
  graphs.clear();
}
