//===- RegisterPoolTest.cpp - setmaxnreg ---------------------------------===//
#include "Support/RunPTX.h"

#include <gtest/gtest.h>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

// Each test is of PTX ISA, "Miscellaneous Instructions: setmaxnreg".
namespace {

const std::vector<uint32_t> zeros(512);

/// Threads of the first warpgroup run `first`, those of the two others `rest`.
std::string
groups(const std::string &first, const std::string &rest,
       const std::string &directives = ".reqntid 384\n.maxnreg 168") {
  return kernelPTX(R"(
  setp.lt.u32 %p0, %t, 128;
  @%p0 bra FIRST;
  )" + rest + R"(
  bra DONE;
FIRST:
  )" + first + R"(
DONE:
  st.global.u32 [%mine], 1;
  ret;)",
                   {}, directives);
}

RunOptions options(uint64_t seed = 1) {
  RunOptions options;
  options.block = {384, 1, 1};
  options.seed = seed;
  return options;
}

// 40 + 2 * 232 = 3 * 168
TEST(RegisterPool, GivesWhatOthersHaveReleased) {
  const std::string ptx = groups("setmaxnreg.dec.sync.aligned.u32 40;",
                                 "setmaxnreg.inc.sync.aligned.u32 232;");
  for (uint64_t seed = 0; seed < 8; ++seed) {
    auto out = runPTX(ptx, zeros, options(seed));
    EXPECT_EQ(out[0] + out[383], 2u);
  }
}

// "blocks the execution until enough registers are available"
TEST(RegisterPool, WaitingForTooManyIsADeadlock) {
  try {
    runPTX(groups("setmaxnreg.dec.sync.aligned.u32 40;",
                  "setmaxnreg.inc.sync.aligned.u32 240;"),
           zeros, options());
    FAIL();
  } catch (const Finding &finding) {
    EXPECT_EQ(finding.rule, "deadlock");
    EXPECT_NE(std::string(finding.what()).find("free in the block's pool"),
              std::string::npos);
  }
}

TEST(RegisterPool, MisuseIsFound) {
  // "should be greater than or equal to the imm-reg-count"
  EXPECT_EQ(findingOf(groups("", "setmaxnreg.dec.sync.aligned.u32 176;"), zeros,
                      options()),
            "register-balance");
  EXPECT_EQ(findingOf(groups("", "setmaxnreg.inc.sync.aligned.u32 160;"), zeros,
                      options()),
            "register-balance");
  // "must be executed by all warps in a warpgroup"
  EXPECT_EQ(findingOf(groups(R"(
  setp.lt.u32 %p1, %t, 96;
  @!%p1 bra DONE;
  setmaxnreg.dec.sync.aligned.u32 40;)",
                             ""),
                      zeros, options()),
            "register-balance");
}

// ".maxntid" gives a thread its share of the multiprocessor's registers: 65536
// / 384 is 168 in units of 8.
TEST(RegisterPool, TheLargestBlockLimitsToo) {
  const std::string give = "setmaxnreg.dec.sync.aligned.u32 40;";
  EXPECT_EQ(findingOf(groups(give, "setmaxnreg.inc.sync.aligned.u32 232;",
                             ".maxntid 384\n.minnctapersm 1"),
                      zeros, options()),
            "");
  EXPECT_EQ(findingOf(groups(give, "setmaxnreg.inc.sync.aligned.u32 240;",
                             ".maxntid 384\n.minnctapersm 1"),
                      zeros, options()),
            "deadlock");
  // "Otherwise, the setmaxnreg instruction may have no effect."
  EXPECT_EQ(findingOf(groups(give, "setmaxnreg.inc.sync.aligned.u32 240;", ""),
                      zeros, options()),
            "");
}

TEST(RegisterPool, CountsAreMultiplesOfEight) {
  for (const char *count : {"16", "36", "264"}) {
    EXPECT_THROW(
        runPTX(kernelPTX(std::string("setmaxnreg.inc.sync.aligned.u32 ") +
                         count + "; ret;"),
               zeros),
        Refusal);
  }
}

} // namespace
