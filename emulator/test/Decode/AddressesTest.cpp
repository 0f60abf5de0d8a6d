//===- AddressesTest.cpp --------------------------------------------------===//
#include "Probe.h"

using namespace cheems::emulator;
using namespace cheems::emulator::test;
using testing::HasSubstr;

namespace {

/// Decodes "probe TEXT" as an address and gives it to `check`.
template <typename F>
void address(const std::string &text, Space space, F check) {
  DecodedAddress seen;
  Decoded decoded =
      decodeProbe("probe " + text + ";", [&](Statement &statement) {
        statement.end(1);
        seen = statement.address(0, space);
        statement.emit(marked, Pipe::lsu, {seen.base});
      });
  seen.base = decoded.slot(0, 0);
  check(decoded, seen);
}

std::string refused(const std::string &text, Space space) {
  return refusal("probe " + text + ";", [&](Statement &statement) {
    statement.end(1);
    statement.address(0, space);
  });
}

} // namespace

// PTX ISA, "Addresses as Operands"
TEST(Addresses, areRegistersWithOffsets) {
  address("[%d1+-8]", Space::global, [](Decoded &, DecodedAddress seen) {
    EXPECT_EQ(seen.base.base(), Base::registers);
    EXPECT_EQ(seen.offset, -8);
    EXPECT_TRUE(seen.wide);
    EXPECT_EQ(seen.space, Space::global);
  });
  address("[%r1]", Space::shared, [](Decoded &, DecodedAddress seen) {
    EXPECT_EQ(seen.offset, 0);
    EXPECT_FALSE(seen.wide);
    EXPECT_EQ(seen.space, Space::shared);
  });
}

TEST(Addresses, areVariablesWithOffsets) {
  auto at = [](uint64_t address, Space space) {
    return [=](Decoded &decoded, DecodedAddress seen) {
      ASSERT_TRUE(seen.wide);
      EXPECT_EQ(decoded.constant<uint64_t>(seen.base) + seen.offset, address);
      EXPECT_EQ(seen.space, space);
    };
  };
  address("[counter]", Space::global, at(globalAddress, Space::global));
  address("[tile+4]", Space::shared, at(4, Space::shared));
  address("[stack+16]", Space::local, at(16, Space::local));
  address("[p+4]", Space::parameter, at(12, Space::parameter));
  address("[tile]", Space::generic, at(0, Space::shared));
}

TEST(Addresses, areNumbers) {
  address("[64]", Space::shared, [](Decoded &decoded, DecodedAddress seen) {
    EXPECT_EQ(decoded.constant<uint64_t>(seen.base) + seen.offset, 64u);
    EXPECT_TRUE(seen.wide);
  });
}

TEST(Addresses, inAnotherSpaceAreRefused) {
  EXPECT_THAT(refused("[tile]", Space::global),
              HasSubstr("'tile' lies in another state space"));
  EXPECT_THAT(refused("[counter]", Space::shared), HasSubstr("counter"));
  EXPECT_THAT(refused("[stack]", Space::shared), HasSubstr("stack"));
}

TEST(Addresses, areNoOtherOperands) {
  EXPECT_THAT(refused("%d1", Space::global), HasSubstr("not in brackets"));
  EXPECT_THAT(refused("[%p1]", Space::global), HasSubstr("no address"));
  EXPECT_THAT(refused("[%h1]", Space::global), HasSubstr("no address"));
  EXPECT_THAT(refused("[%f1]", Space::global), HasSubstr("no address"));
}

// PTX ISA, "Parameter State Space": parameters of device functions, and what is
// handed to them, lie in the memory of a thread.
TEST(Addresses, ofParametersOfFunctionsAreLocal) {
  std::string function = ".func (.param .b32 r) f(.param .b64 a, .param .b32 "
                         "b) { .local .b32 x; probe [b], [x], [r]; }\n";
  int count = 0;
  probe = [&](Statement &statement) {
    statement.end(1, 3);
    for (size_t i = 0; i < statement.operands(); ++i) {
      DecodedAddress seen = statement.address(i, Space::generic);
      EXPECT_EQ(seen.space, Space::local);
      EXPECT_FALSE(seen.wide);
      EXPECT_EQ(seen.offset, (std::array{16, 20, 0}[i]));
      ++count;
      statement.emit(marked, Pipe::lsu, {seen.base});
    }
  };
  Decoded decoded = decode("read.b64 f;", function);
  EXPECT_EQ(count, 3);
  size_t number = 0;
  for (const Instruction &instruction : decoded.program().instructions) {
    if (instruction.handler == marked) {
      // The frame pointer is the arena's first array.
      EXPECT_EQ(instruction.slots[0], Slot(Base::registers, 0));
      ++number;
    }
  }
  EXPECT_EQ(number, 3u);
}

TEST(Addresses, ofSharedVariablesThatNobodyNamesAreNone) {
  Decoded decoded = decode("exit;");
  EXPECT_EQ(decoded.program().sharedBytes, 0u);
}
