//===- OccupancyTest.cpp - How many blocks a multiprocessor holds --------===//
#include "Machine/Launch.h"

#include <gtest/gtest.h>

using namespace cheems::emulator;

namespace {

int blocks(int registers, uint32_t threads, uint64_t sharedBytes,
           int architecture = 90) {
  Options options;
  options.architecture = architecture;
  Kernel kernel;
  kernel.registers = registers;
  return residentBlocksPerMultiprocessor(options, kernel, threads, sharedBytes);
}

// Values of NVIDIA's occupancy calculator.
TEST(Occupancy, HasTheGPUsLimits) {
  EXPECT_EQ(blocks(16, 32, 0), 32);  // blocks
  EXPECT_EQ(blocks(32, 256, 0), 8);  // warps
  EXPECT_EQ(blocks(64, 256, 0), 4);  // registers
  EXPECT_EQ(blocks(65, 256, 0), 3);  // in units of 8 a thread
  EXPECT_EQ(blocks(168, 384, 0), 1); // 12 warps of 5376 registers
  EXPECT_EQ(blocks(255, 256, 0), 1);
  EXPECT_EQ(blocks(32, 1024, 0), 2);
  EXPECT_EQ(blocks(64, 1024, 0), 1);
}

// CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability": 228 KB per multiprocessor of 9.0, 164 KB of 8.0; 1 KB of each
// block is the system's.
TEST(Occupancy, IsLimitedBySharedMemory) {
  EXPECT_EQ(blocks(32, 128, 227 << 10), 1);
  EXPECT_EQ(blocks(32, 128, (227 << 10) + 1), 0);
  EXPECT_EQ(blocks(32, 128, 113 << 10), 2);
  EXPECT_EQ(blocks(32, 128, 114 << 10), 1);
  EXPECT_EQ(blocks(32, 128, 163 << 10, 80), 1);
  EXPECT_EQ(blocks(32, 128, 164 << 10, 80), 0);
  EXPECT_EQ(blocks(32, 128, 81 << 10, 80), 2);
}

} // namespace
