// Memory of a GPU is had, filled and given back, or refused in one line.
#include "runtime/CUDA/Memory.h"
#include "SoftwareGPU.h"
#include "runtime/CUDA/Stream.h"
#include <algorithm>
#include <numeric>

using namespace cheems;
using namespace cheems::test;
using namespace cheems::cuda;

namespace {

TEST(DeviceMemory, goesToAndFroByAStream) {
  const FaultyDriver &faulty = useSoftwareGPU();
  long before = faulty.alive();
  {
    auto context = std::make_shared<Context>(0);
    Stream stream(context);
    constexpr int64_t bytes = 1000003;
    DeviceMemory first(context, bytes, "a test"),
        second(context, bytes, "a test", DeviceMemory::Content::zero);
    EXPECT_EQ(first.bytes(), bytes);
    EXPECT_EQ(first.address() % 256, 0U);
    PinnedMemory in(context, bytes, "a test"), out(context, bytes, "a test");
    std::iota(in.data(), in.data() + bytes, 1);
    std::fill_n(out.data(), bytes, 77);

    stream.copyToHost(out.data(), second.address(), bytes);
    stream.synchronize();
    EXPECT_EQ(std::count(out.data(), out.data() + bytes, 0), bytes);

    stream.copyToDevice(first.address(), in.data(), bytes);
    stream.copyOnDevice(second.address(), first.address(), bytes);
    stream.zero(second.address() + 10, 5);
    stream.copyToHost(out.data(), second.address(), bytes);
    stream.synchronize();
    std::fill_n(in.data() + 10, 5, 0);
    EXPECT_TRUE(std::equal(in.data(), in.data() + bytes, out.data()));

    stream.copyToDevice(first.address(), nullptr, 0);
    stream.copyToHost(nullptr, first.address(), 0);
    stream.copyOnDevice(first.address(), second.address(), 0);
    stream.zero(first.address(), 0);
    stream.synchronize();
  }
  EXPECT_EQ(faulty.alive(), before);
}

TEST(DeviceMemory, nothingIsAByte) {
  useSoftwareGPU();
  auto context = std::make_shared<Context>(0);
  DeviceMemory memory(context, 0, "nothing", DeviceMemory::Content::zero);
  EXPECT_NE(memory.address(), 0U);
  PinnedMemory pinned(context, 0, "nothing");
  EXPECT_NE(pinned.data(), nullptr);
}

TEST(DeviceMemory, moreThanThereIsIsRefusedWithNumbers) {
  const FaultyDriver &faulty = useSoftwareGPU();
  auto context = std::make_shared<Context>(0);
  long before = faulty.alive();
  std::string asked = std::to_string(gpuBytes + 1);
  EXPECT_EQ(refusal([&] {
              DeviceMemory memory(
                  context, gpuBytes + 1,
                  "the state of 3 sequences; lower the context");
            }),
            "1: cannot allocate " + asked +
                " bytes of GPU memory for the state of 3 sequences; lower the "
                "context: " +
                std::to_string(gpuBytes) + " of " + std::to_string(gpuBytes) +
                " are free");
  EXPECT_EQ(faulty.alive(), before);
}

/// Everything above once.
void useAll() {
  auto context = std::make_shared<Context>(0);
  Stream stream(context);
  DeviceMemory memory(context, 100, "a test", DeviceMemory::Content::zero);
  PinnedMemory pinned(context, 100, "a test");
  stream.copyToDevice(memory.address(), pinned.data(), 100);
  stream.zero(memory.address(), 50);
  stream.copyOnDevice(memory.address() + 50, memory.address(), 50);
  stream.copyToHost(pinned.data(), memory.address(), 100);
  stream.synchronize();
  listDevices();
}

TEST(DeviceMemory, nothingIsLeftWhereACallFails) {
  const FaultyDriver &faulty = useSoftwareGPU();
  long before = faulty.alive();
  faulty.failCall(0, 0);
  useAll();
  long calls = faulty.calls(), refused = 0;
  EXPECT_GT(calls, 30);
  for (long call = 1; call <= calls; ++call) {
    faulty.failCall(call, CUDA_ERROR_OUT_OF_MEMORY);
    std::string text = refusal(useAll);
    refused += text != "nothing was refused"; // destructors go on
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    EXPECT_EQ(faulty.alive(), before) << "call " << call << ": " << text;
  }
  EXPECT_GT(refused, calls / 2);
  faulty.failCall(0, 0);
  useAll();
}

} // namespace
