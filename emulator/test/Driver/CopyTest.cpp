//===- CopyTest.cpp -------------------------------------------------------===//
#include "Fixture.h"

#include <numeric>

using namespace cheems::emulator::driver;

namespace {

class CopyTest : public DriverTest {};

std::vector<unsigned> counting(size_t count) {
  std::vector<unsigned> words(count);
  std::iota(words.begin(), words.end(), 0);
  return words;
}

} // namespace

TEST_F(CopyTest, linesComeBack) {
  auto words = counting(100);
  CUdeviceptr first = allocate(400), second = allocate(400);
  EXPECT_OK(cuMemcpyHtoD_v2(first, words.data(), 400));
  EXPECT_OK(cuMemcpyDtoD_v2(second, first, 400));
  std::vector<unsigned> back(100);
  EXPECT_OK(cuMemcpy(reinterpret_cast<CUdeviceptr>(back.data()), second, 400));
  EXPECT_EQ(back, words);
  EXPECT_OK(cuMemcpyHtoD_v2(first, nullptr, 0));
}

TEST_F(CopyTest, rangesMustBeAllocated) {
  unsigned words[4] = {};
  CUdeviceptr pointer = allocate(16);
  EXPECT_EQ(cuMemcpyHtoD_v2(pointer + 4, words, 16), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyHtoD_v2(64, words, 16), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyDtoH_v2(words, pointer, 17), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyDtoH_v2(nullptr, pointer, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuMemFree_v2(pointer));
  EXPECT_EQ(cuMemcpyDtoH_v2(words, pointer, 4), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CopyTest, boxesHavePitches) {
  auto words = counting(8 * 8);
  CUdeviceptr device = words.empty() ? 0 : allocate(4 * 64);
  EXPECT_OK(cuMemsetD32_v2(device, 99, 64));
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = words.data();
  copy.srcPitch = 32;
  copy.srcXInBytes = 4;
  copy.srcY = 2;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = device;
  copy.dstPitch = 16;
  copy.WidthInBytes = 8;
  copy.Height = 3;
  EXPECT_OK(cuMemcpy2D_v2(&copy));
  EXPECT_EQ(readWord(device), 2 * 8 + 1u);
  EXPECT_EQ(readWord(device + 4), 2 * 8 + 2u);
  EXPECT_EQ(readWord(device + 8), 99u);
  EXPECT_EQ(readWord(device + 32), 4 * 8 + 1u);
  copy.dstPitch = 4;
  EXPECT_EQ(cuMemcpy2D_v2(&copy), CUDA_ERROR_INVALID_VALUE);
  copy.dstPitch = 128;
  EXPECT_EQ(cuMemcpy2D_v2(&copy), CUDA_ERROR_INVALID_VALUE);
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  EXPECT_EQ(cuMemcpy2D_v2(&copy), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuMemcpy2D_v2(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CopyTest, boxesHavePlanes) {
  auto words = counting(4 * 3 * 2);
  CUdeviceptr device = allocate(4 * 24);
  EXPECT_OK(cuMemcpyHtoD_v2(device, words.data(), 96));
  std::vector<unsigned> out(4, 77);
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = device;
  copy.srcPitch = 16;
  copy.srcHeight = 3;
  copy.srcXInBytes = 8;
  copy.srcY = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = out.data();
  copy.dstPitch = 4;
  copy.dstHeight = 2;
  copy.WidthInBytes = 4;
  copy.Height = 2;
  copy.Depth = 2;
  EXPECT_OK(cuMemcpy3D_v2(&copy));
  EXPECT_EQ(out, (std::vector<unsigned>{6, 10, 18, 22}));
}

TEST_F(CopyTest, setsHaveElementsOfThreeSizes) {
  CUdeviceptr device = words(8, 0);
  EXPECT_OK(cuMemsetD8_v2(device, 0x11, 4));
  EXPECT_OK(cuMemsetD16_v2(device + 4, 0x2222, 2));
  EXPECT_OK(cuMemsetD2D32_v2(device + 8, 8, 0x33333333, 1, 2));
  EXPECT_EQ(readWord(device), 0x11111111u);
  EXPECT_EQ(readWord(device + 4), 0x22222222u);
  EXPECT_EQ(readWord(device + 8), 0x33333333u);
  EXPECT_EQ(readWord(device + 12), 0u);
  EXPECT_EQ(readWord(device + 16), 0x33333333u);
  EXPECT_EQ(cuMemsetD32_v2(device + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD32_v2(device, 0, 9), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD32_v2(device, 0, SIZE_MAX / 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD2D8_v2(device, 2, 0, 4, 2), CUDA_ERROR_INVALID_VALUE);
}

// "API synchronization behavior": memory is read when the copy runs if it is
// pinned, else when the call is made.
TEST_F(CopyTest, pinnedMemoryIsReadLate) {
  CUstream first = stream();
  CUdeviceptr device = words(2, 0);
  EXPECT_OK(cuCtxSynchronize()); // sets wait for nobody
  unsigned *pinned = pinnedWords(1, 1);
  unsigned pageable = 1;
  EXPECT_OK(cuMemcpyHtoDAsync_v2(device, pinned, 4, first));
  EXPECT_OK(cuMemcpyHtoDAsync_v2(device + 4, &pageable, 4, first));
  *pinned = 2;
  pageable = 2;
  EXPECT_OK(cuStreamSynchronize(first));
  EXPECT_EQ(readWord(device), 2u);
  EXPECT_EQ(readWord(device + 4), 1u);
}

TEST_F(CopyTest, pinnedMemoryIsWrittenLate) {
  CUstream first = stream();
  CUdeviceptr device = words(1, 5);
  EXPECT_OK(cuCtxSynchronize());
  unsigned *pinned = pinnedWords(1, 0);
  unsigned pageable = 0;
  EXPECT_OK(cuMemcpyDtoHAsync_v2(pinned, device, 4, first));
  EXPECT_EQ(*pinned, 0u);
  EXPECT_OK(cuMemcpyDtoHAsync_v2(&pageable, device, 4, first));
  EXPECT_EQ(pageable, 5u);
  EXPECT_EQ(*pinned, 5u); // it comes before in the same stream
}

TEST_F(CopyTest, boxesThatWrapAroundAreRefused) {
  CUdeviceptr device = allocate(64);
  unsigned words[16] = {};
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = words;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = device;
  copy.WidthInBytes = 4;
  copy.Height = 2;
  copy.Depth = 2;
  for (size_t huge : {size_t(1) << 63, size_t(1) << 62, SIZE_MAX - 3}) {
    for (size_t CUDA_MEMCPY3D::*member :
         {&CUDA_MEMCPY3D::dstPitch, &CUDA_MEMCPY3D::dstHeight,
          &CUDA_MEMCPY3D::dstXInBytes, &CUDA_MEMCPY3D::dstY,
          &CUDA_MEMCPY3D::dstZ, &CUDA_MEMCPY3D::Height, &CUDA_MEMCPY3D::Depth,
          &CUDA_MEMCPY3D::WidthInBytes}) {
      CUDA_MEMCPY3D wrong = copy;
      wrong.*member = huge;
      EXPECT_EQ(cuMemcpy3D_v2(&wrong), CUDA_ERROR_INVALID_VALUE) << huge;
    }
  }
}
