//===- Module.h - Modules, functions and launches ---------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DRIVER_FUNCTIONS_MODULE_H
#define CHEEMS_EMULATOR_DRIVER_FUNCTIONS_MODULE_H

#include "Driver/Types.h"
#include "Linkage.h"

namespace cheems::emulator::driver {

CHEEMS_DRIVER_API CUresult cuModuleLoad(CUmodule *module, const char *path);
CHEEMS_DRIVER_API CUresult cuModuleLoadData(CUmodule *module,
                                            const void *image);
CHEEMS_DRIVER_API CUresult cuModuleLoadDataEx(CUmodule *module,
                                              const void *image,
                                              unsigned numOptions,
                                              CUjit_option *options,
                                              void **optionValues);
CHEEMS_DRIVER_API CUresult cuModuleLoadFatBinary(CUmodule *module,
                                                 const void *image);
CHEEMS_DRIVER_API CUresult cuModuleUnload(CUmodule module);
CHEEMS_DRIVER_API CUresult cuModuleGetFunction(CUfunction *function,
                                               CUmodule module,
                                               const char *name);
CHEEMS_DRIVER_API CUresult cuModuleGetGlobal_v2(CUdeviceptr *pointer,
                                                size_t *bytes, CUmodule module,
                                                const char *name);
CHEEMS_DRIVER_API CUresult cuModuleGetFunctionCount(unsigned *count,
                                                    CUmodule module);
CHEEMS_DRIVER_API CUresult cuModuleEnumerateFunctions(CUfunction *functions,
                                                      unsigned numFunctions,
                                                      CUmodule module);
CHEEMS_DRIVER_API CUresult cuLinkCreate_v2(unsigned numOptions,
                                           CUjit_option *options,
                                           void **optionValues,
                                           CUlinkState *stateOut);
CHEEMS_DRIVER_API CUresult cuLinkAddData_v2(CUlinkState state,
                                            CUjitInputType type, void *data,
                                            size_t size, const char *name,
                                            unsigned numOptions,
                                            CUjit_option *options,
                                            void **optionValues);
CHEEMS_DRIVER_API CUresult cuLinkAddFile_v2(
    CUlinkState state, CUjitInputType type, const char *path,
    unsigned numOptions, CUjit_option *options, void **optionValues);
CHEEMS_DRIVER_API CUresult cuLinkComplete(CUlinkState state, void **cubinOut,
                                          size_t *sizeOut);
CHEEMS_DRIVER_API CUresult cuLinkDestroy(CUlinkState state);

CHEEMS_DRIVER_API CUresult
cuLibraryLoadData(CUlibrary *library, const void *code,
                  CUjit_option *jitOptions, void **jitOptionsValues,
                  unsigned numJitOptions, CUlibraryOption *libraryOptions,
                  void **libraryOptionValues, unsigned numLibraryOptions);
CHEEMS_DRIVER_API CUresult
cuLibraryLoadFromFile(CUlibrary *library, const char *fileName,
                      CUjit_option *jitOptions, void **jitOptionsValues,
                      unsigned numJitOptions, CUlibraryOption *libraryOptions,
                      void **libraryOptionValues, unsigned numLibraryOptions);
CHEEMS_DRIVER_API CUresult cuLibraryUnload(CUlibrary library);
CHEEMS_DRIVER_API CUresult cuLibraryGetKernel(CUkernel *kernel,
                                              CUlibrary library,
                                              const char *name);
CHEEMS_DRIVER_API CUresult cuLibraryGetKernelCount(unsigned *count,
                                                   CUlibrary library);
CHEEMS_DRIVER_API CUresult cuLibraryEnumerateKernels(CUkernel *kernels,
                                                     unsigned numKernels,
                                                     CUlibrary library);
CHEEMS_DRIVER_API CUresult cuLibraryGetModule(CUmodule *mod, CUlibrary library);
CHEEMS_DRIVER_API CUresult cuLibraryGetGlobal(CUdeviceptr *pointer,
                                              size_t *bytes, CUlibrary library,
                                              const char *name);
CHEEMS_DRIVER_API CUresult cuKernelGetFunction(CUfunction *func,
                                               CUkernel kernel);
CHEEMS_DRIVER_API CUresult cuKernelGetLibrary(CUlibrary *lib, CUkernel kernel);
CHEEMS_DRIVER_API CUresult cuKernelGetAttribute(int *value,
                                                CUfunction_attribute attribute,
                                                CUkernel kernel,
                                                CUdevice device);
CHEEMS_DRIVER_API CUresult cuKernelSetAttribute(CUfunction_attribute attribute,
                                                int val, CUkernel kernel,
                                                CUdevice device);
CHEEMS_DRIVER_API CUresult cuKernelGetName(const char **name,
                                           CUkernel function);
CHEEMS_DRIVER_API CUresult cuKernelGetParamInfo(CUkernel kernel,
                                                size_t paramIndex,
                                                size_t *paramOffset,
                                                size_t *paramSize);
CHEEMS_DRIVER_API CUresult cuKernelSetCacheConfig(CUkernel kernel,
                                                  CUfunc_cache config,
                                                  CUdevice device);

CHEEMS_DRIVER_API CUresult cuFuncGetAttribute(int *value,
                                              CUfunction_attribute attribute,
                                              CUfunction function);
CHEEMS_DRIVER_API CUresult cuFuncSetAttribute(CUfunction function,
                                              CUfunction_attribute attribute,
                                              int value);
CHEEMS_DRIVER_API CUresult cuFuncSetCacheConfig(CUfunction function,
                                                CUfunc_cache config);
CHEEMS_DRIVER_API CUresult cuFuncSetSharedMemConfig(CUfunction function,
                                                    CUsharedconfig config);
CHEEMS_DRIVER_API CUresult cuFuncGetModule(CUmodule *module,
                                           CUfunction function);
CHEEMS_DRIVER_API CUresult cuFuncGetName(const char **name,
                                         CUfunction function);
CHEEMS_DRIVER_API CUresult cuFuncGetParamInfo(CUfunction function,
                                              size_t paramIndex,
                                              size_t *paramOffset,
                                              size_t *paramSize);
CHEEMS_DRIVER_API CUresult cuFuncIsLoaded(CUfunctionLoadingState *state,
                                          CUfunction function);
CHEEMS_DRIVER_API CUresult cuFuncLoad(CUfunction function);
CHEEMS_DRIVER_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(
    int *numBlocks, CUfunction function, int blockSize, size_t dynamicSMemSize);
CHEEMS_DRIVER_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *numBlocks, CUfunction function, int blockSize, size_t dynamicSMemSize,
    unsigned flags);
