//===- AtomicTest.cpp - atom and red are executed -------------------------===//
// PTX ISA, "Parallel Synchronization and Communication Instructions: atom" and
// "red"
#include "Support/OneKernel.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

namespace {

// The ISA leaves the order of lanes open.
TEST(Atomic, LanesActInAnOrderThatTheSeedDetermines) {
  const char *body =
      "atom.global.add.u32 %r1, [%out], 1; st.global.b32 [%outl+128], %r1;"
      "atom.global.add.u32 %r1, [%out], 1; st.global.b32 [%outl+256], %r1;";
  std::set<std::vector<uint32_t>> orders;
  for (uint64_t seed = 2; seed < 6; ++seed) {
    std::vector<uint32_t> out = run(body, {}, 96, {.seed = seed});
    EXPECT_EQ(out, run(body, {}, 96, {.seed = seed}));
    for (size_t begin : {32, 64}) {
      std::vector<uint32_t> order(out.begin() + begin,
                                  out.begin() + begin + 32);
      orders.insert(order);
      std::sort(order.begin(), order.end());
      for (uint32_t i = 0; i < 32; ++i) {
        EXPECT_EQ(order[i], i + begin - 32);
      }
    }
  }
  EXPECT_EQ(orders.size(), 8u);
}

// With the seed 1 the lowest comes first.
TEST(Atomic, LanesActInAscendingOrder) {
  std::vector<uint32_t> out =
      run("atom.global.add.u32 %r1, [%out], 3; st.global.b32 [%outl+128], %r1;",
          {}, 64);
  EXPECT_EQ(out[0], 96u);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(out[32 + lane], lane * 3);
  }
}

TEST(Atomic, AllIntegerOperations) {
  std::vector<uint32_t> out = run(R"(
    st.shared.b32 [sv], 100; st.shared.b64 [sv+8], -5;
    setp.eq.u32 %p1, %lane, 0;
    @!%p1 bra END;
    atom.shared.and.b32 %r1, [sv], 0x66; st.global.b32 [%out], %r1;
    atom.shared.or.b32 %r1, [sv], 1; st.global.b32 [%out+4], %r1;
    atom.shared.xor.b32 %r1, [sv], 0xf; st.global.b32 [%out+8], %r1;
    atom.shared.exch.b32 %r1, [sv], 41; st.global.b32 [%out+12], %r1;
    atom.shared.cas.b32 %r1, [sv], 41, 50; st.global.b32 [%out+16], %r1;
    atom.shared.cas.b32 %r1, [sv], 41, 60; st.global.b32 [%out+20], %r1;
    atom.shared.inc.u32 %r1, [sv], 50; st.global.b32 [%out+24], %r1;
    atom.shared.dec.u32 %r1, [sv], 7; st.global.b32 [%out+28], %r1;
    atom.shared.min.s32 %r1, [sv], -3; st.global.b32 [%out+32], %r1;
    atom.shared.max.u32 %r1, [sv], 4; st.global.b32 [%out+36], %r1;
    atom.shared.add.s32 %r1, [sv], 5; st.global.b32 [%out+40], %r1;
    ld.shared.b32 %r1, [sv]; st.global.b32 [%out+44], %r1;
    atom.shared.max.s64 %l1, [sv+8], -7; st.global.b64 [%out+48], %l1;
    atom.shared.max.u64 %l1, [sv+8], 1; st.global.b64 [%out+56], %l1;
    atom.shared.add.u64 %l1, [sv+8], 6; st.global.b64 [%out+64], %l1;
    atom.shared.exch.b64 %l1, [sv+8], 9; st.global.b64 [%out+72], %l1;
    atom.shared.cas.b64 %l1, [sv+8], 9, 10; st.global.b64 [%out+80], %l1;
    ld.shared.b64 %l1, [sv+8]; st.global.b64 [%out+88], %l1;
    END:
  )",
                                  {}, 24);
  EXPECT_EQ(out, (std::vector<uint32_t>{
                     100,        100, 101,        106,        41,         50,
                     50,         0,   7,          0xfffffffd, 0xfffffffd, 2,
                     0xfffffffb, ~0u, 0xfffffffb, ~0u,        0xfffffffb, ~0u,
                     1,          0,   9,          0,          10,         0}));
}

// "cas.b16", "cas.b128", "exch.b128" and a sink as destination
TEST(Atomic, OtherWidths) {
  std::vector<uint32_t> out = run(R"(
    setp.eq.u32 %p1, %lane, 0;
    @!%p1 bra END;
    mov.b16 %h2, 7; mov.b16 %h3, 9;
    atom.global.cas.b16 %h1, [%out+2], %h2, %h3;
    mov.b16 %h2, 0; atom.global.cas.b16 _, [%out+2], %h2, %h3;
    ld.global.b128 %x1, [%in]; ld.global.b128 %x2, [%in+16];
    atom.global.exch.b128 %x3, [%out+16], %x1; st.global.b128 [%out+32], %x3;
    atom.global.cas.b128 %x3, [%out+16], %x2, %x3; st.global.b128 [%out+48], %x3;
    atom.global.cas.b128 _, [%out+16], %x1, %x2;
    END:
  )",
                                  {1, 2, 3, 4, 5, 6, 7, 8}, 16);
  EXPECT_EQ(out, (std::vector<uint32_t>{0x90000, 0, 0, 0, 5, 6, 7, 8, 0, 0, 0,
                                        0, 1, 2, 3, 4}));
}

