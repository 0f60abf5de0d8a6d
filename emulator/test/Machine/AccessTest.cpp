//===- AccessTest.cpp - What is checked when memory is accessed ----------===//
#include "Support/RunPTX.h"

#include <gtest/gtest.h>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

namespace {

const std::vector<uint32_t> zeros(64);

std::string rule(const std::string &body, const std::string &declarations = {},
                 const RunOptions &options = {}) {
  return findingOf(kernelPTX(body + "\nret;", declarations), zeros, options);
}

TEST(Access, GlobalBounds) {
  EXPECT_EQ(rule("ld.global.u32 %r0, [%out+252];"), "");
  EXPECT_EQ(rule("ld.global.u32 %r0, [%out+256];"), "out-of-bounds");
  EXPECT_EQ(rule("ld.global.u32 %r0, [%out+-4];"), "out-of-bounds");
  EXPECT_EQ(rule("st.global.u32 [%mine+132], %t;"), "out-of-bounds");
  EXPECT_EQ(rule("mov.u64 %rd0, 0; ld.global.u32 %r0, [%rd0];"),
            "out-of-bounds");
  EXPECT_EQ(rule("mov.u64 %rd0, -4; ld.global.u32 %r0, [%rd0];"),
            "out-of-bounds");
  try {
    runPTX(kernelPTX("st.global.u32 [%mine+132], %t; ret;"), zeros);
    FAIL();
  } catch (const Finding &finding) {
    EXPECT_EQ(finding.place.lane, 31);
    EXPECT_EQ(finding.address, GlobalMemory::base + 256);
    EXPECT_NE(std::string(finding.what())
                  .find("0 bytes after the end of the allocation of 256 "
                        "bytes"),
              std::string::npos)
        << finding.what();
  }
}

// PTX ISA, "Addresses as Operands": "The address must be naturally aligned to a
// multiple of the access size."
TEST(Access, Alignment) {
  EXPECT_EQ(rule("ld.global.u32 %r0, [%out+2];"), "misaligned-address");
  EXPECT_EQ(rule("ld.global.v2.u32 {%r0, %r1}, [%out+4];"),
            "misaligned-address");
  EXPECT_EQ(rule("ld.global.u32 %r0, [%mine+1];"), "misaligned-address");
  EXPECT_EQ(rule("mov.u32 %r1, s; st.shared.u32 [%r1+2], %t;",
                 ".shared .align 4 .b32 s[64];"),
            "misaligned-address");
}

TEST(Access, UninitialisedGlobalMemory) {
  const std::string ptx = kernelPTX(R"(
  st.global.u16 [%mine], 1;
  st.global.u8 [%mine+2], 1;
  ld.global.u8 %r0, [%mine+2];
  ld.global.u32 %r0, [%mine];
  ret;)");
  PTXRunner runner(ptx, {});
  const uint64_t memory = runner.uninitialised(128);
  try {
    runner.run("kernel", parameterBytes({memory}));
    FAIL();
  } catch (const Finding &finding) {
    EXPECT_EQ(finding.rule, "uninitialised-read");
    EXPECT_NE(std::string(finding.what()).find("byte 3"), std::string::npos);
  }
}

TEST(Access, FreedMemory) {
  PTXRunner runner(kernelPTX("ld.global.u32 %r0, [%mine]; ret;"), {});
  const uint64_t memory = runner.buffer(zeros);
  ASSERT_TRUE(runner.device.memory.free(memory));
  try {
    runner.run("kernel", parameterBytes({memory}));
    FAIL();
  } catch (const Finding &finding) {
    EXPECT_EQ(finding.rule, "use-after-free");
  }
}

TEST(Access, SharedMemory) {
  const std::string s = ".shared .align 8 .b32 s[40];";
  EXPECT_EQ(rule("mov.u32 %r1, s; mad.lo.u32 %r1, %t, 4, %r1;"
                 "st.shared.u32 [%r1], %t; ld.shared.u32 %r0, [%r1];",
                 s),
            "");
  EXPECT_EQ(rule("mov.u32 %r1, s; ld.shared.u32 %r0, [%r1+4];", s),
            "uninitialised-read");
  EXPECT_EQ(rule("mov.u32 %r1, s; st.shared.u32 [%r1+160], %t;", s),
            "out-of-bounds");
  EXPECT_EQ(rule("mov.u32 %r1, s; mad.lo.u32 %r1, %t, 8, %r1;"
                 "st.shared.u32 [%r1], %t;",
                 s),
            "out-of-bounds");
  RunOptions dynamic;
  dynamic.dynamicSharedBytes = 16;
  EXPECT_EQ(rule("mov.u32 %r1, s; st.shared.u32 [%r1+160], %t;", s, dynamic),
            "");
}

// PTX ISA, "Generic Addressing": each lane's address may be of another space.
TEST(Access, GenericAddresses) {
  auto out = runPTX(kernelPTX(R"(
  .local .align 4 .b32 l[1];
  mov.u32 %r0, s;
  mad.lo.u32 %r0, %t, 4, %r0;
  st.shared.u32 [%r0], 100;
  mov.u64 %rd0, l;
  st.local.u32 [%rd0], 200;
  cvt.u64.u32 %rd1, %r0;
  cvta.shared.u64 %rd1, %rd1;
  cvta.local.u64 %rd0, %rd0;
  setp.lt.u32 %p0, %t, 10;
  setp.lt.u32 %p1, %t, 20;
  selp.b64 %rd2, %rd0, %mine, %p1;
  selp.b64 %rd2, %rd1, %rd2, %p0;
  ld.u32 %r1, [%rd2];
  add.u32 %r1, %r1, %t;
  st.u32 [%rd2], %r1;
  ld.shared.u32 %r2, [%r0];
  ld.local.u32 %r3, [l];
  ld.global.u32 %r4, [%mine];
  add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4;
  st.global.u32 [%mine+128], %r2;
  ret;)",
                              ".shared .align 4 .b32 s[32];"),
                    zeros);
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[32 + i], 300 + i);
  }
  EXPECT_EQ(rule("mov.u64 %rd0, s; cvta.shared.u64 %rd0, %rd0;"
                 "st.u32 [%rd0+128], %t;",
                 ".shared .align 4 .b32 s[32];"),
            "out-of-bounds");
  EXPECT_EQ(rule(".local .align 4 .b32 l[2]; mov.u64 %rd0, l;"
                 "cvta.local.u64 %rd0, %rd0; st.u32 [%rd0+4096], %t;"),
            "out-of-bounds");
}

// A block of a cluster that does not exist.
TEST(Access, ClusterRanks) {
  const std::string s = ".shared .align 4 .b32 s[32];";
  EXPECT_EQ(rule("mov.u32 %r1, s; mapa.shared::cluster.u32 %r2, %r1, 0;"
                 "st.shared::cluster.u32 [%r2], %t;",
                 s),
            "");
  EXPECT_EQ(
      rule("mov.u32 %r1, 0x5000000; st.shared::cluster.u32 [%r1], %t;", s),
      "out-of-bounds");
}

} // namespace
