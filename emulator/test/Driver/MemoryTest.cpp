//===- MemoryTest.cpp -----------------------------------------------------===//
#include "Fixture.h"

using namespace cheems::emulator::driver;

namespace {
class MemoryTest : public DriverTest {};
} // namespace

TEST_F(MemoryTest, wrongSizesAndPointersAreRefused) {
  CUdeviceptr pointer = 0;
  EXPECT_EQ(cuMemAlloc_v2(&pointer, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAlloc_v2(nullptr, 16), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAlloc_v2(&pointer, size_t(1) << 60), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cuMemAlloc_v2(&pointer, SIZE_MAX), CUDA_ERROR_OUT_OF_MEMORY);
  pointer = allocate(16);
  EXPECT_EQ(cuMemFree_v2(pointer + 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuMemFree_v2(pointer));
  EXPECT_EQ(cuMemFree_v2(pointer), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuMemFree_v2(0));
}

TEST_F(MemoryTest, freeMemoryIsCounted) {
  size_t before = 0, after = 0, total = 0;
  EXPECT_OK(cuMemGetInfo_v2(&before, &total));
  CUdeviceptr pointer = allocate(1 << 20);
  EXPECT_OK(cuMemGetInfo_v2(&after, &total));
  EXPECT_GE(before - after, size_t(1) << 20);
  EXPECT_OK(cuMemFree_v2(pointer));
  EXPECT_OK(cuMemGetInfo_v2(&after, &total));
  EXPECT_EQ(before, after);
}

TEST_F(MemoryTest, pitchesAreRound) {
  CUdeviceptr pointer = 0;
  size_t pitch = 0;
  EXPECT_OK(cuMemAllocPitch_v2(&pointer, &pitch, 100, 3, 4));
  EXPECT_EQ(pitch, 512u);
  CUdeviceptr base = 0;
  size_t bytes = 0;
  EXPECT_OK(cuMemGetAddressRange_v2(&base, &bytes, pointer + 600));
  EXPECT_EQ(base, pointer);
  EXPECT_EQ(bytes, 3 * 512u);
  EXPECT_EQ(cuMemGetAddressRange_v2(&base, &bytes, 64), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuMemAllocPitch_v2(&pointer, &pitch, 100, 3, 5),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryTest, pinnedMemoryHasADeviceAddress) {
  unsigned *pinned = pinnedWords(32, 7);
  CUdeviceptr device = 0;
  EXPECT_OK(cuMemHostGetDevicePointer_v2(&device, pinned, 0));
  EXPECT_EQ(readWord(device), 7u);
  EXPECT_EQ(cuMemFree_v2(device), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFreeHost(pinned + 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuMemFreeHost(pinned));
  EXPECT_EQ(cuMemFreeHost(pinned), CUDA_ERROR_INVALID_VALUE);
  int local = 0;
  EXPECT_EQ(cuMemHostGetDevicePointer_v2(&device, &local, 0),
            CUDA_ERROR_INVALID_VALUE);
  void *pointer = nullptr;
  EXPECT_EQ(cuMemHostAlloc(&pointer, 16, 0x80), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryTest, memoryIsRegisteredOnce) {
  std::vector<unsigned> memory(1024);
  EXPECT_OK(cuMemHostRegister_v2(memory.data(), 2048, 0));
  EXPECT_EQ(cuMemHostRegister_v2(memory.data() + 256, 16, 0),
            CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  EXPECT_OK(cuMemHostRegister_v2(memory.data() + 512, 2048, 0));
  EXPECT_OK(cuMemHostUnregister(memory.data()));
  EXPECT_EQ(cuMemHostUnregister(memory.data()),
            CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  CUdeviceptr device = 0;
  EXPECT_EQ(cuMemHostGetDevicePointer_v2(&device, memory.data() + 512, 0),
            CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(MemoryTest, pointersHaveAttributes) {
  CUdeviceptr pointer = allocate(100);
  unsigned type = 0;
  EXPECT_OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                  pointer + 50));
  EXPECT_EQ(type, unsigned(CU_MEMORYTYPE_DEVICE));
  CUdeviceptr start = 0;
  EXPECT_OK(cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                  pointer + 50));
  EXPECT_EQ(start, pointer);
  unsigned *pinned = pinnedWords(4, 0);
  auto host = reinterpret_cast<CUdeviceptr>(pinned);
  EXPECT_OK(
      cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, host + 4));
  EXPECT_EQ(type, unsigned(CU_MEMORYTYPE_HOST));
  int local = 0;
  auto unknown = reinterpret_cast<CUdeviceptr>(&local);
  EXPECT_EQ(
      cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, unknown),
      CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuPointerGetAttribute(&type, CUpointer_attribute(99), pointer),
            CUDA_ERROR_INVALID_VALUE);
  // several at once: what is unknown has type 0
  int ordinal = 0;
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                      CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void *data[] = {&type, &ordinal};
  EXPECT_OK(cuPointerGetAttributes(2, attributes, data, unknown));
  EXPECT_EQ(type, 0u);
  EXPECT_EQ(ordinal, -2);
  EXPECT_OK(cuMemFree_v2(pointer));
  EXPECT_EQ(
      cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer),
      CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryTest, pooledMemoryComesAndGoesInItsStream) {
  CUstream first = stream();
  CUdeviceptr pointer = 0;
  EXPECT_OK(cuMemAllocAsync(&pointer, 64, first));
  EXPECT_OK(cuMemsetD32Async(pointer, 3, 16, first));
  unsigned *out = pinnedWords(1, 0);
  EXPECT_OK(cuMemcpyDtoHAsync_v2(out, pointer, 4, first));
  EXPECT_OK(cuMemFreeAsync(pointer, first));
  EXPECT_EQ(cuMemFreeAsync(pointer, first), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuStreamSynchronize(first));
  EXPECT_EQ(*out, 3u);
  EXPECT_EQ(cuMemsetD32Async(pointer, 3, 16, first), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFreeAsync(allocate(16), first), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryTest, poolsHaveAttributes) {
  CUmemoryPool pool = nullptr, same = nullptr;
  EXPECT_OK(cuDeviceGetDefaultMemPool(&pool, 0));
  EXPECT_OK(cuDeviceGetMemPool(&same, 0));
  EXPECT_EQ(pool, same);
  uint64_t value = 5;
  EXPECT_OK(
      cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
  EXPECT_EQ(value, 0u);
  value = 1 << 20;
  EXPECT_OK(
      cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
  CUdeviceptr pointer = 0;
  EXPECT_OK(cuMemAllocFromPoolAsync(&pointer, 1000, pool, nullptr));
  EXPECT_OK(
      cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value));
  EXPECT_EQ(value, 1000u);
  EXPECT_OK(cuMemFree_v2(pointer));
  EXPECT_OK(
      cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value));
  EXPECT_EQ(value, 0u);
  EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemPoolTrimTo(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryTest, aFullGPUFreesWhatWaitsToBeFreed) {
  CUstream first = stream();
  for (int i = 0; i < 4; ++i) {
    CUdeviceptr pointer = 0;
    EXPECT_OK(cuMemAllocAsync(&pointer, size_t(160) << 20, first));
    EXPECT_OK(cuMemFreeAsync(pointer, first));
  }
}