// "atom.add.f32 on global memory flushes subnormal inputs and results to
// sign-preserving zero; whereas atom.add.f32 on shared memory supports
// subnormal inputs and results". A generic address decides it lane by lane.
TEST(Atomic, SubnormalsBySpace) {
  std::vector<uint32_t> out = run(R"(
    st.shared.b32 [sv], 0; st.shared.b32 [sv+4], 0;
    cvta.shared.u64 %l1, sv; add.s64 %l1, %l1, 4;
    setp.eq.u32 %p1, %lane, 0; selp.b64 %l2, %l1, %out, %p1;
    setp.gt.u32 %p2, %lane, 1; @%p2 bra END;
    mov.b32 %f1, 0x00000003;
    atom.add.f32 %f2, [%l2], %f1;
    red.shared.add.f32 [sv], %f1;
    red.global.add.f32 [%out+4], %f1;
    bar.warp.sync 3;
    ld.shared.v2.b32 {%r1, %r2}, [sv]; st.global.v2.b32 [%out+8], {%r1, %r2};
    END:
  )",
                                  {}, 4);
  EXPECT_EQ(out, (std::vector<uint32_t>{0, 0, 6, 3}));
}

TEST(Atomic, FloatsAndVectors) {
  std::vector<uint32_t> out = run(R"(
    setp.eq.u32 %p1, %lane, 0;
    @!%p1 bra END;
    mov.f64 %d1, 0d3ff8000000000000; red.global.add.f64 [%out], %d1; red.global.add.f64 [%out], %d1;
    mov.b32 %r1, 0x3c004000; red.global.add.noftz.f16x2 [%out+8], %r1;
    atom.global.add.noftz.f16x2 %r2, [%out+8], %r1; st.global.b32 [%out+12], %r2;
    mov.b32 %r1, 0x3f804000; red.global.add.noftz.bf16x2 [%out+16], %r1;
    mov.b16 %h1, 0x3c00; red.global.add.noftz.f16 [%out+20], %h1;
    mov.b16 %h1, 0x3f80; red.global.add.noftz.bf16 [%out+22], %h1;
    mov.f32 %f1, 0f3f800000; mov.f32 %f2, 0f40000000;
    red.global.add.v2.f32 [%out+24], {%f1, %f2};
    atom.global.add.v4.f32 {%f3, _, %f5, %f6}, [%out+32], {%f1, %f2, %f2, %f1};
    atom.global.add.v4.f32 {%f3, %f4, %f5, %f6}, [%out+32], {%f1, %f2, %f2, %f1};
    st.global.v2.f32 [%out+48], {%f3, %f4};
    mov.b16 %h1, 0xbc00; mov.b16 %h2, 0x4000;
    red.global.min.noftz.v2.f16 [%out+56], {%h1, %h2};
    red.global.max.noftz.v2.f16 [%out+60], {%h1, %h2};
    END:
  )",
                                  {}, 16);
  EXPECT_EQ(out, (std::vector<uint32_t>{0, 0x40080000, 0x40004400, 0x3c004000,
                                        0x3f804000, 0x3f803c00, 0x3f800000,
                                        0x40000000, 0x40000000, 0x40800000,
                                        0x40800000, 0x40000000, 0x3f800000,
                                        0x40000000, 0x0000bc00, 0x40000000}));
}

// Blocks reach each other through a lock that spins.
TEST(Atomic, LocksBetweenBlocks) {
  RunOptions options;
  options.grid = {20, 1, 1};
  std::vector<uint32_t> out = run(R"(
    setp.ne.u32 %p1, %lane, 0; @%p1 bra END;
    LOCK: atom.acquire.gpu.global.cas.b32 %r1, [%out], 0, 1;
    setp.ne.u32 %p2, %r1, 0; @%p2 bra LOCK;
    ld.relaxed.gpu.global.b32 %r2, [%out+4]; add.u32 %r2, %r2, 1;
    st.relaxed.gpu.global.b32 [%out+4], %r2;
    atom.release.gpu.global.exch.b32 %r1, [%out], 0;
    END:
  )",
                                  {}, 2, options);
  EXPECT_EQ(out[1], 20u);
}

TEST(Atomic, WrongAddresses) {
  EXPECT_EQ(finding("atom.global.add.u32 %r1, [%out+2], 1;"),
            "misaligned-address");
  EXPECT_EQ(finding("ld.global.f32 %f1, [%in];"
                    "red.global.add.v2.f32 [%out+4], {%f1, %f1};",
                    {0}),
            "misaligned-address");
  EXPECT_EQ(finding("atom.global.add.u32 %r1, [%in+4], 1;", {0}),
            "out-of-bounds");
}

} // namespace
