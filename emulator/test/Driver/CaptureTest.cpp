//===- CaptureTest.cpp ----------------------------------------------------===//
#include "Fixture.h"

#include <thread>

using namespace cheems::emulator::driver;

namespace {

class CaptureTest : public DriverTest {
protected:
  void SetUp() override {
    DriverTest::SetUp();
    first = stream();
    word = words(4, 0);
    ASSERT_OK(cuCtxSynchronize());
  }
  void TearDown() override {
    CUgraph graph = nullptr;
    cuStreamEndCapture(first, &graph);
    DriverTest::TearDown();
  }

  void begin(CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL) {
    ASSERT_OK(cuStreamBeginCapture_v2(first, mode));
  }
  void set(unsigned index, unsigned value, CUstream stream) {
    EXPECT_OK(cuMemsetD32Async(word + 4 * index, value, 1, stream));
  }
  CUresult end() { return cuStreamEndCapture(first, &graph); }
  CUstreamCaptureStatus status(CUstream stream) {
    CUstreamCaptureStatus status;
    EXPECT_OK(cuStreamIsCapturing(stream, &status));
    return status;
  }
  void launch() {
    CUgraphExec exec = nullptr;
    ASSERT_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    EXPECT_OK(cuGraphUpload(exec, first));
    EXPECT_OK(cuGraphLaunch(exec, first));
    EXPECT_OK(cuStreamSynchronize(first));
    EXPECT_OK(cuGraphExecDestroy(exec));
  }

  CUstream first = nullptr;
  CUdeviceptr word = 0;
  CUgraph graph = nullptr;
};

} // namespace

