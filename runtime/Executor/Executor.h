// What runs the steps of one session: it owns the state pools, the workspace
// and whatever computes. A target is told by its executor alone.
#ifndef CHEEMS_RUNTIME_EXECUTOR_EXECUTOR_H
#define CHEEMS_RUNTIME_EXECUTOR_EXECUTOR_H

#include "runtime/Artifact/Model.h"
#include "runtime/State/StatePools.h"
#include "runtime/StepView.h"
#include "runtime/TopLogits.h"
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace cheems {

class Profile;
class ThreadPool;

struct ExecutorOptions {
  int threads = 0; ///< as SessionOptions
  int64_t slots = 1;
  int64_t rows = 1;           ///< of the longest step
  PoolSizes sizes;            ///< entries per head and slot
  Profile *profile = nullptr; ///< told of every step; outlives the executor
  /// Warns as SessionOptions does.
  std::function<void(const std::string &)> warn;
  std::function<void(int64_t done, int64_t all)> uploading;
};

/// A step that was checked.
struct StepRequest {
  StepView step;
  float *logits = nullptr; ///< [rows, vocabulary]; null: they are kept
  bool decodes = false;    ///< each segment has one row, and there are few
};

/// For one thread at a time. All memory is had when it is made.
class Executor {
public:
  virtual ~Executor() = default;

  /// The code that was loaded: the variant of a CPU, "sm_90a.cubin" of a GPU.
  virtual std::string code() const = 0;
  /// Threads that compute, the caller's included.
  virtual int threads() const = 0;
  /// Those of the host, whom the caller may employ between calls; null where a
  /// GPU computes.
  virtual ThreadPool *hostThreads() { return nullptr; }
  /// Whether this process made it: after a fork, the child did not, and may
  /// only look at the pools.
  virtual bool isOfThisProcess() const = 0;
  virtual StatePools &pools() = 0;
  const StatePools &pools() const {
    return const_cast<Executor *>(this)->pools();
  }
  virtual int64_t workspaceBytes() const = 0;
  /// Returns the bytes of the weights that steps read: on the host those of the
  /// file that is mapped.
  virtual int64_t weightBytes() const = 0;

  /// Allocates nothing. Only one that keeps logits takes a request without a
  /// place for them.
  virtual void run(const StepRequest &request) = 0;

  /// Whether it keeps them for the two functions below, until the next step.
  virtual bool keepsLogits() const { return false; }
  /// Logits of the row-th row that the last step was asked for: [vocabulary].
  virtual void readLogits(int64_t row, float *logits) {}
  /// At least `count` of the best of them, until the next call of any function;
  /// nothing where that many are not found on their own.
  virtual std::optional<TopLogits> topLogits(int64_t row, size_t count) {
    return std::nullopt;
  }
};

/// A request as compiled code is told it. The fields from `parameters` on, but
/// for those of embeddings, are still to be filled in.
cheems_step callOf(const StepRequest &request);

/// What an executor takes beside its pools, in bytes.
struct ExecutorBytes {
  int64_t weights = 0; ///< which all executors of a model share
  int64_t workspace = 0;
};

/// Entries per head and slot that the pools of `model` have for sequences of so
/// many tokens and steps of so many rows, on the target of its image.
PoolSizes poolSizes(const Model &model, int64_t context, int64_t rows);

/// What makeExecutor's would take. Throws Error: usage for impossible options,
/// failed where the numbers are too large for any machine.
ExecutorBytes estimateExecutor(const Model &model,
                               const ExecutorOptions &options);

/// The executor for the image of `model` that was chosen. Throws Error: usage
/// for impossible options, failed where memory is short.
std::unique_ptr<Executor> makeExecutor(const Model &model,
                                       const ExecutorOptions &options);

} // namespace cheems

#endif
