// Steps that come again and again, as graphs: the driver gets all launches of
// one in a single call.
#ifndef CHEEMS_RUNTIME_EXECUTOR_CUDA_STEPGRAPHS_H
#define CHEEMS_RUNTIME_EXECUTOR_CUDA_STEPGRAPHS_H

#include "runtime/Artifact/LaunchPlan.h"
#include "runtime/CUDA/Stream.h"
#include <array>
#include <functional>
#include <list>
#include <set>

namespace cheems::cuda {

/// A graph has the numbers of the step that it was made of, so there is one for
/// each number of tokens and rows; the slots, tokens and positions of a step
/// are in memory that its kernels read. The first step of its sizes becomes no
/// graph: a driver may load a kernel when it is launched for the first time,
/// which it may not do while launches become a graph. Graphs that together take
/// more than a limit of the GPU's memory go, those of the longest rest first.
class StepGraphs {
public:
  explicit StepGraphs(std::shared_ptr<const Context> context)
      : context(std::move(context)) {}
  ~StepGraphs() { clear(); }
  StepGraphs(const StepGraphs &) = delete;
  StepGraphs &operator=(const StepGraphs &) = delete;

  /// Begins the step of these sizes on `stream`; the context is current.
  /// `launch` puts its launches onto `stream`, where there is no graph of it:
  /// it is called for the first two steps of these sizes.
  /// Throws what `launch` throws, and DriverError.
  void run(const StepSizes &step, const Stream &stream,
           const std::function<void()> &launch);
  /// Forgets all graphs: addresses in them have changed.
  void clear();

private:
  /// Tokens, segments and rows of a step.
  using Sizes = std::array<int64_t, 3>;
  struct Graph {
    Sizes sizes;
    CUgraphExec executable;
    int64_t bytes; ///< of the GPU's memory
  };
  Graph make(const Sizes &sizes, const Stream &stream,
             const std::function<void()> &launch) const;
  void destroy(const Graph &graph) const;

  std::shared_ptr<const Context> context;
  std::list<Graph> graphs;  ///< the last used first
  std::set<Sizes> launched; ///< of steps whose kernels are loaded
};

} // namespace cheems::cuda

#endif
