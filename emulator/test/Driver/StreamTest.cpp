//===- StreamTest.cpp -----------------------------------------------------===//
#include "Fixture.h"

#include <atomic>
#include <thread>

using namespace cheems::emulator::driver;

namespace {

class StreamTest : public DriverTest {
protected:
  /// Sets a word of the GPU to `value` in the stream.
  void set(CUdeviceptr word, unsigned value, CUstream stream) {
    EXPECT_OK(cuMemsetD32Async(word, value, 1, stream));
  }
  void copy(CUdeviceptr to, CUdeviceptr from, CUstream stream) {
    EXPECT_OK(cuMemcpyDtoDAsync_v2(to, from, 4, stream));
  }
};

const auto threadStream = reinterpret_cast<CUstream>(2);

} // namespace

TEST_F(StreamTest, nothingRunsBeforeSomebodyWaits) {
  CUstream first = stream();
  unsigned *out = pinnedWords(1, 0);
  CUdeviceptr word = words(1, 1);
  EXPECT_OK(cuCtxSynchronize());
  set(word, 2, first);
  EXPECT_OK(cuMemcpyDtoHAsync_v2(out, word, 4, first));
  EXPECT_EQ(*out, 0u);
  EXPECT_OK(cuStreamSynchronize(first));
  EXPECT_EQ(*out, 2u);
}

// What no event orders may come in either order: both come in some seeds or
// tries.
TEST_F(StreamTest, streamsThatNobodyOrdersRunInAnyOrder) {
  CUstream first = stream(), second = stream();
  CUdeviceptr word = words(1, 0), copied = words(1, 0);
  EXPECT_OK(cuCtxSynchronize());
  int seen[2] = {};
  for (int i = 0; i < 64; ++i) {
    set(word, 0, first);
    EXPECT_OK(cuStreamSynchronize(first));
    set(word, 1, first);
    copy(copied, word, second);
    EXPECT_OK(cuCtxSynchronize());
    ++seen[readWord(copied)];
  }
  EXPECT_GT(seen[0], 0);
  EXPECT_GT(seen[1], 0);
}

TEST_F(StreamTest, eventsOrderStreams) {
  CUstream first = stream(), second = stream();
  CUevent done = event(CU_EVENT_DISABLE_TIMING);
  CUdeviceptr word = words(1, 0), copied = words(1, 0);
  EXPECT_OK(cuCtxSynchronize());
  for (unsigned i = 1; i < 64; ++i) {
    set(word, i, first);
    EXPECT_OK(cuEventRecord(done, first));
    EXPECT_OK(cuStreamWaitEvent(second, done, 0));
    copy(copied, word, second);
    EXPECT_OK(cuEventRecord(done, second));
    EXPECT_OK(cuStreamWaitEvent(first, done, 0));
  }
  EXPECT_OK(cuStreamSynchronize(second));
  EXPECT_EQ(readWord(copied), 63u);
}

// CUDA Driver API, "Stream synchronization behavior": the legacy stream waits
// for blocking streams, and they for it.
TEST_F(StreamTest, theLegacyStreamOrdersBlockingStreams) {
  CUstream blocking = stream(CU_STREAM_DEFAULT);
  CUdeviceptr word = words(1, 0), copied = words(1, 0);
  for (unsigned i = 1; i < 64; ++i) {
    set(word, i, blocking);
    copy(copied, word, nullptr);
    set(word, 1000, blocking);
    EXPECT_OK(cuCtxSynchronize());
    EXPECT_EQ(readWord(copied), i);
    set(word, i, threadStream);
    copy(copied, word, nullptr);
    set(word, 1000, threadStream);
    EXPECT_OK(cuCtxSynchronize());
    EXPECT_EQ(readWord(copied), i);
  }
}

TEST_F(StreamTest, theLegacyStreamLeavesOthersAlone) {
  CUstream first = stream();
  CUdeviceptr word = words(1, 0), copied = words(1, 0);
  EXPECT_OK(cuCtxSynchronize());
  int seen[2] = {};
  for (int i = 0; i < 64; ++i) {
    set(word, 0, nullptr);
    EXPECT_OK(cuStreamSynchronize(nullptr));
    set(word, 1, first);
    copy(copied, word, nullptr);
    EXPECT_OK(cuCtxSynchronize());
    ++seen[readWord(copied)];
  }
  EXPECT_GT(seen[0], 0);
  EXPECT_GT(seen[1], 0);
}

