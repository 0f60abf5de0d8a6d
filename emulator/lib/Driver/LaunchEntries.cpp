//===- LaunchEntries.cpp --------------------------------------------------===//
#include "Functions.h"
#include "KernelWork.h"
#include "Process.h"

namespace cheems::emulator::driver {
namespace {

void launch(Context &context, CUfunction handle, CUstream stream,
            const LaunchRequest &request) {
  auto function = findFunction(context, handle);
  Stream &target = findStream(context, stream);
  auto operation =
      enqueue(context, target, makeKernelWork(context, function, request),
              request.programmatic);
  if (request.event) {
    Event &event = findEvent(request.event);
    event.recorded = operation;
    event.captured = target.capture;
  }
}

CUresult launchPlain(CUfunction function, Extent grid, Extent block,
                     unsigned shared, CUstream stream, void **parameters,
                     void **extra, bool cooperative) {
  return callInContext([&](Context &context) {
    LaunchRequest request;
    request.grid = grid;
    request.block = block;
    request.sharedBytes = shared;
    request.parameters = parameters;
    request.extra = extra;
    request.cooperative = cooperative;
    launch(context, function, stream, request);
  });
}

CUresult launchConfigured(const CUlaunchConfig *config, CUfunction function,
                          CUstream stream, void **parameters, void **extra) {
  return callInContext([&](Context &context) {
    require(config->numAttrs == 0 || config->attrs);
    LaunchRequest request;
    request.grid = {config->gridDimX, config->gridDimY, config->gridDimZ};
    request.block = {config->blockDimX, config->blockDimY, config->blockDimZ};
    request.sharedBytes = config->sharedMemBytes;
    request.parameters = parameters;
    request.extra = extra;
    takeAttributes(request, {config->attrs, config->numAttrs});
    launch(context, function, stream, request);
  });
}

} // namespace

CUresult cuLaunchKernel(CUfunction function, unsigned gridDimX,
                        unsigned gridDimY, unsigned gridDimZ,
                        unsigned blockDimX, unsigned blockDimY,
                        unsigned blockDimZ, unsigned sharedMemBytes,
                        CUstream stream, void **kernelParams, void **extra) {
  return launchPlain(function, {gridDimX, gridDimY, gridDimZ},
                     {blockDimX, blockDimY, blockDimZ}, sharedMemBytes, stream,
                     kernelParams, extra, false);
}

CUresult cuLaunchKernel_ptsz(CUfunction function, unsigned gridDimX,
                             unsigned gridDimY, unsigned gridDimZ,
                             unsigned blockDimX, unsigned blockDimY,
                             unsigned blockDimZ, unsigned sharedMemBytes,
                             CUstream stream, void **kernelParams,
                             void **extra) {
  return launchPlain(function, {gridDimX, gridDimY, gridDimZ},
                     {blockDimX, blockDimY, blockDimZ}, sharedMemBytes,
                     perThread(stream), kernelParams, extra, false);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gridDimX,
                                   unsigned gridDimY, unsigned gridDimZ,
                                   unsigned blockDimX, unsigned blockDimY,
                                   unsigned blockDimZ, unsigned sharedMemBytes,
                                   CUstream stream, void **kernelParams) {
  return launchPlain(function, {gridDimX, gridDimY, gridDimZ},
                     {blockDimX, blockDimY, blockDimZ}, sharedMemBytes, stream,
                     kernelParams, nullptr, true);
}

CUresult cuLaunchCooperativeKernel_ptsz(CUfunction function, unsigned gridDimX,
                                        unsigned gridDimY, unsigned gridDimZ,
                                        unsigned blockDimX, unsigned blockDimY,
                                        unsigned blockDimZ,
                                        unsigned sharedMemBytes,
                                        CUstream stream, void **kernelParams) {
  return launchPlain(function, {gridDimX, gridDimY, gridDimZ},
                     {blockDimX, blockDimY, blockDimZ}, sharedMemBytes,
                     perThread(stream), kernelParams, nullptr, true);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                          void **kernelParams, void **extra) {
  if (!config) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return launchConfigured(config, function, config->hStream, kernelParams,
                          extra);
}

CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config,
                               CUfunction function, void **kernelParams,
                               void **extra) {
  if (!config) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return launchConfigured(config, function, perThread(config->hStream),
                          kernelParams, extra);
}

} // namespace cheems::emulator::driver
