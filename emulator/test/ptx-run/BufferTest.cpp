//===- BufferTest.cpp - Buffers of cheems-ptx-run -------------------------===//
#include "tools/cheems-ptx-run/Buffer.h"
#include "tools/cheems-ptx-run/Error.h"
#include "tools/cheems-ptx-run/Npy.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>

namespace cheems::ptxrun {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<double> numbers(const std::string &text, uint64_t seed = 1) {
  Buffer buffer = Buffer::parse(text);
  auto data = buffer.values(buffer.initial, seed);
  std::vector<double> all;
  for (uint64_t index = 0; index < buffer.elements(); ++index) {
    all.push_back(buffer.type.decode(buffer.element(data.data(), index)));
  }
  return all;
}

std::string refusal(const std::string &text) {
  try {
    numbers(text);
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

class PTXRunFiles : public testing::Test {
protected:
  PTXRunFiles()
      : folder(std::filesystem::temp_directory_path() /
               ("cheems-ptx-run-" + std::to_string(getpid()))) {
    std::filesystem::create_directory(folder);
  }
  ~PTXRunFiles() override { std::filesystem::remove_all(folder); }

  std::string path(const std::string &name) const { return folder / name; }

  std::filesystem::path folder;
};

TEST(PTXRunBuffer, HasNameTypeAndExtents) {
  Buffer buffer = Buffer::parse("x:bf16[4x8]=zeros");
  EXPECT_EQ(buffer.name, "x");
  EXPECT_EQ(buffer.type.name, "bf16");
  EXPECT_THAT(buffer.extents, ElementsAre(4, 8));
  EXPECT_EQ(buffer.bytes(), 64u);
  EXPECT_EQ(buffer.shape(), "bf16[4x8]");
  EXPECT_EQ(Buffer::parse("f32[2]=1").name, "");
}

TEST(PTXRunBuffer, HasValues) {
  EXPECT_THAT(numbers("f32[3]=zeros"), ElementsAre(0, 0, 0));
  EXPECT_THAT(numbers("f16[3]=iota"), ElementsAre(0, 1, 2));
  EXPECT_THAT(numbers("s32[3]=-7"), ElementsAre(-7, -7, -7));
  EXPECT_THAT(numbers("f32[2x2]=1,2.5,-3,4e2"), ElementsAre(1, 2.5, -3, 400));
}

TEST(PTXRunBuffer, RandomValuesDependOnTheSeedAndTheName) {
  auto values = numbers("x:f32[100]=random");
  EXPECT_THAT(values,
              testing::Each(testing::AllOf(testing::Ge(-1), testing::Lt(1))));
  EXPECT_EQ(values, numbers("x:f32[100]=random"));
  EXPECT_NE(values, numbers("y:f32[100]=random"));
  EXPECT_NE(values, numbers("x:f32[100]=random", 2));
  auto whole = numbers("x:s8[1000]=random:-2:1");
  EXPECT_THAT(whole, testing::Each(testing::AnyOf(-2, -1, 0, 1)));
  for (double value : {-2, -1, 0, 1}) {
    EXPECT_THAT(whole, testing::Contains(value));
  }
}

TEST(PTXRunBuffer, PrintsARowALine) {
  Buffer buffer = Buffer::parse("x:s32[2x3]=iota");
  auto data = buffer.values(buffer.initial, 1);
  std::vector<bool> written(6, true);
  written[4] = false;
  EXPECT_EQ(buffer.print(data.data(), written),
            "x: s32[2x3]\n 0 1 2\n 3 ? 5\n");
}

TEST(PTXRunBuffer, MistakesAreRefused) {
  for (std::string text :
       {"x", "x:f32", "x:f32[4]", "f32[4]iota", "x:f32]4[=1", "x:f32=4[1]"}) {
    EXPECT_THAT(refusal(text), HasSubstr("write NAME:TYPE[EXTENTS]=VALUES"));
  }
  for (std::string extents : {"", "0", "4x", "-1", "4,4", "99999999999999"}) {
    EXPECT_THAT(refusal("x:f32[" + extents + "]=1"),
                HasSubstr("extents are whole numbers"));
  }
  EXPECT_THAT(refusal("x:f33[4]=1"), HasSubstr("no type 'f33'"));
  EXPECT_THAT(refusal("x:f32[4]=1,2"), HasSubstr("2 numbers for 4 elements"));
  EXPECT_THAT(refusal("x:f32[4]=some"), HasSubstr("'some' is no number"));
  EXPECT_THAT(refusal("x:s32[4]=random:3"), HasSubstr("random:LEAST:MOST"));
  EXPECT_THAT(refusal("x:s32[4]=random:3:2"), HasSubstr("must not be above"));
  EXPECT_THAT(refusal("x:s32[4]=@/no/file"), HasSubstr("cannot be read"));
}

TEST_F(PTXRunFiles, ComeBack) {
  for (std::string type : {"f32", "f16", "bf16", "e4m3", "s8", "u64", "b32"}) {
    for (std::string name : {"x.npy", "x.raw"}) {
      Buffer buffer = Buffer::parse("x:" + type + "[3x5]=iota");
      auto data = buffer.values("iota", 1);
      writeFile(path(name), buffer, data.data());
      EXPECT_EQ(readFile(path(name), buffer), data) << type;
      EXPECT_EQ(std::filesystem::file_size(path(name)),
                (name == "x.npy" ? 128 : 0) + buffer.bytes());
    }
  }
}

TEST_F(PTXRunFiles, HaveTheTypeAndSizeOfTheBuffer) {
  Buffer buffer = Buffer::parse("x:f32[3x5]=iota");
  writeFile(path("x.npy"), buffer, buffer.values("iota", 1).data());
  EXPECT_THAT(refusal("x:s32[3x5]=@" + path("x.npy")),
              HasSubstr("its type is '<f4', but s32[3x5] is '<i4'"));
  EXPECT_THAT(refusal("x:f32[3x4]=@" + path("x.npy")),
              HasSubstr("60 bytes of data, but f32[3x4] has 48"));
  std::ofstream(path("y.npy")) << "no numbers at all";
  EXPECT_THAT(refusal("x:f32[4]=@" + path("y.npy")),
              HasSubstr("no file of numpy"));
  std::ofstream(path("z.npy")) << "\x93NUMPY\1" << '\0' << "\xff\xff....";
  EXPECT_THAT(refusal("x:f32[4]=@" + path("z.npy")),
              HasSubstr("the file is cut off"));
}

} // namespace
} // namespace cheems::ptxrun
