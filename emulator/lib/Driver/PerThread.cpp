//===- PerThread.cpp ------------------------------------------------------===//
#include "Functions.h"
#include "Process.h"

/// Entry points of streams, events, captures and graphs for callers whose
/// default stream is one of their thread.
namespace cheems::emulator::driver {

CUresult cuLaunchHostFunc_ptsz(CUstream stream, CUhostFn fn, void *userData) {
  return cuLaunchHostFunc(perThread(stream), fn, userData);
}

CUresult cuStreamAddCallback_ptsz(CUstream stream, CUstreamCallback callback,
                                  void *userData, unsigned flags) {
  return cuStreamAddCallback(perThread(stream), callback, userData, flags);
}

CUresult cuStreamCopyAttributes_ptsz(CUstream dst, CUstream src) {
  return cuStreamCopyAttributes(perThread(dst), perThread(src));
}

CUresult cuStreamGetAttribute_ptsz(CUstream stream,
                                   CUlaunchAttributeID attribute,
                                   CUlaunchAttributeValue *value) {
  return cuStreamGetAttribute(perThread(stream), attribute, value);
}

CUresult cuStreamGetCtx_ptsz(CUstream stream, CUcontext *context) {
  return cuStreamGetCtx(perThread(stream), context);
}

CUresult cuStreamGetDevice_ptsz(CUstream stream, CUdevice *device) {
  return cuStreamGetDevice(perThread(stream), device);
}

CUresult cuStreamGetFlags_ptsz(CUstream stream, unsigned *flags) {
  return cuStreamGetFlags(perThread(stream), flags);
}

CUresult cuStreamGetId_ptsz(CUstream stream, unsigned long long *streamId) {
  return cuStreamGetId(perThread(stream), streamId);
}

CUresult cuStreamGetPriority_ptsz(CUstream stream, int *priority) {
  return cuStreamGetPriority(perThread(stream), priority);
}

CUresult cuStreamQuery_ptsz(CUstream stream) {
  return cuStreamQuery(perThread(stream));
}

CUresult cuStreamSetAttribute_ptsz(CUstream stream,
                                   CUlaunchAttributeID attribute,
                                   const CUlaunchAttributeValue *value) {
  return cuStreamSetAttribute(perThread(stream), attribute, value);
}

CUresult cuStreamSynchronize_ptsz(CUstream stream) {
  return cuStreamSynchronize(perThread(stream));
}

CUresult cuStreamWaitEvent_ptsz(CUstream stream, CUevent event,
                                unsigned flags) {
  return cuStreamWaitEvent(perThread(stream), event, flags);
}

CUresult cuEventRecord_ptsz(CUevent event, CUstream stream) {
  return cuEventRecord(event, perThread(stream));
}

CUresult cuEventRecordWithFlags_ptsz(CUevent event, CUstream stream,
                                     unsigned flags) {
  return cuEventRecordWithFlags(event, perThread(stream), flags);
}

CUresult cuStreamBeginCapture_v2_ptsz(CUstream stream,
                                      CUstreamCaptureMode mode) {
  return cuStreamBeginCapture_v2(perThread(stream), mode);
}

CUresult cuStreamBeginCaptureToGraph_ptsz(CUstream stream, CUgraph graph,
                                          const CUgraphNode *dependencies,
                                          const CUgraphEdgeData *dependencyData,
                                          size_t numDependencies,
                                          CUstreamCaptureMode mode) {
  return cuStreamBeginCaptureToGraph(perThread(stream), graph, dependencies,
                                     dependencyData, numDependencies, mode);
}

CUresult cuStreamEndCapture_ptsz(CUstream stream, CUgraph *graph) {
  return cuStreamEndCapture(perThread(stream), graph);
}

CUresult cuStreamGetCaptureInfo_v2_ptsz(CUstream stream,
                                        CUstreamCaptureStatus *captureStatus,
                                        cuuint64_t *id, CUgraph *graph,
                                        const CUgraphNode **dependencies,
                                        size_t *numDependencies) {
  return cuStreamGetCaptureInfo_v2(perThread(stream), captureStatus, id, graph,
                                   dependencies, numDependencies);
}

CUresult cuStreamGetCaptureInfo_v3_ptsz(CUstream stream,
                                        CUstreamCaptureStatus *captureStatus,
                                        cuuint64_t *id, CUgraph *graph,
                                        const CUgraphNode **dependencies,
                                        const CUgraphEdgeData **edgeData,
                                        size_t *numDependencies) {
  return cuStreamGetCaptureInfo_v3(perThread(stream), captureStatus, id, graph,
                                   dependencies, edgeData, numDependencies);
}

CUresult cuStreamIsCapturing_ptsz(CUstream stream,
                                  CUstreamCaptureStatus *captureStatus) {
  return cuStreamIsCapturing(perThread(stream), captureStatus);
}

CUresult cuStreamUpdateCaptureDependencies_ptsz(CUstream stream,
                                                CUgraphNode *dependencies,
                                                size_t numDependencies,
                                                unsigned flags) {
  return cuStreamUpdateCaptureDependencies(perThread(stream), dependencies,
                                           numDependencies, flags);
}

CUresult cuStreamUpdateCaptureDependencies_v2_ptsz(
    CUstream stream, CUgraphNode *dependencies,
    const CUgraphEdgeData *dependencyData, size_t numDependencies,
    unsigned flags) {
  return cuStreamUpdateCaptureDependencies_v2(
      perThread(stream), dependencies, dependencyData, numDependencies, flags);
}

CUresult cuGraphInstantiateWithParams_ptsz(
    CUgraphExec *graphExec, CUgraph graph,
    CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams) {
  return cuGraphInstantiateWithParams(graphExec, graph, instantiateParams);
}

CUresult cuGraphLaunch_ptsz(CUgraphExec graphExec, CUstream stream) {
  return cuGraphLaunch(graphExec, perThread(stream));
}

CUresult cuGraphUpload_ptsz(CUgraphExec graphExec, CUstream stream) {
  return cuGraphUpload(graphExec, perThread(stream));
}

} // namespace cheems::emulator::driver
