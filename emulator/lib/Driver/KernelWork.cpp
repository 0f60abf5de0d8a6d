//===- KernelWork.cpp -----------------------------------------------------===//
#include "KernelWork.h"

#include "Decode/Program.h"
#include "Process.h"
#include "Report.h"

#include <algorithm>
#include <cstring>

namespace cheems::emulator::driver {
namespace {

/// Blocks of a cluster that every GPU of the architecture takes; more are for
/// those who ask (CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED), and
/// this emulator does not model them.
constexpr uint64_t portableCluster = 8;

Extent orOne(Extent extent) {
  return {std::max(extent.x, 1u), std::max(extent.y, 1u),
          std::max(extent.z, 1u)};
}

Extent clusterOf(const Context &context, const Kernel &kernel,
                 const LaunchRequest &request) {
  Extent required = kernel.requiredCluster;
  bool isRequired = required.x || required.y || required.z;
  if (!request.hasCluster && !isRequired) {
    return {};
  }
  require(context.device.options.architecture >= 90,
          CUDA_ERROR_INVALID_CLUSTER_SIZE);
  Extent cluster = request.hasCluster ? request.cluster : orOne(required);
  require(cluster.x && cluster.y && cluster.z);
  if (isRequired) {
    Extent whole = orOne(required);
    require(cluster.x == whole.x && cluster.y == whole.y &&
                cluster.z == whole.z,
            CUDA_ERROR_INVALID_CLUSTER_SIZE);
  }
  require(cluster.count() <= portableCluster, CUDA_ERROR_INVALID_CLUSTER_SIZE);
  require(request.grid.x % cluster.x == 0 && request.grid.y % cluster.y == 0 &&
              request.grid.z % cluster.z == 0,
          CUDA_ERROR_INVALID_CLUSTER_SIZE);
  return cluster;
}

std::vector<std::byte> parametersOf(const Kernel &kernel,
                                    const LaunchRequest &request) {
  std::vector<std::byte> bytes(kernel.parameterBytes);
  if (request.extra) {
    require(!request.parameters);
    const void *buffer = nullptr;
    size_t size = 0;
    for (void **at = request.extra; *at; at += 2) {
      auto option = reinterpret_cast<uintptr_t>(*at);
      require(option == 1 || option == 2); // BUFFER_POINTER, BUFFER_SIZE
      if (option == 1) {
        buffer = at[1];
      } else {
        size = *static_cast<const size_t *>(at[1]);
      }
    }
    require(buffer || bytes.empty());
    require(size >= bytes.size());
    std::memcpy(bytes.data(), buffer, bytes.size());
    return bytes;
  }
  require(request.parameters || kernel.parameters.empty());
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const auto &parameter = kernel.parameters[i];
    require(request.parameters[i]);
    std::memcpy(bytes.data() + parameter.offset, request.parameters[i],
                parameter.bytes);
  }
  return bytes;
}

} // namespace

KernelWork::KernelWork(std::shared_ptr<LoadedModule> module,
                       std::shared_ptr<Function> function, Launch launch)
    : module(std::move(module)), function(std::move(function)),
      launch(std::move(launch)) {
  for (const auto &parameter : this->launch.kernel->parameters) {
    parameterPointers.push_back(this->launch.parameters.data() +
                                parameter.offset);
  }
}

std::unique_ptr<Work> KernelWork::clone() const {
  auto copy = std::make_unique<KernelWork>(module, function, launch);
  copy->hasCluster = hasCluster;
  copy->priority = priority;
  return copy;
}

LaunchRequest KernelWork::request() {
  LaunchRequest request;
  request.grid = launch.grid;
  request.block = launch.block;
  request.cluster = launch.cluster;
  request.hasCluster = hasCluster;
  request.sharedBytes = launch.dynamicSharedBytes;
  request.parameters = parameterPointers.data();
  request.cooperative = launch.cooperative;
  request.priority = priority;
  return request;
}

