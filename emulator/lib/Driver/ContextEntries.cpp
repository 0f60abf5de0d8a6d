//===- ContextEntries.cpp -------------------------------------------------===//
#include "DeviceValues.h"
#include "Functions.h"
#include "Process.h"

namespace cheems::emulator::driver {
namespace {

std::shared_ptr<Context> find(CUcontext handle) {
  return process().contexts.get(handle, CUDA_ERROR_INVALID_CONTEXT);
}

CUresult create(CUcontext *result, unsigned flags, CUdevice device) {
  return call([&] {
    require(result);
    requireDevice(device);
    require(!(flags & ~unsigned(CU_CTX_FLAGS_MASK)));
    auto context = makeContext(flags);
    context->handle = process().contexts.add(context);
    thread().stack.push_back(context);
    *result = context->handle;
  });
}

CUresult push(CUcontext context) {
  return call([&] { thread().stack.push_back(find(context)); });
}

CUresult pop(CUcontext *context) {
  return call([&] {
    auto &stack = thread().stack;
    require(!stack.empty() && stack.back(), CUDA_ERROR_INVALID_CONTEXT);
    if (context) {
      *context = stack.back()->handle;
    }
    stack.pop_back();
  });
}

CUresult destroyOrdinary(CUcontext handle) {
  return call([&] {
    auto context = find(handle);
    require(!context->isPrimary, CUDA_ERROR_INVALID_CONTEXT);
    auto &stack = thread().stack;
    if (!stack.empty() && stack.back() == context) {
      stack.pop_back();
    }
    destroy(context);
  });
}

void synchronise(Context &context) {
  refuseWhileCapturing(context);
  context.queue.finishAll();
}

} // namespace

CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device) {
  return create(context, flags, device);
}

CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *paramsArray,
                        int numParams, unsigned flags, CUdevice device) {
  if (paramsArray || numParams) {
    return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  }
  return create(context, flags, device);
}

CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *ctxCreateParams,
                        unsigned flags, CUdevice device) {
  if (ctxCreateParams &&
      (ctxCreateParams->execAffinityParams || ctxCreateParams->cigParams)) {
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  return create(context, flags, device);
}

CUresult cuCtxDestroy(CUcontext context) { return destroyOrdinary(context); }
CUresult cuCtxDestroy_v2(CUcontext context) { return destroyOrdinary(context); }
CUresult cuCtxPushCurrent(CUcontext context) { return push(context); }
CUresult cuCtxPushCurrent_v2(CUcontext context) { return push(context); }
CUresult cuCtxPopCurrent(CUcontext *context) { return pop(context); }
CUresult cuCtxPopCurrent_v2(CUcontext *context) { return pop(context); }

CUresult cuCtxSetCurrent(CUcontext handle) {
  return call([&] {
    auto &stack = thread().stack;
    if (!handle) {
      if (!stack.empty()) {
        stack.pop_back();
      }
      return;
    }
    auto context = find(handle);
    if (stack.empty()) {
      stack.push_back(context);
    } else {
      stack.back() = context;
    }
  });
}

CUresult cuCtxGetCurrent(CUcontext *context) {
  return call([&] {
    require(context);
    auto &stack = thread().stack;
    *context = stack.empty() ? nullptr : stack.back()->handle;
  });
}

CUresult cuCtxGetDevice(CUdevice *device) {
  return call([&] {
    require(device);
    currentContext(true);
    *device = 0;
  });
}

CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context) {
  return call([&] {
    require(device);
    if (context) {
      find(context);
    } else {
      currentContext(true);
    }
    *device = 0;
  });
}

CUresult cuCtxGetFlags(unsigned *flags) {
  return call([&] {
    require(flags);
    *flags = currentContext(true).flags;
  });
}

CUresult cuCtxSetFlags(unsigned flags) {
  return callInContext([&](Context &context) {
    require(!(flags & ~unsigned(CU_CTX_FLAGS_MASK)));
    context.flags = flags;
  });
}

CUresult cuCtxGetId(CUcontext context, unsigned long long *ctxId) {
  return call([&] {
    require(ctxId);
    *ctxId = (context ? *find(context) : currentContext(true)).id;
  });
}

CUresult cuCtxSynchronize() {
  return callInContext([](Context &context) { synchronise(context); });
}

CUresult cuCtxSynchronize_v2(CUcontext handle) {
  return call([&] {
    auto context = handle ? find(handle) : currentContext().shared_from_this();
    require(!context->broken, context->broken);
    synchronise(*context);
  });
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return callInContext([&](Context &context) {
    require(limit < CU_LIMIT_MAX);
    require(context.limits.count(limit), CUDA_ERROR_UNSUPPORTED_LIMIT);
    if (limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE) {
      require(value <= size_t(deviceValue(
                           context.device.options,
                           CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE)));
    }
    // "must be performed before launching any kernel that uses" them
    require(!(limit == CU_LIMIT_MALLOC_HEAP_SIZE && context.heapIsUsed) &&
            !(limit == CU_LIMIT_PRINTF_FIFO_SIZE && context.printfIsUsed));
    context.limits[limit] = value;
    context.device.heap.limit = context.limits[CU_LIMIT_MALLOC_HEAP_SIZE];
  });
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
  return callInContext([&](Context &context) {
    require(value && limit < CU_LIMIT_MAX);
    require(context.limits.count(limit), CUDA_ERROR_UNSUPPORTED_LIMIT);
    *value = context.limits[limit];
  });
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *config) {
  return callInContext([&](Context &context) {
    require(config);
    *config = context.cacheConfig;
  });
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  return callInContext([&](Context &context) {
    require(config <= CU_FUNC_CACHE_PREFER_EQUAL);
    context.cacheConfig = config;
  });
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config) {
  return callInContext([&](Context &context) {
    require(config);
    *config = context.sharedConfig;
  });
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
  return callInContext([&](Context &context) {
    require(config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE);
    context.sharedConfig = config;
  });
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version) {
  return call([&] {
    require(version);
    if (context) {
      find(context);
    } else {
      currentContext(true);
    }
    *version = 3020;
  });
}

CUresult cuCtxGetStreamPriorityRange(int *leastPriority,
                                     int *greatestPriority) {
  return callInContext([&](Context &) {
    if (leastPriority) {
      *leastPriority = leastStreamPriority;
    }
    if (greatestPriority) {
      *greatestPriority = greatestStreamPriority;
    }
  });
}

CUresult cuCtxResetPersistingL2Cache() {
  return callInContext([](Context &) {});
}

CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned flags) {
  return callInContext([&](Context &context) {
    require(flags == 0);
    auto peer = find(peerContext);
    require(peer.get() != &context, CUDA_ERROR_INVALID_CONTEXT);
    fail(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
  });
}

CUresult cuCtxDisablePeerAccess(CUcontext peerContext) {
  return callInContext([&](Context &) {
    find(peerContext);
    fail(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
  });
}

} // namespace cheems::emulator::driver
