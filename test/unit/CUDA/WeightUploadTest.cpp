// The weights that code for a GPU reads are there, each at its own place, and
// no others.
#include "runtime/Executor/CUDA/WeightUpload.h"
#include "DeviceArtifact.h"
#include "SoftwareGPU.h"
#include "runtime/CUDA/Stream.h"
#include <random>

using namespace cheems;
using namespace cheems::test;
using cuda::WeightUpload;

namespace {

std::shared_ptr<const cuda::Context> gpu() {
  return std::make_shared<cuda::Context>(0);
}

Parameter parameter(int64_t offset, int64_t bytes,
                    std::vector<std::string> targets) {
  Parameter result;
  result.offset = offset;
  result.bytes = bytes;
  result.targets = std::move(targets);
  return result;
}

std::string randomBytes(int64_t size) {
  std::mt19937 generator(5);
  std::string bytes(static_cast<size_t>(size), '\0');
  for (char &each : bytes) {
    each = static_cast<char>(generator());
  }
  return bytes;
}

std::string onGPU(const std::shared_ptr<const cuda::Context> &context,
                  cuda::CUdeviceptr address, int64_t bytes) {
  cuda::Stream stream(context);
  std::string result(static_cast<size_t>(bytes), '\0');
  stream.copyToHost(result.data(), address, bytes);
  stream.synchronize();
  return result;
}

/// Weights of one that is longer than both buffers, small ones at odd places,
/// one of another target, and two that begin together.
struct Weights {
  Metadata metadata;
  std::string bytes = randomBytes((int64_t{40} << 20) + 4321);
  Weights() {
    int64_t large = (int64_t{35} << 20) + 7;
    metadata.parameters = {parameter(1000, large, {"cpu", "cuda"}),
                           parameter(0, 3, {"cuda"}),
                           parameter(64, 900, {"cpu"}),
                           parameter(1000 + large, 2000000, {"cuda"}),
                           parameter(4, 20, {"cuda"}),
                           parameter(4, 56, {"cuda"})};
  }
};

TEST(WeightUpload, everyParameterOfTheTargetIsThere) {
  const FaultyDriver &faulty = useSoftwareGPU();
  long before = faulty.alive();
  {
    Weights weights;
    auto context = gpu();
    std::vector<int64_t> steps;
    int64_t all = 0;
    WeightUpload upload(weights.metadata, "x");
    upload.upload(context, weights.bytes.data(), [&](int64_t done, int64_t of) {
      steps.push_back(done);
      all = of;
    });
    int64_t sum = 0;
    std::map<int64_t, int64_t> longest;
    for (const Parameter &each : weights.metadata.parameters) {
      if (each.readBy("cuda")) {
        cuda::CUdeviceptr address = upload.addressOf(each.offset);
        EXPECT_EQ(address % 256, 0U);
        EXPECT_TRUE(onGPU(context, address, each.bytes) ==
                    weights.bytes.substr(each.offset, each.bytes))
            << each.offset;
        longest[each.offset] = std::max(longest[each.offset], each.bytes);
      }
    }
    for (const auto &[offset, bytes] : longest) {
      sum += bytes;
    }
    EXPECT_EQ(all, sum);
    EXPECT_LT(upload.bytes(), sum + 256 * 5);
    EXPECT_EQ(steps.size(), 3U);
    EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
    EXPECT_EQ(steps.back(), all);
  }
  EXPECT_EQ(faulty.alive(), before);
}

TEST(WeightUpload, placesWhereNothingBeginsAreRefused) {
  useSoftwareGPU();
  Weights weights;
  WeightUpload upload(weights.metadata, "f");
  upload.upload(gpu(), weights.bytes.data());
  for (int64_t offset : {-1, 1, 64, 1001, 1 << 30}) {
    EXPECT_EQ(refusal([&] { upload.addressOf(offset); }),
              "1: f: corrupted: its code for cuda reads weights at " +
                  std::to_string(offset) +
                  ", where none for it begin; compile the model again");
    EXPECT_THROW(upload.addressOf(offset), DamagedFile);
  }
  WeightUpload none(Metadata(), "f");
  none.upload(gpu(), nullptr);
  EXPECT_THROW(none.addressOf(0), DamagedFile);
}

TEST(WeightUpload, moreThanTheGPUHasIsRefused) {
  const FaultyDriver &faulty = useSoftwareGPU();
  long before = faulty.alive();
  Metadata data;
  data.parameters = {parameter(0, gpuBytes + 1, {"cuda"})};
  WeightUpload upload(data, "f");
  EXPECT_EQ(upload.bytes(), gpuBytes + 256);
  EXPECT_EQ(refusal([&] { upload.upload(gpu(), nullptr); }),
            "1: cannot allocate " + std::to_string(gpuBytes + 256) +
                " bytes of GPU memory for the model's weights; compile it "
                "with smaller --weights, or use --device cpu: " +
                std::to_string(gpuBytes) + " of " + std::to_string(gpuBytes) +
                " are free");
  EXPECT_EQ(faulty.alive(), before);
}

TEST(WeightUpload, aCallThatFailsAndAStopAreToldAndLeaveNothing) {
  const FaultyDriver &faulty = useSoftwareGPU();
  long before = faulty.alive();
  Weights weights;
  weights.metadata.parameters.erase(weights.metadata.parameters.begin());
  auto useAll = [&] {
    WeightUpload upload(weights.metadata, "f");
    upload.upload(gpu(), weights.bytes.data());
  };
  faulty.failCall(0, 0);
  useAll();
  long calls = faulty.calls();
  for (long call = 1; call <= calls; ++call) {
    faulty.failCall(call, cuda::CUDA_ERROR_LAUNCH_FAILED);
    std::string text = refusal(useAll);
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    EXPECT_EQ(faulty.alive(), before) << "call " << call << ": " << text;
  }
  faulty.failCall(0, 0);
  EXPECT_EQ(refusal([&] {
              WeightUpload upload(weights.metadata, "f");
              upload.upload(gpu(), weights.bytes.data(), [](int64_t, int64_t) {
                throw Error(Status::interrupted, "stopped");
              });
            }),
            "130: stopped");
  EXPECT_EQ(faulty.alive(), before);
}

} // namespace
