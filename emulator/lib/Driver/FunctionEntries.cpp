//===- FunctionEntries.cpp ------------------------------------------------===//
#include "DeviceValues.h"
#include "Functions.h"
#include "Process.h"

namespace cheems::emulator::driver {

int functionAttribute(const Function &function,
                      CUfunction_attribute attribute) {
  const Kernel &kernel = *function.kernel;
  auto module = function.module.lock();
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    return int(kernel.maxThreads);
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    return int(kernel.staticSharedBytes);
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    return 0;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    return int(kernel.localBytes);
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    return kernel.registers;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    return process().options->architecture;
  case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    return 1;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    return int(function.maxDynamicShared);
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    return function.carveout;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    return kernel.requiredCluster.count() > 0;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    return int(kernel.requiredCluster.x);
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    return int(kernel.requiredCluster.y);
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    return int(kernel.requiredCluster.z);
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    return function.nonPortableCluster;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    return function.clusterPolicy;
  default:
    fail(CUDA_ERROR_INVALID_VALUE);
  }
}

void setFunctionAttribute(Context &context, Function &function,
                          CUfunction_attribute attribute, int value) {
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: {
    int most =
        deviceValue(context.device.options,
                    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    require(value >= 0 &&
            uint64_t(value) + function.kernel->staticSharedBytes <=
                uint64_t(most));
    function.maxDynamicShared = uint64_t(value);
    return;
  }
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    require(value >= -1 && value <= 100);
    function.carveout = value; // a hint
    return;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    function.nonPortableCluster = value != 0;
    return;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    require(value >= 0 && value <= 2);
    function.clusterPolicy = value; // a hint
    return;
  default:
    // the others are facts, or have to be known when the text is loaded
    fail(CUDA_ERROR_INVALID_VALUE);
  }
}

void parameterInfo(const Kernel &kernel, size_t index, size_t *offset,
                   size_t *bytes) {
  require(offset && index < kernel.parameters.size());
  *offset = kernel.parameters[index].offset;
  if (bytes) {
    *bytes = kernel.parameters[index].bytes;
  }
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                            CUfunction function) {
  return callInContext([&](Context &context) {
    require(value);
    *value = functionAttribute(*findFunction(context, function), attribute);
  });
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                            int value) {
  return callInContext([&](Context &context) {
    setFunctionAttribute(context, *findFunction(context, function), attribute,
                         value);
  });
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
  return callInContext([&](Context &context) {
    findFunction(context, function);
    require(config <= CU_FUNC_CACHE_PREFER_EQUAL);
  });
}

CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config) {
  return callInContext([&](Context &context) {
    findFunction(context, function);
    require(config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE);
  });
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction function) {
  return callInContext([&](Context &context) {
    require(module);
    *module = findFunction(context, function)->module.lock()->handle;
  });
}

CUresult cuFuncGetName(const char **name, CUfunction function) {
  return callInContext([&](Context &context) {
    require(name);
    *name = findFunction(context, function)->kernel->name.c_str();
  });
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t paramIndex,
                            size_t *paramOffset, size_t *paramSize) {
  return callInContext([&](Context &context) {
    parameterInfo(*findFunction(context, function)->kernel, paramIndex,
                  paramOffset, paramSize);
  });
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function) {
  return callInContext([&](Context &context) {
    require(state);
    findFunction(context, function);
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
  });
}

CUresult cuFuncLoad(CUfunction function) {
  return callInContext(
      [&](Context &context) { findFunction(context, function); });
}

} // namespace cheems::emulator::driver
