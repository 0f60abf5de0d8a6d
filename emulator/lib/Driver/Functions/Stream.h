//===- Stream.h - Streams, events and capture -------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DRIVER_FUNCTIONS_STREAM_H
#define CHEEMS_EMULATOR_DRIVER_FUNCTIONS_STREAM_H

#include "Driver/Types.h"
#include "Linkage.h"

namespace cheems::emulator::driver {

CHEEMS_DRIVER_API CUresult cuStreamCreate(CUstream *stream, unsigned flags);
CHEEMS_DRIVER_API CUresult cuStreamCreateWithPriority(CUstream *stream,
                                                      unsigned flags,
                                                      int priority);
CHEEMS_DRIVER_API CUresult cuStreamDestroy(CUstream stream);
CHEEMS_DRIVER_API CUresult cuStreamDestroy_v2(CUstream stream);
CHEEMS_DRIVER_API CUresult cuStreamQuery(CUstream stream);
CHEEMS_DRIVER_API CUresult cuStreamSynchronize(CUstream stream);
CHEEMS_DRIVER_API CUresult cuStreamWaitEvent(CUstream stream, CUevent event,
                                             unsigned flags);
CHEEMS_DRIVER_API CUresult cuStreamAddCallback(CUstream stream,
                                               CUstreamCallback callback,
                                               void *userData, unsigned flags);
CHEEMS_DRIVER_API CUresult cuLaunchHostFunc(CUstream stream, CUhostFn fn,
                                            void *userData);
CHEEMS_DRIVER_API CUresult cuStreamGetPriority(CUstream stream, int *priority);
CHEEMS_DRIVER_API CUresult cuStreamGetFlags(CUstream stream, unsigned *flags);
CHEEMS_DRIVER_API CUresult cuStreamGetId(CUstream stream,
                                         unsigned long long *streamId);
CHEEMS_DRIVER_API CUresult cuStreamGetDevice(CUstream stream, CUdevice *device);
CHEEMS_DRIVER_API CUresult cuStreamGetCtx(CUstream stream, CUcontext *context);
CHEEMS_DRIVER_API CUresult cuStreamCopyAttributes(CUstream dst, CUstream src);
CHEEMS_DRIVER_API CUresult cuStreamGetAttribute(CUstream stream,
                                                CUlaunchAttributeID attribute,
                                                CUlaunchAttributeValue *value);
CHEEMS_DRIVER_API CUresult
cuStreamSetAttribute(CUstream stream, CUlaunchAttributeID attribute,
                     const CUlaunchAttributeValue *value);
CHEEMS_DRIVER_API CUresult cuLaunchHostFunc_ptsz(CUstream stream, CUhostFn fn,
                                                 void *userData);
CHEEMS_DRIVER_API CUresult cuStreamAddCallback_ptsz(CUstream stream,
                                                    CUstreamCallback callback,
                                                    void *userData,
                                                    unsigned flags);
CHEEMS_DRIVER_API CUresult cuStreamCopyAttributes_ptsz(CUstream dst,
                                                       CUstream src);
CHEEMS_DRIVER_API CUresult
cuStreamGetAttribute_ptsz(CUstream stream, CUlaunchAttributeID attribute,
                          CUlaunchAttributeValue *value);
CHEEMS_DRIVER_API CUresult cuStreamGetCtx_ptsz(CUstream stream,
                                               CUcontext *context);
CHEEMS_DRIVER_API CUresult cuStreamGetDevice_ptsz(CUstream stream,
                                                  CUdevice *device);
CHEEMS_DRIVER_API CUresult cuStreamGetFlags_ptsz(CUstream stream,
                                                 unsigned *flags);
CHEEMS_DRIVER_API CUresult cuStreamGetId_ptsz(CUstream stream,
                                              unsigned long long *streamId);
CHEEMS_DRIVER_API CUresult cuStreamGetPriority_ptsz(CUstream stream,
                                                    int *priority);
CHEEMS_DRIVER_API CUresult cuStreamQuery_ptsz(CUstream stream);
CHEEMS_DRIVER_API CUresult
cuStreamSetAttribute_ptsz(CUstream stream, CUlaunchAttributeID attribute,
                          const CUlaunchAttributeValue *value);
CHEEMS_DRIVER_API CUresult cuStreamSynchronize_ptsz(CUstream stream);
CHEEMS_DRIVER_API CUresult cuStreamWaitEvent_ptsz(CUstream stream,
                                                  CUevent event,
                                                  unsigned flags);

CHEEMS_DRIVER_API CUresult cuEventCreate(CUevent *event, unsigned flags);
CHEEMS_DRIVER_API CUresult cuEventRecord(CUevent event, CUstream stream);
CHEEMS_DRIVER_API CUresult cuEventRecordWithFlags(CUevent event,
                                                  CUstream stream,
                                                  unsigned flags);
CHEEMS_DRIVER_API CUresult cuEventQuery(CUevent event);
CHEEMS_DRIVER_API CUresult cuEventSynchronize(CUevent event);
CHEEMS_DRIVER_API CUresult cuEventDestroy(CUevent event);
CHEEMS_DRIVER_API CUresult cuEventDestroy_v2(CUevent event);
CHEEMS_DRIVER_API CUresult cuEventElapsedTime(float *milliseconds,
                                              CUevent start, CUevent end);
CHEEMS_DRIVER_API CUresult cuEventElapsedTime_v2(float *milliseconds,
                                                 CUevent start, CUevent end);
CHEEMS_DRIVER_API CUresult cuEventRecord_ptsz(CUevent event, CUstream stream);
CHEEMS_DRIVER_API CUresult cuEventRecordWithFlags_ptsz(CUevent event,
                                                       CUstream stream,
                                                       unsigned flags);

CHEEMS_DRIVER_API CUresult cuStreamBeginCapture_v2(CUstream stream,
                                                   CUstreamCaptureMode mode);
CHEEMS_DRIVER_API CUresult cuStreamBeginCaptureToGraph(
    CUstream stream, CUgraph graph, const CUgraphNode *dependencies,
    const CUgraphEdgeData *dependencyData, size_t numDependencies,
    CUstreamCaptureMode mode);
CHEEMS_DRIVER_API CUresult
cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode);
CHEEMS_DRIVER_API CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph);
CHEEMS_DRIVER_API CUresult
cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *captureStatus);
CHEEMS_DRIVER_API CUresult cuStreamGetCaptureInfo_v2(
    CUstream stream, CUstreamCaptureStatus *captureStatus, cuuint64_t *id,
    CUgraph *graph, const CUgraphNode **dependencies, size_t *numDependencies);
