//===- ElementsTest.cpp - Numbers of cheems-ptx-run -----------------------===//
#include "tools/cheems-ptx-run/Elements.h"
#include "tools/cheems-ptx-run/Error.h"

#include <bit>
#include <cmath>
#include <gmock/gmock.h>

namespace cheems::ptxrun {
namespace {

uint64_t bits(const std::string &type, const std::string &text) {
  return ElementType::parse(type).encode(text);
}
std::string print(const std::string &type, uint64_t bits) {
  return ElementType::parse(type).print(bits);
}

TEST(PTXRunElements, AllBitsOfAFloatingPointTypeComeBack) {
  for (std::string name : {"f16", "bf16", "e4m3", "e5m2"}) {
    ElementType type = ElementType::parse(name);
    for (uint64_t code = 0; code < uint64_t(1) << (8 * type.bytes); ++code) {
      double value = type.decode(code);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(type.decode(type.encode(value))));
      } else {
        ASSERT_EQ(type.encode(value), code) << name;
        ASSERT_EQ(bits(name, type.print(code)), code) << type.print(code);
      }
    }
  }
}

TEST(PTXRunElements, SinglePrecisionIsTheHosts) {
  ElementType type = ElementType::parse("f32");
  for (float value : {0.f, -0.f, 1.f, 1e-45f, 1.17549435e-38f, 3.4e38f, 0.1f,
                      -INFINITY, 16777217.f}) {
    auto code = std::bit_cast<uint32_t>(value);
    EXPECT_EQ(type.encode(double(value)), code);
    EXPECT_EQ(type.decode(code), double(value));
  }
  EXPECT_EQ(type.encode(1e39), 0x7f800000u);
  EXPECT_EQ(type.encode(std::nan("")), 0x7fc00000u);
}

TEST(PTXRunElements, RoundToTheNearestAndTiesToEven) {
  EXPECT_EQ(bits("f16", "2049"), bits("f16", "2048"));
  EXPECT_EQ(bits("f16", "2051"), bits("f16", "2052"));
  EXPECT_EQ(bits("f16", "65519"), bits("f16", "65504"));
  EXPECT_EQ(bits("f16", "65520"), 0x7c00u) << "infinity";
  EXPECT_EQ(bits("e4m3", "464"), 0x7eu) << "448 is the largest";
  EXPECT_EQ(bits("e4m3", "465"), 0x7fu) << "NaN: there is no infinity";
  EXPECT_EQ(bits("e5m2", "-1e9"), 0xfcu);
}

TEST(PTXRunElements, IntegersMustFit) {
  EXPECT_EQ(bits("u8", "255"), 255u);
  EXPECT_EQ(bits("s8", "-128"), 128u);
  EXPECT_EQ(bits("i32", "-1"), 0xffffffffu);
  EXPECT_EQ(bits("b16", "-1"), 0xffffu);
  EXPECT_EQ(bits("b16", "65535"), 0xffffu);
  EXPECT_EQ(bits("u32", "0xdeadbeef"), 0xdeadbeefu);
  EXPECT_EQ(bits("u64", "18446744073709551615"), ~uint64_t(0));
  for (auto [type, text] :
       std::initializer_list<std::pair<const char *, const char *>>{
           {"u8", "256"},
           {"u8", "-1"},
           {"s8", "128"},
           {"s32", "2147483648"},
           {"b8", "0x100"},
           {"u32", "1.5"},
           {"u32", ""},
           {"f32", "x"},
           {"f32", "1 "}}) {
    EXPECT_THROW(bits(type, text), Error) << type << " " << text;
  }
}

TEST(PTXRunElements, PrintTheShortestText) {
  EXPECT_EQ(print("f32", std::bit_cast<uint32_t>(0.1f)), "0.1");
  EXPECT_EQ(print("f64", std::bit_cast<uint64_t>(0.1)), "0.1");
  EXPECT_EQ(print("f32", 0xffc00000), "nan");
  EXPECT_EQ(print("f32", 0xff800000), "-inf");
  EXPECT_EQ(print("s16", 0xffff), "-1");
  EXPECT_EQ(print("u16", 0xffff), "65535");
  EXPECT_EQ(print("b16", 0xab), "0x00ab");
}

TEST(PTXRunElements, AnUnknownTypeIsRefusedWithThoseThatAreKnown) {
  try {
    ElementType::parse("f8");
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.status, Status::usage);
    EXPECT_THAT(error.what(), testing::HasSubstr("no type 'f8'"));
    EXPECT_THAT(error.what(), testing::HasSubstr("e5m2, e4m3"));
  }
}

} // namespace
} // namespace cheems::ptxrun