CHEEMS_DRIVER_API CUresult cuOccupancyMaxPotentialBlockSize(
    int *minGridSize, int *blockSize, CUfunction function,
    CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize,
    int blockSizeLimit);
CHEEMS_DRIVER_API CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(
    int *minGridSize, int *blockSize, CUfunction function,
    CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize,
    int blockSizeLimit, unsigned flags);
CHEEMS_DRIVER_API CUresult cuOccupancyAvailableDynamicSMemPerBlock(
    size_t *dynamicSmemSize, CUfunction function, int numBlocks, int blockSize);
CHEEMS_DRIVER_API CUresult cuOccupancyMaxPotentialClusterSize(
    int *clusterSize, CUfunction function, const CUlaunchConfig *config);
CHEEMS_DRIVER_API CUresult cuOccupancyMaxActiveClusters(
    int *numClusters, CUfunction function, const CUlaunchConfig *config);

CHEEMS_DRIVER_API CUresult
cuLaunchKernel(CUfunction function, unsigned gridDimX, unsigned gridDimY,
               unsigned gridDimZ, unsigned blockDimX, unsigned blockDimY,
               unsigned blockDimZ, unsigned sharedMemBytes, CUstream stream,
               void **kernelParams, void **extra);
CHEEMS_DRIVER_API CUresult cuLaunchKernelEx(const CUlaunchConfig *config,
                                            CUfunction function,
                                            void **kernelParams, void **extra);
CHEEMS_DRIVER_API CUresult cuLaunchCooperativeKernel(
    CUfunction function, unsigned gridDimX, unsigned gridDimY,
    unsigned gridDimZ, unsigned blockDimX, unsigned blockDimY,
    unsigned blockDimZ, unsigned sharedMemBytes, CUstream stream,
    void **kernelParams);
CHEEMS_DRIVER_API CUresult cuLaunchCooperativeKernel_ptsz(
    CUfunction function, unsigned gridDimX, unsigned gridDimY,
    unsigned gridDimZ, unsigned blockDimX, unsigned blockDimY,
    unsigned blockDimZ, unsigned sharedMemBytes, CUstream stream,
    void **kernelParams);
CHEEMS_DRIVER_API CUresult
cuLaunchKernel_ptsz(CUfunction function, unsigned gridDimX, unsigned gridDimY,
                    unsigned gridDimZ, unsigned blockDimX, unsigned blockDimY,
                    unsigned blockDimZ, unsigned sharedMemBytes,
                    CUstream stream, void **kernelParams, void **extra);
CHEEMS_DRIVER_API CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config,
                                                 CUfunction function,
                                                 void **kernelParams,
                                                 void **extra);

CHEEMS_DRIVER_API CUresult cuTensorMapEncodeTiled(
    CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType,
    cuuint32_t tensorRank, void *globalAddress, const cuuint64_t *globalDim,
    const cuuint64_t *globalStrides, const cuuint32_t *boxDim,
    const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
    CUtensorMapFloatOOBfill oobFill);
CHEEMS_DRIVER_API CUresult cuTensorMapReplaceAddress(CUtensorMap *tensorMap,
                                                     void *globalAddress);

} // namespace cheems::emulator::driver

#endif
