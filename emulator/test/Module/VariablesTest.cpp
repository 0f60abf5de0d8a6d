//===- VariablesTest.cpp --------------------------------------------------===//
#include "Module/Variables.h"

#include "PTX/Parser.h"
#include "Support/Error.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems::emulator;

namespace {

struct Placed {
  explicit Placed(const std::string &text)
      : syntax(ptx::parse(".version 8.3\n.target sm_90\n.address_size 64\n" +
                          text)),
        symbols(placeVariables(*syntax, memory, allocated)) {}

  uint64_t address(const std::string &name) const {
    for (const auto &[variable, address] : symbols.variables) {
      if (variable->name == name) {
        return address;
      }
    }
    ADD_FAILURE() << name;
    return 0;
  }
  uint64_t functionAddress(const std::string &name) const {
    for (const auto &[function, address] : symbols.functions) {
      if (function->name == name) {
        return address;
      }
    }
    ADD_FAILURE() << name;
    return 0;
  }
  template <typename T> T at(const std::string &name, size_t number = 0) {
    T value;
    std::memcpy(&value, memory.data(address(name)) + number * sizeof(T),
                sizeof(T));
    return value;
  }

  GlobalMemory memory{1 << 20};
  std::vector<uint64_t> allocated;
  std::unique_ptr<ptx::Module> syntax;
  Symbols symbols;
};

std::string refusal(const std::string &text) {
  try {
    Placed placed(text);
  } catch (const Refusal &refusal) {
    return refusal.what();
  } catch (const NotModelled &notModelled) {
    return notModelled.what();
  }
  return "";
}

} // namespace

// PTX ISA, "Initializers": what has no initial value is zero.
TEST(Variables, haveInitialValues) {
  Placed placed(".global .b32 numbers[4] = {1, -2, 0x30};\n"
                ".global .b8 bytes[] = {104, 105, 0};\n"
                ".global .f32 one = 1.0;\n"
                ".const .f64 two = 0d4000000000000000;\n"
                ".global .b16 nothing[8];\n"
                ".global .u64 big = 0x123456789abcdef0;\n");
  EXPECT_EQ(placed.at<uint32_t>("numbers", 0), 1u);
  EXPECT_EQ(placed.at<uint32_t>("numbers", 1), 0xfffffffeu);
  EXPECT_EQ(placed.at<uint32_t>("numbers", 2), 0x30u);
  EXPECT_EQ(placed.at<uint32_t>("numbers", 3), 0u);
  EXPECT_EQ(placed.at<char>("bytes", 1), 'i');
  EXPECT_EQ(placed.at<float>("one"), 1.0f);
  EXPECT_EQ(placed.at<double>("two"), 2.0);
  EXPECT_EQ(placed.at<uint16_t>("nothing", 7), 0u);
  EXPECT_EQ(placed.at<uint64_t>("big"), 0x123456789abcdef0u);
}

TEST(Variables, ofSeveralDimensionsAndVectorsFollowTheText) {
  Placed placed(".global .b32 grid[2][3] = {{1, 2, 3}, {4, 5, 6}};\n"
                ".global .v4 .f32 pixel = {1.0, 2.0, 3.0, 4.0};\n");
  EXPECT_EQ(placed.at<uint32_t>("grid", 4), 5u);
  EXPECT_EQ(placed.at<float>("pixel", 2), 3.0f);
}

// PTX ISA, "Initializers": names mean addresses, and a mask takes a byte.
TEST(Variables, haveAddressesOfOthers) {
  Placed placed(".global .b32 data[4];\n"
                ".global .u64 pointer = data + 8;\n"
                ".global .b32 other;\n"
                ".global .u64 pointers[2] = {generic(data), other};\n"
                ".global .u8 parts[2] = {0xff(data), 0xff00(data)};\n"
                ".func f() { ret; }\n"
                ".global .u64 functions[1] = {f};\n");
  uint64_t data = placed.address("data");
  EXPECT_EQ(placed.at<uint64_t>("pointer"), data + 8);
  EXPECT_EQ(placed.at<uint64_t>("pointers", 0), data);
  EXPECT_EQ(placed.at<uint64_t>("pointers", 1), placed.address("other"));
  EXPECT_EQ(placed.at<uint8_t>("parts", 0), data & 0xff);
  EXPECT_EQ(placed.at<uint8_t>("parts", 1), data >> 8 & 0xff);
  EXPECT_EQ(placed.at<uint64_t>("functions"), placed.functionAddress("f"));
}

TEST(Variables, areAllocationsOfTheirOwnWithKnownBytes) {
  Placed placed(".global .b8 small[3];\n.global .align 512 .b8 aligned[4];\n");
  uint64_t small = placed.address("small");
  EXPECT_EQ(placed.allocated.size(), 2u);
  EXPECT_EQ(*placed.memory.state(small + 2), ByteState::initialised);
  EXPECT_FALSE(placed.memory.contains(small, 4));
  EXPECT_EQ(placed.address("aligned") % 512, 0u);
}

TEST(Variables, mayBelongToFunctions) {
  Placed placed(".global .b32 x = 1;\n"
                ".entry k() { .global .b32 y = 2; .const .u64 z = y; exit; }");
  EXPECT_EQ(placed.at<uint32_t>("y"), 2u);
  EXPECT_EQ(placed.at<uint64_t>("z"), placed.address("y"));
}

TEST(Variables, thatAreOnlyDeclaredHaveNoMemory) {
  Placed placed(".extern .global .b32 elsewhere;\n");
  EXPECT_TRUE(placed.symbols.variables.empty());
}

TEST(Variables, withValuesThatCannotBeAreRefused) {
  EXPECT_NE(refusal(".shared .b32 s;\n.global .u64 a = s;"), "");
  EXPECT_NE(refusal(".global .b32 x;\n.global .u32 a = x;"), "");
  EXPECT_NE(refusal(".global .texref t;"), "");
  EXPECT_NE(refusal(".global .b32 x[1] = {1, 2};"), "");
}

TEST(Variables, needMemory) {
  auto syntax = ptx::parse(".version 8.3\n.target sm_90\n.address_size 64\n"
                           ".global .b8 a[512];\n.global .b8 b[8388608];\n");
  GlobalMemory memory(1 << 20);
  std::vector<uint64_t> allocated;
  EXPECT_THROW(placeVariables(*syntax, memory, allocated), std::bad_alloc);
  EXPECT_EQ(allocated.size(), 1u); // the caller frees it
}
