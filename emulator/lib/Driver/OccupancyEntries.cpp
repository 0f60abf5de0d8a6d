//===- OccupancyEntries.cpp -----------------------------------------------===//
#include "DeviceValues.h"
#include "Functions.h"
#include "KernelWork.h"
#include "Process.h"

#include <algorithm>

namespace cheems::emulator::driver {
namespace {

int residentBlocks(const Context &context, const Function &function,
                   int threads, uint64_t shared) {
  if (threads > int(function.kernel->maxThreads)) {
    return 0;
  }
  return residentBlocksPerMultiprocessor(
      context.device.options, *function.kernel, uint32_t(threads), shared);
}

} // namespace

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks,
                                                     CUfunction function,
                                                     int blockSize,
                                                     size_t dynamicSMemSize) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      numBlocks, function, blockSize, dynamicSMemSize, 0);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *numBlocks, CUfunction function, int blockSize, size_t dynamicSMemSize,
    unsigned flags) {
  return callInContext([&](Context &context) {
    require(numBlocks && blockSize > 0 && blockSize <= 1024);
    require(flags <= CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE);
    *numBlocks = residentBlocks(context, *findFunction(context, function),
                                blockSize, dynamicSMemSize);
  });
}

CUresult
cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize,
                                 CUfunction function,
                                 CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                 size_t dynamicSMemSize, int blockSizeLimit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(
      minGridSize, blockSize, function, blockSizeToDynamicSMemSize,
      dynamicSMemSize, blockSizeLimit, 0);
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(
    int *minGridSize, int *blockSize, CUfunction function,
    CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize,
    int blockSizeLimit, unsigned flags) {
  return callInContext([&](Context &context) {
    require(minGridSize && blockSize && blockSizeLimit >= 0);
    require(flags <= CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE);
    auto found = findFunction(context, function);
    int most = int(found->kernel->maxThreads);
    if (blockSizeLimit > 0) {
      most = std::min(most, blockSizeLimit);
    }
    // The largest block of those that fill a multiprocessor best.
    int best = 0, threads = 0;
    for (int size = (most + 31) / 32 * 32; size > 0; size -= 32) {
      int block = std::min(size, most);
      size_t shared = blockSizeToDynamicSMemSize
                          ? blockSizeToDynamicSMemSize(block)
                          : dynamicSMemSize;
      int resident = residentBlocks(context, *found, block, shared);
      if (resident * block > threads) {
        threads = resident * block;
        best = block;
        *minGridSize = resident * context.device.options.multiprocessors;
      }
    }
    require(best > 0);
    *blockSize = best;
  });
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize,
                                                 CUfunction function,
                                                 int numBlocks, int blockSize) {
  return callInContext([&](Context &context) {
    require(dynamicSmemSize && numBlocks > 0 && blockSize > 0 &&
            blockSize <= 1024);
    auto found = findFunction(context, function);
    const Options &options = context.device.options;
    size_t most =
        size_t(deviceValue(
            options, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)) -
        found->kernel->staticSharedBytes;
    size_t least = 0;
    if (residentBlocks(context, *found, blockSize, 0) < numBlocks) {
      most = 0;
    }
    while (least < most) {
      size_t middle = (least + most + 1) / 2;
      if (residentBlocks(context, *found, blockSize, middle) >= numBlocks) {
        least = middle;
      } else {
        most = middle - 1;
      }
    }
    *dynamicSmemSize = least;
  });
}

CUresult cuOccupancyMaxPotentialClusterSize(int *clusterSize,
                                            CUfunction function,
                                            const CUlaunchConfig *config) {
  return callInContext([&](Context &context) {
    require(clusterSize && config);
    require(context.device.options.architecture >= 90,
            CUDA_ERROR_NOT_SUPPORTED);
    findFunction(context, function);
    *clusterSize = 8;
  });
}

CUresult cuOccupancyMaxActiveClusters(int *numClusters, CUfunction function,
                                      const CUlaunchConfig *config) {
  return callInContext([&](Context &context) {
    require(numClusters && config);
    require(config->numAttrs == 0 || config->attrs);
    auto found = findFunction(context, function);
    LaunchRequest request;
    takeAttributes(request, {config->attrs, config->numAttrs});
    Extent cluster =
        request.hasCluster ? request.cluster : found->kernel->requiredCluster;
    require(cluster.count() > 0);
    int threads =
        int(config->blockDimX * config->blockDimY * config->blockDimZ);
    require(threads > 0 && threads <= 1024);
    int resident =
        residentBlocks(context, *found, threads, config->sharedMemBytes);
    *numClusters =
        int(uint64_t(resident) *
            uint64_t(context.device.options.multiprocessors) / cluster.count());
  });
}

} // namespace cheems::emulator::driver
