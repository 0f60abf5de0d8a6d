//===- Memory.h - Memory, pools, copies and sets ----------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DRIVER_FUNCTIONS_MEMORY_H
#define CHEEMS_EMULATOR_DRIVER_FUNCTIONS_MEMORY_H

#include "Driver/Types.h"
#include "Linkage.h"

namespace cheems::emulator::driver {

CHEEMS_DRIVER_API CUresult cuMemGetInfo_v2(size_t *free, size_t *total);
CHEEMS_DRIVER_API CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes);
CHEEMS_DRIVER_API CUresult cuMemAllocPitch_v2(CUdeviceptr *pointer,
                                              size_t *pitch,
                                              size_t widthInBytes,
                                              size_t height,
                                              unsigned elementSizeBytes);
CHEEMS_DRIVER_API CUresult cuMemFree_v2(CUdeviceptr pointer);
CHEEMS_DRIVER_API CUresult cuMemGetAddressRange_v2(CUdeviceptr *pbase,
                                                   size_t *bytes,
                                                   CUdeviceptr pointer);
CHEEMS_DRIVER_API CUresult cuMemAllocHost_v2(void **pointer, size_t bytes);
CHEEMS_DRIVER_API CUresult cuMemFreeHost(void *p);
CHEEMS_DRIVER_API CUresult cuMemHostAlloc(void **pointer, size_t bytes,
                                          unsigned flags);
CHEEMS_DRIVER_API CUresult cuMemHostGetDevicePointer_v2(
    CUdeviceptr *devicePointer, void *p, unsigned flags);
CHEEMS_DRIVER_API CUresult cuMemHostGetFlags(unsigned *flags, void *p);
CHEEMS_DRIVER_API CUresult cuMemHostRegister_v2(void *p, size_t bytes,
                                                unsigned flags);
CHEEMS_DRIVER_API CUresult cuMemHostUnregister(void *p);
CHEEMS_DRIVER_API CUresult cuPointerGetAttribute(void *data,
                                                 CUpointer_attribute attribute,
                                                 CUdeviceptr ptr);
CHEEMS_DRIVER_API CUresult
cuPointerGetAttributes(unsigned numAttributes, CUpointer_attribute *attributes,
                       void **data, CUdeviceptr ptr);
CHEEMS_DRIVER_API CUresult cuPointerSetAttribute(const void *value,
                                                 CUpointer_attribute attribute,
                                                 CUdeviceptr ptr);

CHEEMS_DRIVER_API CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes,
                                           CUstream stream);
CHEEMS_DRIVER_API CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream);
CHEEMS_DRIVER_API CUresult cuMemAllocFromPoolAsync(CUdeviceptr *pointer,
                                                   size_t bytes,
                                                   CUmemoryPool pool,
                                                   CUstream stream);
CHEEMS_DRIVER_API CUresult cuMemPoolCreate(CUmemoryPool *pool,
                                           const CUmemPoolProps *poolProps);
CHEEMS_DRIVER_API CUresult cuMemPoolDestroy(CUmemoryPool pool);
CHEEMS_DRIVER_API CUresult cuMemPoolTrimTo(CUmemoryPool pool,
                                           size_t minBytesToKeep);
CHEEMS_DRIVER_API CUresult cuMemPoolSetAttribute(CUmemoryPool pool,
                                                 CUmemPool_attribute attribute,
                                                 void *value);
CHEEMS_DRIVER_API CUresult cuMemPoolGetAttribute(CUmemoryPool pool,
                                                 CUmemPool_attribute attribute,
                                                 void *value);
CHEEMS_DRIVER_API CUresult cuMemPoolSetAccess(CUmemoryPool pool,
                                              const CUmemAccessDesc *map,
                                              size_t count);
CHEEMS_DRIVER_API CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags,
                                              CUmemoryPool memPool,
                                              CUmemLocation *location);
CHEEMS_DRIVER_API CUresult cuMemAllocAsync_ptsz(CUdeviceptr *pointer,
                                                size_t bytes, CUstream stream);
CHEEMS_DRIVER_API CUresult cuMemAllocFromPoolAsync_ptsz(CUdeviceptr *pointer,
                                                        size_t bytes,
                                                        CUmemoryPool pool,
                                                        CUstream stream);
CHEEMS_DRIVER_API CUresult cuMemFreeAsync_ptsz(CUdeviceptr pointer,
                                               CUstream stream);

