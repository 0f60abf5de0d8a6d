//===- BranchTest.cpp - bra.uni, brx.idx, trap, nanosleep, pmevent -------===//
#include "Support/RunPTX.h"

#include <gtest/gtest.h>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

namespace {

const std::vector<uint32_t> zeros(64);

// PTX ISA, "Control Flow Instructions: brx.idx"
TEST(Branch, GoesToATargetOfAList) {
  const std::string ptx = kernelPTX(R"(
  rem.u32 %r0, %t, 3;
  mov.u32 %r1, 7;
  setp.ge.u32 %p0, %t, 30;
list: .branchtargets L0, L1, L2;
  @!%p0 brx.idx %r0, list;
  bra DONE;
L0: mov.u32 %r1, 10; bra DONE;
L1: mov.u32 %r1, 11; bra DONE;
L2: mov.u32 %r1, 12;
DONE:
  activemask.b32 %r2;
  st.global.u32 [%mine], %r1;
  st.global.u32 [%mine+128], %r2;
  ret;)");
  auto out = runPTX(ptx, zeros);
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], i >= 30 ? 7 : 10 + i % 3);
    EXPECT_EQ(out[32 + i], 0xffffffffu);
  }
}

// "Behaviour is undefined if the value of index is greater than or equal to the
// length of tlist."
TEST(Branch, AnIndexBeyondTheListIsFound) {
  EXPECT_EQ(findingOf(kernelPTX(R"(
list: .branchtargets L0, L1;
  brx.idx %t, list;
L0:
L1:
  ret;)"),
                      zeros),
            "branch-index");
}

// PTX ISA, "Control Flow Instructions: bra": ".uni guarantees that the branch
// is non-divergent". Lanes that ran first may break that promise here where a
// GPU keeps it, so it means nothing.
TEST(Branch, UniformOnesMayPartLanes) {
  auto out = runPTX(kernelPTX(R"(
  setp.lt.u32 %p0, %t, 5;
  mov.u32 %r0, 3;
  @%p0 bra.uni END;
  mov.u32 %r0, 1;
END:
  st.global.u32 [%mine], %r0;
  ret;)"),
                    zeros);
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], i < 5 ? 3u : 1u);
  }
}

// PTX ISA, "Miscellaneous Instructions: trap"
TEST(Branch, TrapsAreFindings) {
  try {
    runPTX(kernelPTX(R"(
  setp.eq.u32 %p0, %t, 13;
  @%p0 trap;
  ret;)"),
           zeros);
    FAIL();
  } catch (const Finding &finding) {
    EXPECT_EQ(finding.rule, "trap");
    EXPECT_EQ(finding.place.lane, 13);
    EXPECT_EQ(finding.place.kernel, "kernel");
  }
}

// PTX ISA, "Miscellaneous Instructions: brkpt"
TEST(Branch, BreakpointsAreFoundWhereTheyAreExecuted) {
  std::vector<uint32_t> zeros(32);
  std::string guarded = "setp.eq.u32 %p0, %t, 99; @%p0 brkpt; ret;";
  EXPECT_NO_THROW(runPTX(kernelPTX(guarded), zeros));
  try {
    runPTX(kernelPTX("brkpt; ret;"), zeros);
    FAIL();
  } catch (const Finding &finding) {
    EXPECT_EQ(finding.rule, "breakpoint");
  }
}

// PTX ISA, "Miscellaneous Instructions: nanosleep" and "pmevent"
TEST(Branch, HintsChangeNothing) {
  auto out = runPTX(kernelPTX(R"(
  nanosleep.u32 100;
  nanosleep.u32 %t;
  pmevent 7;
  pmevent.mask 0x3f;
  st.global.u32 [%mine], %t;
  ret;)"),
                    zeros);
  EXPECT_EQ(out[31], 31u);
  EXPECT_THROW(runPTX(kernelPTX("pmevent 16; ret;"), zeros), Refusal);
  EXPECT_THROW(runPTX(kernelPTX("nanosleep.u64 1; ret;"), zeros), Refusal);
}

} // namespace
