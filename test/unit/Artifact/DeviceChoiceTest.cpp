#include "runtime/Artifact/DeviceChoice.h"
#include "runtime/Error.h"
#include <gtest/gtest.h>

using namespace cheems;

namespace {

TEST(DeviceChoice, isOneOfFourForms) {
  using Kind = DeviceChoice::Kind;
  EXPECT_EQ(DeviceChoice().kind, Kind::automatic);
  EXPECT_EQ(DeviceChoice::parse("auto").kind, Kind::automatic);
  EXPECT_EQ(DeviceChoice::parse("cpu").kind, Kind::cpu);
  EXPECT_EQ(DeviceChoice::parse("cuda").kind, Kind::cuda);
  EXPECT_FALSE(DeviceChoice::parse("cuda").gpu);
  EXPECT_EQ(DeviceChoice::parse("cuda:0").gpu, 0);
  EXPECT_EQ(DeviceChoice::parse("cuda:17").gpu, 17);
}

TEST(DeviceChoice, whatIsNoDeviceIsRefused) {
  for (const char *text : {"", "gpu", "CPU", "cuda:", "cuda:-1", "cuda:1x",
                           "cuda: 1", "cuda:99999999999", "cuda0", "cpu:0"}) {
    try {
      DeviceChoice::parse(text);
      ADD_FAILURE() << text;
    } catch (const Error &error) {
      EXPECT_EQ(error.status, Status::usage);
      EXPECT_EQ(std::string(error.what()),
                "a device is auto, cpu, cuda or cuda:N, as --list-devices "
                "lists them, not '" +
                    std::string(text) + "'");
    }
  }
}

} // namespace
