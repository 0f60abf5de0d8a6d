// Runs code for CPUs on a pool of threads.
#ifndef CHEEMS_RUNTIME_EXECUTOR_CPUEXECUTOR_H
#define CHEEMS_RUNTIME_EXECUTOR_CPUEXECUTOR_H

#include "runtime/Executor/Executor.h"
#include "runtime/Profile/Profile.h"
#include "runtime/State/HostPools.h"
#include "runtime/State/Memory.h"
#include "runtime/ThreadPool/ThreadPool.h"

namespace cheems {

class CpuExecutor : public Executor {
public:
  CpuExecutor(const Model &model, const ExecutorOptions &options);
  static ExecutorBytes estimate(const Model &model,
                                const ExecutorOptions &options);

  std::string code() const override { return model.variant().name; }
  int threads() const override { return pool.threads(); }
  ThreadPool *hostThreads() override { return &pool; }
  bool isOfThisProcess() const override { return pool.isOfThisProcess(); }
  StatePools &pools() override { return state; }
  int64_t workspaceBytes() const override { return workspace.bytes(); }
  int64_t weightBytes() const override { return model.weightBytes(); }
  void run(const StepRequest &request) override;

private:
  const Model &model;
  Profile *profile;
  bool flushesDenormals;
  ThreadPool pool;
  HostPools state;
  Memory workspace;
  int64_t slots;
};

} // namespace cheems

#endif
