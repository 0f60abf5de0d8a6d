// Which device decodes faster, of made-up models and GPUs.
#include "runtime/Artifact/DeviceCost.h"
#include "cheems/artifact.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace cheems;

namespace {

/// Its one matmul has so many bytes in bf16.
Metadata modelOf(int64_t bytes) {
  Metadata data;
  data.heads = 8;
  Parameter product;
  product.use = ParameterUse::product;
  product.logical = {bytes / 2048, 1024};
  product.type = "bf16";
  product.shape = product.logical;
  product.bytes = bytes;
  product.targets = {"cpu", "cuda"};
  data.parameters = {product};
  return data;
}

/// With so many launches: 24 layers of 8, and ten, unless told otherwise.
UsableGPU gpuOf(const char *name, int index = 0, int64_t launches = 202) {
  UsableGPU gpu;
  gpu.device.index = index;
  gpu.device.name = name;
  gpu.launches = launches;
  return gpu;
}

/// A plan whose decode entry has a launch for each grid, of these numbers.
cuda::LaunchPlan planOf(const nlohmann::json &numbers,
                        const std::vector<std::array<int, 3>> &grids) {
  using nlohmann::json;
  json launches = json::array();
  for (const std::array<int, 3> &grid : grids) {
    launches.push_back(
        {{"kernel", 0}, {"grid", grid}, {"arguments", json::array()}});
  }
  json entry = {{"numbers", numbers},
                {"areas", json::array()},
                {"parts", json::array()},
                {"launches", launches}};
  json general = entry;
  general["launches"] = json::array();
  json plan = {{"version", CHEEMS_LAUNCH_PLAN_VERSION},
               {"kernels", {{{"name", "k"}, {"threads", 32}, {"shared", 0}}}},
               {"entries",
                {{"general", general},
                 {"decode", entry},
                 {"top_logits", json::array()}}}};
  return cuda::LaunchPlan::parse(plan.dump(), "images[0].cards[0]", "m.cheems",
                                 0);
}

const UsableGPU a100 = gpuOf("NVIDIA A100-SXM4-80GB", 0),
                h100 = gpuOf("NVIDIA H100 80GB HBM3", 1),
                h200 = gpuOf("NVIDIA H200", 2);
constexpr int64_t megabyte = 1000000, gigabyte = 1000 * megabyte;

TEST(DeviceCost, isTheLaunchesAndTheLongerOfReadingAndComputing) {
  DeviceSpeed speed{1e9, 1e10, 1e-6};
  EXPECT_DOUBLE_EQ(decodeSeconds(modelOf(2048 * 1000), "cuda", speed, 202),
                   202e-6 + 2048000.0 / 1e9);
  speed.operations = 1e8;
  EXPECT_DOUBLE_EQ(decodeSeconds(modelOf(2048 * 1000), "cuda", speed, 202),
                   202e-6 + 2 * 1024000.0 / 1e8);
}

TEST(DeviceCost, launchesAreThoseOfThePlanThatHaveBlocks) {
  Metadata data = modelOf(2048 * 1000);
  // two that always run, and one for embeddings
  nlohmann::json numbers = {1, "tokens", "rows", "embedding_rows"};
  EXPECT_EQ(
      decodeLaunches(data, planOf(numbers, {{0, 1, 0}, {2, 0, 0}, {3, 0, 0}})),
      2);
  EXPECT_EQ(decodeLaunches(data, planOf(numbers, {})), 0);
}

TEST(DeviceCost, ofAWindowTheLaunchesCountThatItNeeds) {
  Metadata data = modelOf(2048 * 1000);
  data.block = 64;
  // one where entries are dropped: the capacity is above 2048, or above 128
  auto launches = [&](int64_t window) {
    data.keepWindow = window;
    nlohmann::json numbers = {1,
                              "capacity",
                              window,
                              {"max", 1, 2},
                              {"subtract", 3, 2},
                              {"min", 4, 0}};
    return decodeLaunches(data, planOf(numbers, {{0, 0, 0}, {5, 0, 0}}));
  };
  EXPECT_EQ(launches(2048), 1);
  EXPECT_EQ(launches(128), 2);
}

TEST(DeviceCost, aGPUWithMoreLaunchesTakesLonger) {
  Metadata data = modelOf(2 * gigabyte);
  UsableGPU many = gpuOf("NVIDIA H100 80GB HBM3", 7, 203);
  EXPECT_EQ(fastestGPU(data, {many, h100}, 0)->device.index, 1);
}

TEST(DeviceCost, ofSeveralGPUsTheFastestIsTaken) {
  Metadata data = modelOf(2 * gigabyte);
  EXPECT_EQ(fastestGPU(data, {a100, h100, h200}, 0)->device.index, 2);
  EXPECT_EQ(fastestGPU(data, {h100, a100}, 0)->device.index, 1);
  UsableGPU other = gpuOf("NVIDIA H100 80GB HBM3", 7);
  EXPECT_EQ(fastestGPU(data, {h100, other}, 0)->device.index, 1);
  EXPECT_EQ(fastestGPU(data, {}, 0), nullptr);
}

TEST(DeviceCost, aGPUIsTakenWhereItsLaunchesCostLessThanItsMemorySaves) {
  EXPECT_EQ(fastestGPU(modelOf(3 * gigabyte), {h100}, 64)->device.index, 1);
  UsableGPU few = gpuOf("NVIDIA H100 80GB HBM3", 1, 74);
  EXPECT_EQ(fastestGPU(modelOf(4 * megabyte), {few}, 8), nullptr);
  // 202 launches of 3 us cost what 4 cores read in 39 MB
  EXPECT_EQ(fastestGPU(modelOf(38 * megabyte), {h100}, 4), nullptr);
  EXPECT_EQ(fastestGPU(modelOf(42 * megabyte), {h100}, 4)->device.index, 1);
  EXPECT_EQ(fastestGPU(modelOf(3 * gigabyte), {}, 64), nullptr);
}

TEST(DeviceCost, moreCoresReadMoreUpToWhatASocketDoes) {
  EXPECT_DOUBLE_EQ(DeviceSpeed::ofCPU(2).bytes,
                   2 * DeviceSpeed::ofCPU(1).bytes);
  EXPECT_DOUBLE_EQ(DeviceSpeed::ofCPU(64).bytes, DeviceSpeed::ofCPU(128).bytes);
  EXPECT_GT(DeviceSpeed::ofCPU(128).operations,
            DeviceSpeed::ofCPU(64).operations);
}

TEST(DeviceCost, anUnknownGPUIsAsFastAsTheSlowestKnownOne) {
  DeviceSpeed unknown = DeviceSpeed::of(gpuOf("NVIDIA Something").device);
  EXPECT_EQ(unknown.bytes, DeviceSpeed::of(a100.device).bytes);
  EXPECT_EQ(unknown.operations, DeviceSpeed::of(a100.device).operations);
  EXPECT_GT(DeviceSpeed::of(h200.device).bytes,
            DeviceSpeed::of(h100.device).bytes);
}

} // namespace