CHEEMS_DRIVER_API CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src,
                                    size_t bytes);
CHEEMS_DRIVER_API CUresult cuMemcpyHtoD_v2(CUdeviceptr dstDevice,
                                           const void *srcHost, size_t bytes);
CHEEMS_DRIVER_API CUresult cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice,
                                           size_t bytes);
CHEEMS_DRIVER_API CUresult cuMemcpyDtoD_v2(CUdeviceptr dstDevice,
                                           CUdeviceptr srcDevice, size_t bytes);
CHEEMS_DRIVER_API CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy);
CHEEMS_DRIVER_API CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy);
CHEEMS_DRIVER_API CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy);
CHEEMS_DRIVER_API CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src,
                                         size_t bytes, CUstream stream);
CHEEMS_DRIVER_API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice,
                                                const void *srcHost,
                                                size_t bytes, CUstream stream);
CHEEMS_DRIVER_API CUresult cuMemcpyDtoHAsync_v2(void *dstHost,
                                                CUdeviceptr srcDevice,
                                                size_t bytes, CUstream stream);
CHEEMS_DRIVER_API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice,
                                                CUdeviceptr srcDevice,
                                                size_t bytes, CUstream stream);
CHEEMS_DRIVER_API CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy,
                                              CUstream stream);
CHEEMS_DRIVER_API CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy,
                                              CUstream stream);
CHEEMS_DRIVER_API CUresult cuMemcpy_ptds(CUdeviceptr dst, CUdeviceptr src,
                                         size_t bytes);
CHEEMS_DRIVER_API CUresult cuMemcpy2D_v2_ptds(const CUDA_MEMCPY2D *copy);
CHEEMS_DRIVER_API CUresult cuMemcpy2DAsync_v2_ptsz(const CUDA_MEMCPY2D *copy,
                                                   CUstream stream);
CHEEMS_DRIVER_API CUresult
cuMemcpy2DUnaligned_v2_ptds(const CUDA_MEMCPY2D *copy);
CHEEMS_DRIVER_API CUresult cuMemcpy3D_v2_ptds(const CUDA_MEMCPY3D *copy);
CHEEMS_DRIVER_API CUresult cuMemcpy3DAsync_v2_ptsz(const CUDA_MEMCPY3D *copy,
                                                   CUstream stream);
CHEEMS_DRIVER_API CUresult cuMemcpyAsync_ptsz(CUdeviceptr dst, CUdeviceptr src,
                                              size_t bytes, CUstream stream);
CHEEMS_DRIVER_API CUresult cuMemcpyDtoD_v2_ptds(CUdeviceptr dstDevice,
                                                CUdeviceptr srcDevice,
                                                size_t bytes);
CHEEMS_DRIVER_API CUresult cuMemcpyDtoDAsync_v2_ptsz(CUdeviceptr dstDevice,
                                                     CUdeviceptr srcDevice,
                                                     size_t bytes,
                                                     CUstream stream);
CHEEMS_DRIVER_API CUresult cuMemcpyDtoH_v2_ptds(void *dstHost,
                                                CUdeviceptr srcDevice,
                                                size_t bytes);
CHEEMS_DRIVER_API CUresult cuMemcpyDtoHAsync_v2_ptsz(void *dstHost,
                                                     CUdeviceptr srcDevice,
                                                     size_t bytes,
                                                     CUstream stream);
CHEEMS_DRIVER_API CUresult cuMemcpyHtoD_v2_ptds(CUdeviceptr dstDevice,
                                                const void *srcHost,
                                                size_t bytes);
CHEEMS_DRIVER_API CUresult cuMemcpyHtoDAsync_v2_ptsz(CUdeviceptr dstDevice,
                                                     const void *srcHost,
                                                     size_t bytes,
                                                     CUstream stream);

CHEEMS_DRIVER_API CUresult cuMemsetD8_v2(CUdeviceptr dstDevice,
                                         unsigned char value, size_t count);
CHEEMS_DRIVER_API CUresult cuMemsetD16_v2(CUdeviceptr dstDevice,
                                          unsigned short value, size_t count);
CHEEMS_DRIVER_API CUresult cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned value,
                                          size_t count);
CHEEMS_DRIVER_API CUresult cuMemsetD2D8_v2(CUdeviceptr dstDevice,
                                           size_t dstPitch, unsigned char value,
                                           size_t width, size_t height);