Progress KernelWork::run(Context &context, bool early) {
  if (!grid) {
    launch.programmatic = early;
    grid = std::make_unique<Grid>(context.device, launch);
  }
  struct Reported { // also where a finding ends the grid
    Device &device;
    ~Reported() { reportWarnings(device); }
  } reported{context.device};
  switch (grid->run()) {
  case Grid::State::waitsForPrimary:
    return Progress::waitsForPrimary;
  case Grid::State::released:
    return Progress::released;
  case Grid::State::finished:
    break;
  }
  grid.reset();
  return Progress::done;
}

void KernelWork::showWrites(bool areShown) {
  if (grid) {
    areShown ? grid->showWrites() : grid->hideWrites();
  }
}

void KernelWork::primaryFinished() { grid->primaryFinished(); }

bool KernelWork::releasesDependents() const {
  const auto &program = launch.kernel->program;
  return program &&
         std::any_of(program->details.begin(), program->details.end(),
                     [](const Detail &detail) {
                       return detail.text == "griddepcontrol.launch_dependents";
                     });
}

uint64_t KernelWork::nanoseconds() const {
  return 2000 + launch.grid.count() * launch.block.count() / 100;
}

std::unique_ptr<KernelWork> makeKernelWork(Context &context,
                                           std::shared_ptr<Function> function,
                                           const LaunchRequest &request) {
  const Kernel &kernel = *function->kernel;
  const Options &options = context.device.options;
  const Extent &grid = request.grid, &block = request.block;
  require(grid.x && grid.y && grid.z && block.x && block.y && block.z);
  require(grid.x <= 0x7fffffff && grid.y <= 65535 && grid.z <= 65535);
  require(block.x <= 1024 && block.y <= 1024 && block.z <= 64 &&
          block.count() <= 1024);
  auto threads = uint32_t(block.count());
  const Extent &required = kernel.requiredThreads;
  if (required.x || required.y || required.z) {
    Extent whole = orOne(required);
    require(block.x == whole.x && block.y == whole.y && block.z == whole.z);
  }
  require(threads <= kernel.maxThreads, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  require(request.sharedBytes <= function->maxDynamicShared);
  int resident = residentBlocksPerMultiprocessor(options, kernel, threads,
                                                 request.sharedBytes);
  require(resident > 0, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  context.heapIsUsed |= kernel.program->usesHeap;
  context.printfIsUsed |= kernel.program->prints;
  Launch launch;
  launch.cluster = clusterOf(context, kernel, request);
  if (request.cooperative) {
    require(grid.count() <=
                uint64_t(resident) * uint64_t(options.multiprocessors),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  }
  launch.kernel = &kernel;
  launch.grid = grid;
  launch.block = block;
  launch.dynamicSharedBytes = request.sharedBytes;
  launch.parameters = parametersOf(kernel, request);
  launch.cooperative = request.cooperative;
  auto module = function->module.lock();
  auto work = std::make_unique<KernelWork>(
      std::move(module), std::move(function), std::move(launch));
  work->hasCluster = request.hasCluster;
  work->priority = request.priority;
  return work;
}

void takeAttributes(LaunchRequest &request,
                    std::span<const CUlaunchAttribute> attributes) {
  for (const CUlaunchAttribute &attribute : attributes) {
    const CUlaunchAttributeValue &value = attribute.value;
    switch (attribute.id) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      request.cooperative = value.cooperative != 0;
      break;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      request.cluster = {value.clusterDim.x, value.clusterDim.y,
                         value.clusterDim.z};
      request.hasCluster = true;
      break;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
      request.programmatic = value.programmaticStreamSerializationAllowed != 0;
      break;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
      request.event = value.programmaticEvent.event;
      break;
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
      request.event = value.launchCompletionEvent.event;
      break;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
      request.priority = value.priority;
      break;
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
    // hints, and what has no effect on one GPU
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
      break;
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
      noteOnce("launch attribute " + std::to_string(attribute.id) +
               " is not modelled by this emulator");
      fail(CUDA_ERROR_NOT_SUPPORTED);
    default:
      fail(CUDA_ERROR_INVALID_VALUE);
    }
  }
}

} // namespace cheems::emulator::driver