TEST_F(StreamTest, threadsHaveTheirOwnDefaultStream) {
  CUdeviceptr word = words(1, 0);
  EXPECT_OK(cuCtxSynchronize());
  unsigned long long here = 0, there = 0;
  EXPECT_OK(cuStreamGetId(threadStream, &here));
  std::thread([&] {
    EXPECT_OK(cuCtxSetCurrent(context));
    EXPECT_OK(cuStreamGetId_ptsz(nullptr, &there));
    EXPECT_OK(cuMemsetD32_v2_ptds(word, 4, 1));
    EXPECT_OK(cuStreamSynchronize_ptsz(nullptr));
  }).join();
  EXPECT_NE(here, there);
  EXPECT_EQ(readWord(word), 4u);
}

TEST_F(StreamTest, queriesMakeProgress) {
  CUstream first = stream();
  CUevent done = event();
  CUdeviceptr word = words(1, 0);
  EXPECT_OK(cuCtxSynchronize());
  for (int i = 0; i < 20; ++i) {
    set(word, 1, first);
  }
  EXPECT_OK(cuEventRecord(done, first));
  EXPECT_EQ(cuStreamQuery(first), CUDA_ERROR_NOT_READY);
  int queries = 1;
  while (cuEventQuery(done) == CUDA_ERROR_NOT_READY) {
    ASSERT_LT(++queries, 30);
  }
  EXPECT_OK(cuEventQuery(done));
  EXPECT_OK(cuStreamQuery(first));
}

