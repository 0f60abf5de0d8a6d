//===- InitializersTest.cpp - PTX ISA, "Initializers" ---------------------===//
#include "Parse.h"

namespace cheems::emulator::ptx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<uint64_t> bits(const std::string &directive) {
  auto parsed = module(directive);
  std::vector<uint64_t> all;
  for (const InitialValue &value : parsed->variables.back()->initial) {
    EXPECT_EQ(value.symbol, "");
    all.push_back(value.bits);
  }
  return all;
}

TEST(PTXInitializers, AScalarHasOneValueOfItsWidth) {
  EXPECT_THAT(bits(".global .b32 x = 5;"), ElementsAre(5));
  EXPECT_THAT(bits(".const .s16 x = -1;"), ElementsAre(0xffff));
  EXPECT_THAT(bits(".global .b8 x = 300;"), ElementsAre(44));
  EXPECT_THAT(bits(".global .b64 x = -1;"), ElementsAre(~uint64_t(0)));
  EXPECT_THAT(bits(".global .b32 x = 1 << 4 | 3;"), ElementsAre(19));
}

TEST(PTXInitializers, FloatingPointNumbersGetTheVariablesWidth) {
  EXPECT_THAT(bits(".global .f32 x = 1.5;"), ElementsAre(0x3fc00000));
  EXPECT_THAT(bits(".global .f32 x = 0f3f800001;"), ElementsAre(0x3f800001));
  EXPECT_THAT(bits(".global .f32 x = 0d3ff0000000000000;"),
              ElementsAre(0x3f800000));
  EXPECT_THAT(bits(".global .f64 x = 0f3f800000;"),
              ElementsAre(0x3ff0000000000000));
  EXPECT_THAT(bits(".global .b32 x = -1.0;"), ElementsAre(0xbf800000));
}

TEST(PTXInitializers, TheRestOfAnArrayIsZero) {
  EXPECT_THAT(bits(".global .b32 x[4] = {1, 2};"), ElementsAre(1, 2));
  EXPECT_THAT(bits(".global .b32 x[2][3] = {{1}, {2, 3}};"),
              ElementsAre(1, 0, 0, 2, 3));
  EXPECT_THAT(bits(".global .b32 x[2][2][2] = {{{1}, {2}}, {{}, {3}}};"),
              ElementsAre(1, 0, 2, 0, 0, 0, 3));
}

TEST(PTXInitializers, AVectorIsAListWithinTheList) {
  EXPECT_THAT(bits(".global .v2 .b32 x = {1, 2};"), ElementsAre(1, 2));
  EXPECT_THAT(bits(".global .v2 .b32 x[2] = {{1}, {2, 3}};"),
              ElementsAre(1, 0, 2, 3));
}

TEST(PTXInitializers, TheFirstExtentMayComeFromTheValues) {
  auto parsed = module(".global .b32 x[][2] = {{1, 2}, {3}, {4}};");
  EXPECT_THAT(parsed->variables.at(0)->extents, ElementsAre(3, 2));
}

TEST(PTXInitializers, AddressesAreSymbols) {
  auto parsed = module(".global .b32 x[4]; .func f();"
                       ".global .u64 y[4] = {x, x + 8, generic(x) + 4, f};");
  const auto &values = parsed->variables.back()->initial;
  ASSERT_EQ(values.size(), 4u);
  EXPECT_EQ(values[0].symbol, "x");
  EXPECT_FALSE(values[0].generic);
  EXPECT_EQ(values[1].bits, 8u);
  EXPECT_TRUE(values[2].generic);
  EXPECT_EQ(values[2].bits, 4u);
  EXPECT_EQ(values[3].symbol, "f");
}

TEST(PTXInitializers, AMaskSelectsAByteOfAnAddress) {
  auto parsed = module(".global .b32 x; .global .u8 y[8] = "
                       "{0xff(x), 0xff00(x + 4), 0xff0000(generic(x)), 7};");
  const auto &values = parsed->variables.back()->initial;
  ASSERT_EQ(values.size(), 4u);
  EXPECT_EQ(values[0].mask, 0xffu);
  EXPECT_EQ(values[1].mask, 0xff00u);
  EXPECT_EQ(values[1].bits, 4u);
  EXPECT_TRUE(values[2].generic);
  EXPECT_EQ(values[3].mask, std::nullopt);
  EXPECT_EQ(values[3].bits, 7u);
}

