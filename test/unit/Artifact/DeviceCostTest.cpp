// Which device decodes faster, of made-up models and cards.
#include "runtime/Artifact/DeviceCost.h"
#include <gtest/gtest.h>

using namespace cheems;

namespace {

/// Its one product has so many bytes in bf16.
Metadata modelOf(int64_t bytes, int64_t layers = 24) {
  Metadata data;
  data.layers = layers;
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

cuda::DeviceInfo cardOf(const char *name, int index = 0) {
  cuda::DeviceInfo card;
  card.index = index;
  card.name = name;
  return card;
}

const cuda::DeviceInfo a100 = cardOf("NVIDIA A100-SXM4-80GB", 0),
                       h100 = cardOf("NVIDIA H100 80GB HBM3", 1),
                       h200 = cardOf("NVIDIA H200", 2);
constexpr int64_t megabyte = 1000000, gigabyte = 1000 * megabyte;

TEST(DeviceCost, isTheLaunchesAndTheLongerOfReadingAndComputing) {
  DeviceSpeed speed{1e9, 1e10, 1e-6};
  // 24 layers of 8 launches, and ten
  EXPECT_DOUBLE_EQ(decodeSeconds(modelOf(2048 * 1000), "cuda", speed),
                   202e-6 + 2048000.0 / 1e9);
  speed.operations = 1e8;
  EXPECT_DOUBLE_EQ(decodeSeconds(modelOf(2048 * 1000), "cuda", speed),
                   202e-6 + 2 * 1024000.0 / 1e8);
}

TEST(DeviceCost, ofSeveralCardsTheFastestIsTaken) {
  Metadata data = modelOf(2 * gigabyte);
  EXPECT_EQ(fastestCard(data, {a100, h100, h200}, 0)->index, 2);
  EXPECT_EQ(fastestCard(data, {h100, a100}, 0)->index, 1);
  cuda::DeviceInfo other = cardOf("NVIDIA H100 80GB HBM3", 7);
  EXPECT_EQ(fastestCard(data, {h100, other}, 0)->index, 1);
  EXPECT_EQ(fastestCard(data, {}, 0), nullptr);
}

TEST(DeviceCost, aCardIsTakenWhereItsLaunchesCostLessThanItsMemorySaves) {
  EXPECT_EQ(fastestCard(modelOf(3 * gigabyte), {h100}, 64)->index, 1);
  EXPECT_EQ(fastestCard(modelOf(4 * megabyte, 8), {h100}, 8), nullptr);
  // 202 launches of 3 us cost what 4 cores read in 39 MB
  EXPECT_EQ(fastestCard(modelOf(38 * megabyte), {h100}, 4), nullptr);
  EXPECT_EQ(fastestCard(modelOf(42 * megabyte), {h100}, 4)->index, 1);
  EXPECT_EQ(fastestCard(modelOf(3 * gigabyte), {}, 64), nullptr);
}

TEST(DeviceCost, moreCoresReadMoreUpToWhatASocketDoes) {
  EXPECT_DOUBLE_EQ(DeviceSpeed::ofCPU(2).bytes,
                   2 * DeviceSpeed::ofCPU(1).bytes);
  EXPECT_DOUBLE_EQ(DeviceSpeed::ofCPU(64).bytes, DeviceSpeed::ofCPU(128).bytes);
  EXPECT_GT(DeviceSpeed::ofCPU(128).operations,
            DeviceSpeed::ofCPU(64).operations);
}

TEST(DeviceCost, anUnknownCardIsAsFastAsTheSlowestKnownOne) {
  DeviceSpeed unknown = DeviceSpeed::of(cardOf("NVIDIA Something"));
  EXPECT_EQ(unknown.bytes, DeviceSpeed::of(a100).bytes);
  EXPECT_EQ(unknown.operations, DeviceSpeed::of(a100).operations);
  EXPECT_GT(DeviceSpeed::of(h200).bytes, DeviceSpeed::of(h100).bytes);
}

} // namespace