TEST_F(StreamTest, functionsOfTheHostRunInOrder) {
  struct State {
    std::vector<int> order;
    CUresult code = CUDA_SUCCESS;
  } state;
  CUstream first = stream();
  auto one = [](void *data) {
    static_cast<State *>(data)->order.push_back(1);
    // a function of the host must not call the driver
    static_cast<State *>(data)->code = cuCtxSynchronize();
  };
  auto two = [](CUstream, CUresult status, void *data) {
    EXPECT_OK(status);
    static_cast<State *>(data)->order.push_back(2);
  };
  EXPECT_OK(cuLaunchHostFunc(first, one, &state));
  EXPECT_OK(cuStreamAddCallback(first, two, &state, 0));
  EXPECT_TRUE(state.order.empty());
  EXPECT_OK(cuStreamSynchronize(first));
  EXPECT_EQ(state.order, (std::vector<int>{1, 2}));
  EXPECT_EQ(state.code, CUDA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(cuLaunchHostFunc(first, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamAddCallback(first, two, &state, 1),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(StreamTest, functionsOfTheHostMayWaitForOtherThreads) {
  struct State {
    std::atomic<bool> started = false, released = false;
  } state;
  CUstream first = stream();
  CUdeviceptr word = words(1, 0);
  EXPECT_OK(cuCtxSynchronize()); // the stream would not wait for the zero
  EXPECT_OK(cuLaunchHostFunc(
      first,
      [](void *data) {
        auto &state = *static_cast<State *>(data);
        state.started = true;
        while (!state.released) {
          std::this_thread::yield();
        }
      },
      &state));
  set(word, 6, first);
  std::thread waiter([&] {
    EXPECT_OK(cuCtxSetCurrent(context));
    EXPECT_OK(cuStreamSynchronize(first));
  });
  while (!state.started) {
    std::this_thread::yield();
  }
  CUdeviceptr pointer = 0;
  EXPECT_OK(cuMemAlloc_v2(&pointer, 16)); // the driver is free meanwhile
  state.released = true;
  EXPECT_OK(cuStreamSynchronize(first));
  waiter.join();
  EXPECT_EQ(readWord(word), 6u);
}

TEST_F(StreamTest, aDestroyedStreamEndsItsWork) {
  CUstream blocking = stream(CU_STREAM_DEFAULT);
  CUdeviceptr word = words(1, 0);
  set(word, 9, blocking);
  EXPECT_OK(cuStreamDestroy_v2(blocking));
  EXPECT_EQ(readWord(word), 9u);
  EXPECT_EQ(cuStreamSynchronize(blocking), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamDestroy_v2(blocking), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamDestroy_v2(nullptr), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(StreamTest, handlesOfOtherTypesAreRefused) {
  CUevent done = event();
  int local = 0;
  EXPECT_EQ(cuStreamSynchronize(reinterpret_cast<CUstream>(done)),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamSynchronize(reinterpret_cast<CUstream>(&local)),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventQuery(reinterpret_cast<CUevent>(stream())),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_OK(cuEventDestroy_v2(done));
  EXPECT_EQ(cuEventQuery(done), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventRecord(done, nullptr), CUDA_ERROR_INVALID_HANDLE);
  CUstream made = nullptr;
  EXPECT_EQ(cuStreamCreate(&made, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamCreate(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  CUevent wrong = nullptr;
  EXPECT_EQ(cuEventCreate(&wrong, CU_EVENT_INTERPROCESS),
            CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(StreamTest, prioritiesAreClamped) {
  CUstream urgent = nullptr;
  int priority = 1;
  EXPECT_OK(cuStreamCreateWithPriority(&urgent, CU_STREAM_NON_BLOCKING, -100));
  EXPECT_OK(cuStreamGetPriority(urgent, &priority));
  EXPECT_EQ(priority, -5);
  unsigned flags = 0;
  EXPECT_OK(cuStreamGetFlags(urgent, &flags));
  EXPECT_EQ(flags, unsigned(CU_STREAM_NON_BLOCKING));
}

TEST_F(StreamTest, eventsHaveADeterministicClock) {
  CUstream first = stream();
  CUevent begin = event(), end = event(), untimed = event(2);
  CUdeviceptr word = words(1, 0);
  float times[2];
  for (float &time : times) {
    EXPECT_OK(cuEventRecord(begin, first));
    set(word, 1, first);
    set(word, 2, first);
    EXPECT_OK(cuEventRecord(end, first));
    EXPECT_EQ(cuEventElapsedTime(&time, begin, end), CUDA_ERROR_NOT_READY);
    EXPECT_OK(cuEventSynchronize(end));
    EXPECT_OK(cuEventElapsedTime_v2(&time, begin, end));
  }
  EXPECT_FLOAT_EQ(times[0], 0.002f);
  EXPECT_EQ(times[0], times[1]);
  EXPECT_OK(cuEventRecord(untimed, first));
  EXPECT_EQ(cuEventElapsedTime(times, begin, untimed),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventElapsedTime(times, begin, event()),
            CUDA_ERROR_INVALID_HANDLE);
}

// Memory that a stream frees is gone for streams that nobody ordered before.
TEST_F(StreamTest, aCopyOfFreedMemoryIsFound) {
  CUstream first = stream(), second = stream();
  for (int i = 0; i < 64; ++i) {
    CUdeviceptr pointer = 0;
    EXPECT_OK(cuMemAllocAsync(&pointer, 64, first));
    EXPECT_OK(cuStreamSynchronize(first));
    EXPECT_OK(cuMemFreeAsync(pointer, first));
    EXPECT_OK(cuMemsetD32Async(pointer, 1, 16, second));
    testing::internal::CaptureStderr();
    CUresult code = cuCtxSynchronize();
    std::string report = testing::internal::GetCapturedStderr();
    if (code == CUDA_ERROR_LAUNCH_FAILED) {
      EXPECT_THAT(report, testing::HasSubstr("use-after-free: cuMemset"));
      return;
    }
  }
  FAIL() << "the orders of 64 tries were all alike";
}

TEST_F(StreamTest, eventsOrderContexts) {
  CUstream first = stream();
  CUdeviceptr word = words(1, 0);
  unsigned *out = pinnedWords(1, 0);
  EXPECT_OK(cuCtxSynchronize());
  CUevent done = event();
  set(word, 8, first);
  EXPECT_OK(cuMemcpyDtoHAsync_v2(out, word, 4, first));
  EXPECT_OK(cuEventRecord(done, first));
  CUcontext other = nullptr;
  EXPECT_OK(cuCtxCreate_v2(&other, 0, 0));
  CUstream second = stream();
  EXPECT_OK(cuStreamWaitEvent(second, done, 0));
  EXPECT_OK(cuStreamSynchronize(second));
  EXPECT_EQ(*out, 8u);
  EXPECT_OK(cuEventSynchronize(done));
  EXPECT_OK(cuCtxDestroy_v2(other));
}