CHEEMS_DRIVER_API CUresult cuMemsetD2D16_v2(CUdeviceptr dstDevice,
                                            size_t dstPitch,
                                            unsigned short value, size_t width,
                                            size_t height);
CHEEMS_DRIVER_API CUresult cuMemsetD2D32_v2(CUdeviceptr dstDevice,
                                            size_t dstPitch, unsigned value,
                                            size_t width, size_t height);
CHEEMS_DRIVER_API CUresult cuMemsetD8Async(CUdeviceptr dstDevice,
                                           unsigned char value, size_t count,
                                           CUstream stream);
CHEEMS_DRIVER_API CUresult cuMemsetD16Async(CUdeviceptr dstDevice,
                                            unsigned short value, size_t count,
                                            CUstream stream);
CHEEMS_DRIVER_API CUresult cuMemsetD32Async(CUdeviceptr dstDevice,
                                            unsigned value, size_t count,
                                            CUstream stream);
CHEEMS_DRIVER_API CUresult cuMemsetD2D8Async(CUdeviceptr dstDevice,
                                             size_t dstPitch,
                                             unsigned char value, size_t width,
                                             size_t height, CUstream stream);
CHEEMS_DRIVER_API CUresult cuMemsetD2D16Async(CUdeviceptr dstDevice,
                                              size_t dstPitch,
                                              unsigned short value,
                                              size_t width, size_t height,
                                              CUstream stream);
CHEEMS_DRIVER_API CUresult cuMemsetD2D32Async(CUdeviceptr dstDevice,
                                              size_t dstPitch, unsigned value,
                                              size_t width, size_t height,
                                              CUstream stream);
CHEEMS_DRIVER_API CUresult cuMemsetD16_v2_ptds(CUdeviceptr dstDevice,
                                               unsigned short value,
                                               size_t count);
CHEEMS_DRIVER_API CUresult cuMemsetD16Async_ptsz(CUdeviceptr dstDevice,
                                                 unsigned short value,
                                                 size_t count, CUstream stream);
CHEEMS_DRIVER_API CUresult cuMemsetD2D16_v2_ptds(CUdeviceptr dstDevice,
                                                 size_t dstPitch,
                                                 unsigned short value,
                                                 size_t width, size_t height);
CHEEMS_DRIVER_API CUresult cuMemsetD2D16Async_ptsz(CUdeviceptr dstDevice,
                                                   size_t dstPitch,
                                                   unsigned short value,
                                                   size_t width, size_t height,
                                                   CUstream stream);
CHEEMS_DRIVER_API CUresult cuMemsetD2D32_v2_ptds(CUdeviceptr dstDevice,
                                                 size_t dstPitch,
                                                 unsigned value, size_t width,
                                                 size_t height);
CHEEMS_DRIVER_API CUresult cuMemsetD2D32Async_ptsz(CUdeviceptr dstDevice,
                                                   size_t dstPitch,
                                                   unsigned value, size_t width,
                                                   size_t height,
                                                   CUstream stream);
CHEEMS_DRIVER_API CUresult cuMemsetD2D8_v2_ptds(CUdeviceptr dstDevice,
                                                size_t dstPitch,
                                                unsigned char value,
                                                size_t width, size_t height);
CHEEMS_DRIVER_API CUresult cuMemsetD2D8Async_ptsz(CUdeviceptr dstDevice,
                                                  size_t dstPitch,
                                                  unsigned char value,
                                                  size_t width, size_t height,
                                                  CUstream stream);
CHEEMS_DRIVER_API CUresult cuMemsetD32_v2_ptds(CUdeviceptr dstDevice,
                                               unsigned value, size_t count);
CHEEMS_DRIVER_API CUresult cuMemsetD32Async_ptsz(CUdeviceptr dstDevice,
                                                 unsigned value, size_t count,
                                                 CUstream stream);
CHEEMS_DRIVER_API CUresult cuMemsetD8_v2_ptds(CUdeviceptr dstDevice,
                                              unsigned char value,
                                              size_t count);
CHEEMS_DRIVER_API CUresult cuMemsetD8Async_ptsz(CUdeviceptr dstDevice,
                                                unsigned char value,
                                                size_t count, CUstream stream);

} // namespace cheems::emulator::driver

#endif
