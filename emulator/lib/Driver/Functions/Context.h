//===- Context.h - Initialisation, devices and contexts ---------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DRIVER_FUNCTIONS_CONTEXT_H
#define CHEEMS_EMULATOR_DRIVER_FUNCTIONS_CONTEXT_H

#include "Driver/Types.h"
#include "Linkage.h"

namespace cheems::emulator::driver {

CHEEMS_DRIVER_API CUresult cuInit(unsigned flags);
CHEEMS_DRIVER_API CUresult cuDriverGetVersion(int *driverVersion);
CHEEMS_DRIVER_API CUresult cuGetErrorString(CUresult error, const char **str);
CHEEMS_DRIVER_API CUresult cuGetErrorName(CUresult error, const char **str);
CHEEMS_DRIVER_API CUresult cuGetProcAddress(const char *symbol, void **found,
                                            int cudaVersion, cuuint64_t flags);
CHEEMS_DRIVER_API CUresult cuGetProcAddress_v2(
    const char *symbol, void **found, int cudaVersion, cuuint64_t flags,
    CUdriverProcAddressQueryResult *symbolStatus);
CHEEMS_DRIVER_API CUresult cuProfilerStart();
CHEEMS_DRIVER_API CUresult cuProfilerStop();
CHEEMS_DRIVER_API CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode);

CHEEMS_DRIVER_API CUresult cuDeviceGet(CUdevice *device, int ordinal);
CHEEMS_DRIVER_API CUresult cuDeviceGetCount(int *count);
CHEEMS_DRIVER_API CUresult cuDeviceGetName(char *name, int len,
                                           CUdevice device);
CHEEMS_DRIVER_API CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device);
CHEEMS_DRIVER_API CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device);
CHEEMS_DRIVER_API CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device);
CHEEMS_DRIVER_API CUresult cuDeviceGetAttribute(int *value,
                                                CUdevice_attribute attribute,
                                                CUdevice device);
CHEEMS_DRIVER_API CUresult cuDeviceGetProperties(CUdevprop *properties,
                                                 CUdevice device);
CHEEMS_DRIVER_API CUresult cuDeviceComputeCapability(int *major, int *minor,
                                                     CUdevice device);
CHEEMS_DRIVER_API CUresult cuDeviceGetByPCIBusId(CUdevice *device,
                                                 const char *pciBusId);
CHEEMS_DRIVER_API CUresult cuDeviceGetPCIBusId(char *pciBusId, int len,
                                               CUdevice device);
CHEEMS_DRIVER_API CUresult cuDeviceCanAccessPeer(int *canAccessPeer,
                                                 CUdevice device,
                                                 CUdevice peerDev);
CHEEMS_DRIVER_API CUresult
cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute,
                        CUdevice srcDevice, CUdevice dstDevice);
CHEEMS_DRIVER_API CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool,
                                                     CUdevice device);
CHEEMS_DRIVER_API CUresult cuDeviceGetMemPool(CUmemoryPool *pool,
                                              CUdevice device);
CHEEMS_DRIVER_API CUresult cuDeviceSetMemPool(CUdevice device,
                                              CUmemoryPool pool);
CHEEMS_DRIVER_API CUresult cuDeviceGetExecAffinitySupport(
    int *value, CUexecAffinityType type, CUdevice device);

CHEEMS_DRIVER_API CUresult cuDevicePrimaryCtxRetain(CUcontext *context,
                                                    CUdevice device);
CHEEMS_DRIVER_API CUresult cuDevicePrimaryCtxRelease(CUdevice device);
CHEEMS_DRIVER_API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device);
CHEEMS_DRIVER_API CUresult cuDevicePrimaryCtxReset(CUdevice device);
CHEEMS_DRIVER_API CUresult cuDevicePrimaryCtxReset_v2(CUdevice device);
CHEEMS_DRIVER_API CUresult cuDevicePrimaryCtxSetFlags(CUdevice device,
                                                      unsigned flags);
CHEEMS_DRIVER_API CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device,
                                                         unsigned flags);
CHEEMS_DRIVER_API CUresult cuDevicePrimaryCtxGetState(CUdevice device,
                                                      unsigned *flags,
                                                      int *active);
CHEEMS_DRIVER_API CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags,
                                          CUdevice device);
CHEEMS_DRIVER_API CUresult cuCtxCreate_v3(CUcontext *context,
                                          CUexecAffinityParam *paramsArray,
                                          int numParams, unsigned flags,
                                          CUdevice device);
CHEEMS_DRIVER_API CUresult cuCtxCreate_v4(CUcontext *context,
                                          CUctxCreateParams *ctxCreateParams,
                                          unsigned flags, CUdevice device);
CHEEMS_DRIVER_API CUresult cuCtxDestroy(CUcontext context);
CHEEMS_DRIVER_API CUresult cuCtxDestroy_v2(CUcontext context);
CHEEMS_DRIVER_API CUresult cuCtxPushCurrent(CUcontext context);
CHEEMS_DRIVER_API CUresult cuCtxPushCurrent_v2(CUcontext context);
CHEEMS_DRIVER_API CUresult cuCtxPopCurrent(CUcontext *context);
CHEEMS_DRIVER_API CUresult cuCtxPopCurrent_v2(CUcontext *context);
CHEEMS_DRIVER_API CUresult cuCtxSetCurrent(CUcontext context);
CHEEMS_DRIVER_API CUresult cuCtxGetCurrent(CUcontext *context);
CHEEMS_DRIVER_API CUresult cuCtxGetDevice(CUdevice *device);
CHEEMS_DRIVER_API CUresult cuCtxGetDevice_v2(CUdevice *device,
                                             CUcontext context);
CHEEMS_DRIVER_API CUresult cuCtxGetFlags(unsigned *flags);
CHEEMS_DRIVER_API CUresult cuCtxSetFlags(unsigned flags);
CHEEMS_DRIVER_API CUresult cuCtxGetId(CUcontext context,
                                      unsigned long long *ctxId);
CHEEMS_DRIVER_API CUresult cuCtxSynchronize();
CHEEMS_DRIVER_API CUresult cuCtxSynchronize_v2(CUcontext context);
CHEEMS_DRIVER_API CUresult cuCtxSetLimit(CUlimit limit, size_t value);
CHEEMS_DRIVER_API CUresult cuCtxGetLimit(size_t *value, CUlimit limit);
CHEEMS_DRIVER_API CUresult cuCtxGetCacheConfig(CUfunc_cache *pconfig);
CHEEMS_DRIVER_API CUresult cuCtxSetCacheConfig(CUfunc_cache config);
CHEEMS_DRIVER_API CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config);
CHEEMS_DRIVER_API CUresult cuCtxSetSharedMemConfig(CUsharedconfig config);
CHEEMS_DRIVER_API CUresult cuCtxGetApiVersion(CUcontext context,
                                              unsigned *version);
CHEEMS_DRIVER_API CUresult cuCtxGetStreamPriorityRange(int *leastPriority,
                                                       int *greatestPriority);
CHEEMS_DRIVER_API CUresult cuCtxResetPersistingL2Cache();
CHEEMS_DRIVER_API CUresult cuCtxEnablePeerAccess(CUcontext peerContext,
                                                 unsigned flags);
CHEEMS_DRIVER_API CUresult cuCtxDisablePeerAccess(CUcontext peerContext);

} // namespace cheems::emulator::driver

#endif
