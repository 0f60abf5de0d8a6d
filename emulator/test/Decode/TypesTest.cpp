//===- TypesTest.cpp ------------------------------------------------------===//
#include "Decode/Types.h"

#include <gtest/gtest.h>

using namespace cheems::emulator;

// PTX ISA, "Fundamental Types": the number in a name is the width in bits.
TEST(Types, haveTheWidthOfTheirName) {
  for (const char *text :
       {"b8",  "b16", "b32",  "b64", "b128", "b1024", "u8",  "u16",
        "u32", "u64", "u4",   "b1",  "s8",   "s16",   "s32", "s64",
        "s4",  "f16", "bf16", "f32", "f64",  "tf32"}) {
    std::string_view modifier = text;
    auto type = parseType(modifier);
    ASSERT_TRUE(type) << text;
    EXPECT_EQ(name(*type), modifier);
    size_t digits = modifier.find_first_of("0123456789");
    EXPECT_EQ(bits(*type), std::stoi(std::string(modifier.substr(digits))))
        << text;
  }
}

// PTX ISA, "Packed Data Types" and "Alternate Floating-Point Data Formats"
TEST(Types, ofPackedValuesHaveTheWidthOfAllElements) {
  EXPECT_EQ(bits(Type::f16x2), 32);
  EXPECT_EQ(bits(Type::bf16x2), 32);
  EXPECT_EQ(bits(Type::f32x2), 64);
  EXPECT_EQ(bits(Type::e4m3), 8);
  EXPECT_EQ(bits(Type::e4m3x2), 16);
  EXPECT_EQ(bits(Type::e5m2x4), 32);
  EXPECT_EQ(bits(Type::pred), 1);
}

TEST(Types, thatDoNotExistAreNotFound) {
  for (const char *text : {"f31", "b", "", "u128", "f16x4", "rn", "s"}) {
    EXPECT_FALSE(parseType(text)) << text;
  }
}

TEST(Types, haveOneKind) {
  for (int i = 0; i <= int(Type::ue8m0x2); ++i) {
    Type type = static_cast<Type>(i);
    EXPECT_EQ(parseType(name(type)), type);
    EXPECT_LE(isSigned(type) + isUnsigned(type) + isBits(type) + isFloat(type),
              1)
        << name(type);
  }
  EXPECT_TRUE(isSigned(Type::s4) && isUnsigned(Type::u4) &&
              isBits(Type::b1024) && isFloat(Type::bf16));
  EXPECT_FALSE(isFloat(Type::tf32) || isInteger(Type::pred));
}
