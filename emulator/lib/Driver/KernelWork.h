//===- KernelWork.h - A kernel that is launched -----------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DRIVER_KERNELWORK_H
#define CHEEMS_EMULATOR_DRIVER_KERNELWORK_H

#include "Machine/Launch.h"
#include "Module.h"
#include "Work.h"

#include <memory>
#include <span>

namespace cheems::emulator::driver {

/// What a launch asks for, before it is checked.
struct LaunchRequest {
  Extent grid, block, cluster;
  bool hasCluster = false;
  unsigned sharedBytes = 0;
  void **parameters = nullptr;
  void **extra = nullptr;
  bool cooperative = false;
  bool programmatic = false;
  int priority = 0;
  /// Recorded when the kernel ends: later than it may be, so right for events
  /// that a kernel triggers before.
  CUevent event = nullptr;
};

class KernelWork : public Work {
public:
  KernelWork(std::shared_ptr<LoadedModule> module,
             std::shared_ptr<Function> function, Launch launch);

  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_KERNEL; }
  std::unique_ptr<Work> clone() const override;
  Progress run(Context &context, bool early) override;
  void hasDependents() override { launch.pausesAtRelease |= !grid; }
  void showWrites(bool areShown) override;
  void primaryFinished() override;
  bool releasesDependents() const override;
  uint64_t nanoseconds() const override;

  /// What it was made of, with pointers to its own parameters.
  LaunchRequest request();

  std::shared_ptr<LoadedModule> module;
  std::shared_ptr<Function> function;
  Launch launch;
  bool hasCluster = false;
  int priority = 0;
  /// For cuGraphKernelNodeGetParams: pointers into launch.parameters.
  std::vector<void *> parameterPointers;

private:
  std::unique_ptr<Grid> grid;
};

/// Checks a launch against the GPU's limits and copies its parameters.
std::unique_ptr<KernelWork> makeKernelWork(Context &context,
                                           std::shared_ptr<Function> function,
                                           const LaunchRequest &request);
/// Takes launch attributes into the request. An unknown one is refused.
void takeAttributes(LaunchRequest &request,
                    std::span<const CUlaunchAttribute> attributes);

} // namespace cheems::emulator::driver

#endif