TEST_F(CaptureTest, recordsInsteadOfRunning) {
  begin();
  EXPECT_EQ(status(first), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  set(0, 5, first);
  set(1, 6, first);
  EXPECT_OK(end());
  EXPECT_EQ(status(first), CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_EQ(readWord(word), 0u);
  size_t nodes = 0, edges = 0;
  EXPECT_OK(cuGraphGetNodes(graph, nullptr, &nodes));
  EXPECT_EQ(nodes, 2u);
  EXPECT_OK(cuGraphGetEdges(graph, nullptr, nullptr, &edges));
  EXPECT_EQ(edges, 1u);
  launch();
  EXPECT_EQ(readWord(word), 5u);
  EXPECT_EQ(readWord(word + 4), 6u);
}

TEST_F(CaptureTest, streamsForkAndJoinByEvents) {
  CUstream second = stream();
  CUevent fork = event(), join = event();
  begin();
  set(0, 1, first);
  EXPECT_OK(cuEventRecord(fork, first));
  EXPECT_OK(cuStreamWaitEvent(second, fork, 0));
  EXPECT_EQ(status(second), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_OK(cuMemcpyDtoDAsync_v2(word + 4, word, 4, second));
  set(2, 3, first);
  EXPECT_OK(cuEventRecord(join, second));
  EXPECT_OK(cuStreamWaitEvent(first, join, 0));
  EXPECT_OK(cuMemcpyDtoDAsync_v2(word + 12, word + 4, 4, first));
  EXPECT_OK(end());
  EXPECT_EQ(status(second), CU_STREAM_CAPTURE_STATUS_NONE);
  size_t edges = 0;
  EXPECT_OK(cuGraphGetEdges(graph, nullptr, nullptr, &edges));
  EXPECT_EQ(edges, 4u);
  launch();
  EXPECT_EQ(readWord(word + 8), 3u);
  EXPECT_EQ(readWord(word + 12), 1u);
}

TEST_F(CaptureTest, aForkThatIsNotJoinedIsAnError) {
  CUstream second = stream();
  CUevent fork = event();
  begin();
  set(0, 1, first);
  EXPECT_OK(cuEventRecord(fork, first));
  EXPECT_OK(cuStreamWaitEvent(second, fork, 0));
  set(1, 1, second);
  EXPECT_EQ(cuStreamEndCapture(second, &graph),
            CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  EXPECT_EQ(end(), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  EXPECT_EQ(graph, nullptr);
}

TEST_F(CaptureTest, waitingIsIllegalAndInvalidates) {
  begin();
  set(0, 1, first);
  EXPECT_EQ(cuStreamSynchronize(first), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(status(first), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  EXPECT_EQ(cuMemsetD32Async(word, 0, 1, first),
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(cuStreamQuery(first), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(status(first), CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_OK(cuStreamSynchronize(first));
}

TEST_F(CaptureTest, waitingForTheContextIsIllegal) {
  begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(CaptureTest, unsafeCallsDependOnTheMode) {
  CUdeviceptr pointer = 0;
  begin();
  EXPECT_EQ(cuMemAlloc_v2(&pointer, 16), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_OK(cuMemAlloc_v2(&pointer, 16));
  EXPECT_OK(end());
  // another thread is concerned by global mode alone
  auto elsewhere = [&] {
    CUresult code = CUDA_SUCCESS;
    std::thread([&] {
      EXPECT_OK(cuCtxSetCurrent(context));
      code = cuMemAlloc_v2(&pointer, 16);
    }).join();
    return code;
  };
  begin(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  EXPECT_OK(elsewhere());
  EXPECT_OK(end());
  begin();
  EXPECT_EQ(elsewhere(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  // a thread that asked for it may do what it likes
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  EXPECT_OK(cuThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
  begin();
  EXPECT_OK(cuMemAlloc_v2(&pointer, 16));
  EXPECT_OK(end());
  EXPECT_OK(cuThreadExchangeStreamCaptureMode(&mode));
}

TEST_F(CaptureTest, theLegacyStreamMustNotMeetACapture) {
  CUstream blocking = stream(CU_STREAM_DEFAULT);
  CUgraph none = nullptr;
  EXPECT_EQ(cuStreamBeginCapture_v2(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_OK(cuStreamBeginCapture_v2(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_EQ(cuMemsetD32Async(word, 1, 1, nullptr),
            CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  EXPECT_EQ(cuStreamEndCapture(blocking, &none),
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  // non-blocking streams have no such dependency
  begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_OK(cuMemsetD32Async(word, 1, 1, nullptr));
  EXPECT_OK(end());
}

TEST_F(CaptureTest, eventsDoNotCrossTheBorder) {
  CUstream second = stream();
  CUevent outside = event(), inside = event();
  set(0, 1, second);
  EXPECT_OK(cuEventRecord(outside, second));
  begin();
  EXPECT_EQ(cuStreamWaitEvent(first, outside, 0),
            CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  EXPECT_EQ(end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  begin();
  EXPECT_OK(cuEventRecord(inside, first));
  EXPECT_EQ(cuEventQuery(inside), CUDA_ERROR_CAPTURED_EVENT);
  EXPECT_EQ(end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(CaptureTest, capturesDoNotMerge) {
  CUstream second = stream();
  CUevent inside = event();
  CUgraph other = nullptr;
  begin();
  EXPECT_OK(cuStreamBeginCapture_v2(second, CU_STREAM_CAPTURE_MODE_GLOBAL));
  EXPECT_OK(cuEventRecord(inside, second));
  EXPECT_EQ(cuStreamWaitEvent(first, inside, 0),
            CUDA_ERROR_STREAM_CAPTURE_MERGE);
  EXPECT_OK(cuStreamEndCapture(second, &other));
  EXPECT_EQ(end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(CaptureTest, callsInTheWrongOrderAreRefused) {
  EXPECT_EQ(end(), CUDA_ERROR_ILLEGAL_STATE);
  begin();
  EXPECT_EQ(cuStreamBeginCapture_v2(first, CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_ERROR_ILLEGAL_STATE);
  EXPECT_EQ(cuStreamEndCapture(first, nullptr), CUDA_ERROR_INVALID_VALUE);
  CUresult code = CUDA_SUCCESS;
  std::thread([&] {
    EXPECT_OK(cuCtxSetCurrent(context));
    code = end();
  }).join();
  EXPECT_EQ(code, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  EXPECT_OK(end());
  EXPECT_EQ(cuStreamBeginCapture_v2(first, CUstreamCaptureMode(3)),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CaptureTest, dependenciesAreToldAndChanged) {
  begin();
  set(0, 1, first);
  CUstreamCaptureStatus status;
  cuuint64_t id = 0;
  CUgraph target = nullptr;
  const CUgraphNode *dependencies = nullptr;
  const CUgraphEdgeData *data = nullptr;
  size_t count = 0;
  EXPECT_OK(cuStreamGetCaptureInfo_v3(first, &status, &id, &target,
                                      &dependencies, &data, &count));
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_GT(id, 0u);
  ASSERT_EQ(count, 1u);
  CUgraphNode added = nullptr, before = dependencies[0];
  EXPECT_OK(cuGraphAddEmptyNode(&added, target, &before, 1));
  EXPECT_OK(cuStreamUpdateCaptureDependencies_v2(
      first, &added, nullptr, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
  set(1, 2, first);
  EXPECT_OK(end());
  EXPECT_EQ(graph, target);
  launch();
  EXPECT_EQ(readWord(word + 4), 2u);
}

TEST_F(CaptureTest, theEventsOfAGraphMayBeOutside) {
  CUevent outside = event();
  begin();
  set(0, 1, first);
  EXPECT_OK(cuEventRecordWithFlags(outside, first, CU_EVENT_RECORD_EXTERNAL));
  EXPECT_OK(end());
  launch();
  EXPECT_OK(cuEventQuery(outside));
  EXPECT_EQ(cuEventRecordWithFlags(outside, first, CU_EVENT_RECORD_EXTERNAL),
            CUDA_ERROR_ILLEGAL_STATE);
}

TEST_F(CaptureTest, nodesOfAFailedCaptureAreGone) {
  begin();
  set(0, 1, first);
  CUstreamCaptureStatus status;
  const CUgraphNode *dependencies = nullptr;
  size_t count = 0;
  EXPECT_OK(cuStreamGetCaptureInfo_v2(first, &status, nullptr, nullptr,
                                      &dependencies, &count));
  ASSERT_EQ(count, 1u);
  CUgraphNode node = dependencies[0];
  EXPECT_EQ(cuStreamQuery(first), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  CUgraphNodeType type;
  EXPECT_EQ(cuGraphNodeGetType(node, &type), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CaptureTest, aGraphOfTheCallerOutlivesAFailedCapture) {
  CUgraph own = nullptr;
  EXPECT_OK(cuGraphCreate(&own, 0));
  EXPECT_OK(cuStreamBeginCaptureToGraph(first, own, nullptr, nullptr, 0,
                                        CU_STREAM_CAPTURE_MODE_GLOBAL));
  EXPECT_EQ(cuGraphDestroy(own), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(cuStreamQuery(first), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_OK(cuGraphDestroy(own));
}
