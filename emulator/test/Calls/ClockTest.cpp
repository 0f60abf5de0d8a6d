//===- ClockTest.cpp ------------------------------------------------------===//
#include "Results.h"

#include <gtest/gtest.h>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

// PTX ISA, "Special Registers: %clock, %clock_hi" and "%clock64": a counter
// that only grows, as a whole and in halves.
TEST(Clock, grows) {
  std::vector<uint32_t> grown = runResults(
      ".version 8.3\n.target sm_90\n.address_size 64\n"
      ".entry k(.param .u64 out) {\n"
      ".reg .pred %p; .reg .b32 %r<10>; .reg .b64 %d<10>;\n"
      "mov.u64 %d1, %clock64; mov.u32 %r1, %clock; mov.u32 %r2, %tid.x;\n"
      "mov.u32 %r3, %clock; mov.u32 %r4, %clock_hi; mov.u64 %d2, %clock64;\n"
      "sub.u64 %d3, %d2, %d1; mov.b64 {%r5, _}, %d3; sub.u32 %r6, %r3, %r1;\n"
      "setp.gt.u32 %p, %r5, %r6; selp.u32 %r7, %r6, 0, %p;\n"
      "setp.eq.u32 %p, %r4, 0; selp.u32 %r7, %r7, 0, %p;\n"
      "ld.param.u64 %d8, [out]; mad.wide.u32 %d9, %r2, 4, %d8;\n"
      "st.global.u32 [%d9], %r7; ret; }\n");
  for (uint32_t ticks : grown) {
    EXPECT_GT(ticks, 0u);
    EXPECT_LT(ticks, 1000u);
  }
}

// PTX ISA, "Special Registers: %globaltimer, %globaltimer_lo, %globaltimer_hi"
TEST(Clock, timesWaits) {
  std::vector<uint32_t> passed =
      runResults(".version 8.3\n.target sm_90\n.address_size 64\n"
                 ".entry k(.param .u64 out) {\n"
                 ".reg .pred %p; .reg .b32 %r<10>; .reg .b64 %d<10>;\n"
                 "mov.u64 %d1, %globaltimer; mov.u32 %r2, %tid.x;\n"
                 "wait: mov.u64 %d2, %globaltimer; sub.u64 %d3, %d2, %d1;\n"
                 "setp.lt.u64 %p, %d3, 500; @%p bra wait;\n"
                 "mov.u32 %r4, %globaltimer_hi; mov.u32 %r5, %globaltimer_lo;\n"
                 "setp.gt.u32 %p, %r5, 500; selp.u32 %r7, 1, 9, %p;\n"
                 "add.u32 %r7, %r7, %r4;\n"
                 "ld.param.u64 %d8, [out]; mad.wide.u32 %d9, %r2, 4, %d8;\n"
                 "st.global.u32 [%d9], %r7; ret; }\n");
  for (uint32_t result : passed) {
    EXPECT_EQ(result, 1u);
  }
}
