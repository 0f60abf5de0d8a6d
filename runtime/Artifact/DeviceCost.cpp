#include "runtime/Artifact/DeviceCost.h"
#include "runtime/Artifact/CpuImage.h"
#include "runtime/Artifact/CudaImage.h"
#include "runtime/Artifact/StepCost.h"
#include <algorithm>
#include <iterator>
#include <string>

using namespace cheems;

namespace {

struct GPU {
  const char *name;
  double bytes, operations;
};
constexpr GPU gpus[] = {
#define GPU(name, multiprocessors, bytes, operations, clock)                   \
  {name, bytes, operations},
#include "runtime/CUDA/GPUs.def"
};

/// Between two kernels of a graph. Nobody has measured ours on a GPU: it is 1
/// to 3 microseconds, and the longer one is against the GPU.
constexpr double launchSeconds = 3e-6;

/// These are the rates of a core, and of all: a machine of 2 cores reads 32
/// GB/s, and computes 177 G operations of f32 a second (docs/performance.md); a
/// socket with 8 to 12 channels reads 300 GB/s.
constexpr double bytesOfCore = 16e9, mostBytes = 300e9, operationsOfCore = 88e9;

constexpr int64_t depth = 512;

} // namespace

DeviceSpeed DeviceSpeed::of(const cuda::DeviceInfo &gpu) {
  const GPU *found =
      std::find_if(std::begin(gpus), std::end(gpus), [&](const GPU &each) {
        return gpu.name.rfind(each.name, 0) == 0;
      });
  if (found == std::end(gpus)) {
    found = std::min_element(
        std::begin(gpus), std::end(gpus),
        [](const GPU &a, const GPU &b) { return a.bytes < b.bytes; });
  }
  return {found->bytes, found->operations, launchSeconds};
}

DeviceSpeed DeviceSpeed::ofCPU(int cores) {
  return {std::min(bytesOfCore * cores, mostBytes), operationsOfCore * cores,
          0};
}

int64_t cheems::decodeLaunches(const Metadata &metadata,
                               const cuda::LaunchPlan &plan) {
  bool covers = metadata.keepWindow != 0 && depth <= metadata.keepWindow;
  cuda::StepSizes sizes;
  sizes.tokens = sizes.segments = sizes.rows = sizes.slots = 1;
  sizes.capacity = covers ? depth : metadata.capacity(depth);
  sizes.ring = metadata.ring(depth, 1);
  std::vector<int64_t> values(plan.decode.numbers.size());
  plan.decode.evaluate(sizes, values);
  const auto &launches = plan.decode.launches;
  return std::count_if(launches.begin(), launches.end(),
                       [&](const cuda::LaunchPlan::Launch &launch) {
                         return launch.blocks(values) > 0;
                       });
}

double cheems::decodeSeconds(const Metadata &metadata,
                             const std::string &target,
                             const DeviceSpeed &speed, int64_t launches) {
  StepCost cost(metadata, target);
  StepShape step;
  step.position = depth - 1;
  return static_cast<double>(launches) * speed.launch +
         std::max(static_cast<double>(cost.bytes(step)) / speed.bytes,
                  cost.operations(step) / speed.operations);
}

const UsableGPU *cheems::fastestGPU(const Metadata &metadata,
                                    const std::vector<UsableGPU> &gpus,
                                    int cores) {
  const UsableGPU *fastest = nullptr;
  double least = 0;
  if (cores > 0) {
    least =
        decodeSeconds(metadata, CpuImage::target, DeviceSpeed::ofCPU(cores), 0);
  }
  for (const UsableGPU &gpu : gpus) {
    double seconds = decodeSeconds(metadata, CudaImage::target,
                                   DeviceSpeed::of(gpu.device), gpu.launches);
    if ((!fastest && cores <= 0) || seconds < least) {
      fastest = &gpu;
      least = seconds;
    }
  }
  return fastest;
}
