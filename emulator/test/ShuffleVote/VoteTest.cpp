//===- VoteTest.cpp - vote, match and redux are executed ------------------===//
#include "Support/OneKernel.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

namespace {

// PTX ISA, "Parallel Synchronization and Communication Instructions:
// vote.sync"
TEST(Vote, AllModes) {
  // bits: all, any, uni of the predicate, and of its negation
  const char *body = R"(
    ld.global.b32 %r1, [%inl]; setp.ne.u32 %p1, %r1, 0; mov.b32 %r9, 0;
    vote.sync.all.pred %p2, %p1, -1; selp.b32 %r2, 1, 0, %p2; or.b32 %r9, %r9, %r2;
    vote.sync.any.pred %p2, %p1, -1; selp.b32 %r2, 2, 0, %p2; or.b32 %r9, %r9, %r2;
    vote.sync.uni.pred %p2, %p1, -1; selp.b32 %r2, 4, 0, %p2; or.b32 %r9, %r9, %r2;
    vote.sync.all.pred %p2, !%p1, -1; selp.b32 %r2, 8, 0, %p2; or.b32 %r9, %r9, %r2;
    vote.sync.any.pred %p2, !%p1, -1; selp.b32 %r2, 16, 0, %p2; or.b32 %r9, %r9, %r2;
    vote.sync.uni.pred %p2, !%p1, -1; selp.b32 %r2, 32, 0, %p2; or.b32 %r9, %r9, %r2;
    st.global.b32 [%outl], %r9;
    vote.sync.ballot.b32 %r3, %p1, -1; st.global.b32 [%outl+128], %r3;
    vote.sync.ballot.b32 %r3, !%p1, -1; st.global.b32 [%outl+256], %r3;
  )";
  struct Case {
    uint32_t mask, result;
  };
  for (auto [mask, result] :
       {Case{0, 4 + 8 + 16 + 32}, Case{~0u, 1 + 2 + 4 + 32},
        Case{0x80000001, 2 + 16}, Case{0x7fffffff, 2 + 16}}) {
    std::vector<uint32_t> in(32);
    for (int lane = 0; lane < 32; ++lane) {
      in[lane] = mask >> lane & 1;
    }
    std::vector<uint32_t> out = run(body, in, 96);
    for (int lane = 0; lane < 32; ++lane) {
      EXPECT_EQ(out[lane], result);
      EXPECT_EQ(out[32 + lane], mask);
      EXPECT_EQ(out[64 + lane], ~mask);
    }
  }
}

// "Inactive threads contribute a 0"
TEST(Vote, PartOfAWarp) {
  std::vector<uint32_t> out = run(R"(
    setp.ge.u32 %p1, %lane, 12; @%p1 bra END;
    setp.ne.u32 %p2, %lane, 100;
    vote.sync.ballot.b32 %r1, %p2, 0xfff; st.global.b32 [%outl], %r1;
    vote.sync.all.pred %p3, %p2, 0xfff; selp.b32 %r1, 1, 0, %p3; st.global.b32 [%outl+48], %r1;
    END:
  )");
  for (int lane = 0; lane < 12; ++lane) {
    EXPECT_EQ(out[lane], 0xfffu);
    EXPECT_EQ(out[lane + 12], 1u);
  }
}

// PTX ISA, "Parallel Synchronization and Communication Instructions:
// match.sync"
TEST(Match, AnyOf32And64Bits) {
  std::vector<uint32_t> in(96);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    in[lane] = lane * 7 % 5;
    in[32 + 2 * lane] = 9;
    in[33 + 2 * lane] = lane * 3 % 4;
  }
  std::vector<uint32_t> out = run(R"(
    ld.global.b32 %r1, [%inl]; match.any.sync.b32 %r1, %r1, -1;
    st.global.b32 [%outl], %r1;
    add.s64 %l1, %inl, %by4; ld.global.b64 %l2, [%l1+128];
    match.any.sync.b64 %r2, %l2, -1; st.global.b32 [%outl+128], %r2;
  )",
                                  in, 64);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    uint32_t first = 0, second = 0;
    for (uint32_t other = 0; other < 32; ++other) {
      first |= uint32_t(in[other] == in[lane]) << other;
      second |= uint32_t(in[33 + 2 * other] == in[33 + 2 * lane]) << other;
    }
    EXPECT_EQ(out[lane], first);
    EXPECT_EQ(out[32 + lane], second);
  }
}

TEST(Match, AllWithItsPredicate) {
  std::vector<uint32_t> out = run(R"(
    mov.b32 %r1, 5; setp.eq.u32 %p5, %lane, 31; selp.b32 %r2, 6, 5, %p5;
    match.all.sync.b32 %r3|%p1, %r1, -1; match.all.sync.b32 %r4|%p2, %r2, -1;
    selp.b32 %r5, 1, 0, %p1; selp.b32 %r6, 1, 0, %p2;
    st.global.b32 [%outl], %r3; st.global.b32 [%outl+128], %r4;
    st.global.b32 [%outl+256], %r5; st.global.b32 [%outl+384], %r6;
    mov.b64 %l1, 0x500000001; setp.lt.u32 %p3, %lane, 16; @!%p3 bra END;
    match.all.sync.b64 %r3, %l1, 0xffff; st.global.b32 [%outl], %r3;
    END:
  )",
                                  {}, 128);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(out[lane], lane < 16 ? 0xffff : ~0u);
    EXPECT_EQ(out[32 + lane], 0u);
    EXPECT_EQ(out[64 + lane], 1u);
    EXPECT_EQ(out[96 + lane], 0u);
  }
}

// PTX ISA, "Parallel Synchronization and Communication Instructions:
// redux.sync"
TEST(Redux, AllOperations) {
  std::vector<uint32_t> in(32);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    in[lane] = (lane + 1) * 2654435761u;
  }
  std::string body = "ld.global.b32 %r1, [%inl];";
  int number = 0;
  for (const char *operation :
       {"add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32",
        "and.b32", "or.b32", "xor.b32"}) {
    body += "redux.sync." + std::string(operation) +
            " %r2, %r1, -1; st.global.b32 [%outl+" +
            std::to_string(128 * number++) + "], %r2;";
  }
  uint32_t sum = 0, all = ~0u, some = 0, odd = 0;
  for (uint32_t value : in) {
    sum += value;
    all &= value;
    some |= value;
    odd ^= value;
  }
  auto less = [](uint32_t a, uint32_t b) { return int32_t(a) < int32_t(b); };
  std::vector<uint32_t> expected = {
      sum,
      sum,
      *std::min_element(in.begin(), in.end()),
      *std::min_element(in.begin(), in.end(), less),
      *std::max_element(in.begin(), in.end()),
      *std::max_element(in.begin(), in.end(), less),
      all,
      some,
      odd};
  std::vector<uint32_t> out = run(body, in, 9 * 32);
  for (int operation = 0; operation < 9; ++operation) {
    for (int lane = 0; lane < 32; ++lane) {
      EXPECT_EQ(out[operation * 32 + lane], expected[operation]) << operation;
    }
  }
}

// "membermask specifies the lanes participating"
TEST(Redux, Tiles) {
  std::vector<uint32_t> out = run(R"(
    and.b32 %r1, %lane, 28; mov.b32 %r2, 0xf; shl.b32 %r2, %r2, %r1;
    redux.sync.add.u32 %r3, %lane, %r2; st.global.b32 [%outl], %r3;
  )");
  for (uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(out[lane], (lane & 28) * 4 + 6);
  }
}

} // namespace
