// Runs images of other targets by way of a plugin (include/cheems/executor.h).
#ifndef CHEEMS_RUNTIME_EXECUTOR_PLUGINEXECUTOR_H
#define CHEEMS_RUNTIME_EXECUTOR_PLUGINEXECUTOR_H

#include "cheems/executor.h"
#include "runtime/Executor/Executor.h"
#include "runtime/State/HostPools.h"
#include "runtime/State/Memory.h"
#include <sys/types.h>

namespace cheems {

class PluginExecutor : public Executor {
public:
  PluginExecutor(const Model &model, const cheems_executor_plugin &plugin,
                 const ExecutorOptions &options);
  /// Makes an executor of the plugin for a moment, and asks it.
  static ExecutorBytes estimate(const Model &model,
                                const cheems_executor_plugin &plugin,
                                const ExecutorOptions &options);
  ~PluginExecutor() override { plugin.destroy(executor); }
  PluginExecutor(const PluginExecutor &) = delete;
  PluginExecutor &operator=(const PluginExecutor &) = delete;

  std::string code() const override { return model.image().target; }
  int threads() const override { return 1; }
  bool isOfThisProcess() const override;
  StatePools &pools() override { return state; }
  int64_t workspaceBytes() const override { return workspace->bytes(); }
  int64_t weightBytes() const override { return model.weightBytes(); }
  void run(const StepRequest &request) override;

private:
  const Model &model;
  const cheems_executor_plugin &plugin;
  void *executor;
  pid_t process;
  HostPools state;
  std::unique_ptr<Memory> workspace;
  int64_t slots;
};

} // namespace cheems

#endif