CHEEMS_DRIVER_API CUresult cuStreamGetCaptureInfo_v3(
    CUstream stream, CUstreamCaptureStatus *captureStatus, cuuint64_t *id,
    CUgraph *graph, const CUgraphNode **dependencies,
    const CUgraphEdgeData **edgeData, size_t *numDependencies);
CHEEMS_DRIVER_API CUresult
cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *dependencies,
                                  size_t numDependencies, unsigned flags);
CHEEMS_DRIVER_API CUresult
cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode *dependencies,
                                     const CUgraphEdgeData *dependencyData,
                                     size_t numDependencies, unsigned flags);
CHEEMS_DRIVER_API CUresult
cuStreamBeginCapture_v2_ptsz(CUstream stream, CUstreamCaptureMode mode);
CHEEMS_DRIVER_API CUresult cuStreamBeginCaptureToGraph_ptsz(
    CUstream stream, CUgraph graph, const CUgraphNode *dependencies,
    const CUgraphEdgeData *dependencyData, size_t numDependencies,
    CUstreamCaptureMode mode);
CHEEMS_DRIVER_API CUresult cuStreamEndCapture_ptsz(CUstream stream,
                                                   CUgraph *graph);
CHEEMS_DRIVER_API CUresult cuStreamGetCaptureInfo_v2_ptsz(
    CUstream stream, CUstreamCaptureStatus *captureStatus, cuuint64_t *id,
    CUgraph *graph, const CUgraphNode **dependencies, size_t *numDependencies);
CHEEMS_DRIVER_API CUresult cuStreamGetCaptureInfo_v3_ptsz(
    CUstream stream, CUstreamCaptureStatus *captureStatus, cuuint64_t *id,
    CUgraph *graph, const CUgraphNode **dependencies,
    const CUgraphEdgeData **edgeData, size_t *numDependencies);
CHEEMS_DRIVER_API CUresult
cuStreamIsCapturing_ptsz(CUstream stream, CUstreamCaptureStatus *captureStatus);
CHEEMS_DRIVER_API CUresult cuStreamUpdateCaptureDependencies_ptsz(
    CUstream stream, CUgraphNode *dependencies, size_t numDependencies,
    unsigned flags);
CHEEMS_DRIVER_API CUresult cuStreamUpdateCaptureDependencies_v2_ptsz(
    CUstream stream, CUgraphNode *dependencies,
    const CUgraphEdgeData *dependencyData, size_t numDependencies,
    unsigned flags);

} // namespace cheems::emulator::driver

#endif