TEST(PTXInitializers, RefuseSpacesThatHaveNoInitialValue) {
  EXPECT_THAT(refusal(".shared .b32 x = 1;"),
              HasSubstr("only .global and .const variables"));
  EXPECT_THAT(kernelRefusal(".local .b32 x = 1;"), HasSubstr("only .global"));
  EXPECT_THAT(kernelRefusal(".reg .b32 x = 1;"), HasSubstr("only .global"));
  EXPECT_THAT(refusal(".extern .global .b32 x = 1;"),
              HasSubstr("an .extern variable has no initial value"));
}

TEST(PTXInitializers, RefuseTypesThatHaveNoInitialValue) {
  for (std::string type : {"f16", "f16x2", "b128", "texref"}) {
    EXPECT_THAT(refusal(".global ." + type + " x = 1;"),
                HasSubstr("variables of type ." + type));
  }
}

TEST(PTXInitializers, RefuseValuesOfAnotherKind) {
  EXPECT_THAT(refusal(".global .f32 x = 1;"),
              HasSubstr("an integer is no value of .f32"));
  EXPECT_THAT(refusal(".global .u32 x = 1.5;"),
              HasSubstr("a floating-point number is no value of .u32"));
  EXPECT_THAT(refusal(".global .b8 x = 1.5;"), HasSubstr("no value of .b8"));
}

TEST(PTXInitializers, RefuseMoreValuesThanElements) {
  EXPECT_THAT(refusal(".global .b32 x[2] = {1, 2, 3};"),
              HasSubstr("more values than elements"));
  EXPECT_THAT(refusal(".global .b32 x[2][2] = {{1, 2, 3}};"),
              HasSubstr("more values than elements"));
  EXPECT_THAT(refusal(".global .b32 x[2][2] = {1, 2};"),
              HasSubstr("'1' stands where '{'"));
  EXPECT_THAT(refusal(".global .b32 x[2] = 1;"), HasSubstr("'1' stands"));
  EXPECT_THAT(refusal(".global .b32 x = {1};"), HasSubstr("'{' stands"));
  EXPECT_THAT(refusal(".global .b32 x[] = {};"),
              HasSubstr("whose size is not given"));
  EXPECT_THAT(refusal(".global .b8 x[2][99999999] = {{1}, {2}};"),
              HasSubstr("have no value"));
}

TEST(PTXInitializers, RefuseWrongAddresses) {
  EXPECT_THAT(refusal(".global .u64 x = y; .global .b32 y;"),
              HasSubstr("'y' is no .global or .const variable"));
  EXPECT_THAT(refusal(".global .u64 x = x;"), HasSubstr("'x' is no .global"));
  EXPECT_THAT(refusal(".shared .b32 y; .global .u64 x = y;"),
              HasSubstr("'y' is no .global"));
  EXPECT_THAT(refusal(".func f(); .global .u64 x = generic(f);"),
              HasSubstr("'f' is no .global"));
  EXPECT_THAT(refusal(".func f(); .global .u64 x = f + 4;"),
              HasSubstr("'+' stands"));
  EXPECT_THAT(refusal(".global .b32 y; .global .b64 x = y;"),
              HasSubstr("but this is .b64"));
}

TEST(PTXInitializers, RefuseWrongMasks) {
  for (std::string mask : {"0xf0", "0", "0xffff", "1.5"}) {
    EXPECT_THAT(
        refusal(".global .b32 y; .global .u8 x[8] = {" + mask + "(y)};"),
        HasSubstr("a mask selects one byte"));
  }
  EXPECT_THAT(refusal(".global .b32 y; .global .b8 x = 0xff(y);"),
              HasSubstr("but this is .b8"));
}

} // namespace
} // namespace cheems::emulator::ptx
