//===- MatrixMovesTest.cpp - ldmatrix, stmatrix and movmatrix -------------===//
#include "Support/Forms.h"
#include "TensorCore/Fragments.h"

#include <random>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

namespace {

std::vector<uint32_t> numbers(size_t words, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint32_t> list(words);
  for (uint32_t &word : list) {
    word = random();
  }
  return list;
}

uint16_t halfOf(const std::vector<uint32_t> &words, size_t index) {
  return uint16_t(words[index / 2] >> 16 * (index % 2));
}

std::string list(int count, int first) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) {
    text += (i ? ", %r" : "%r") + std::to_string(first + i);
  }
  return text + "}";
}

/// Copies 4096 bytes of `in` to `sv`; %r30 is the shared address of the row
/// that a lane names: rows are 80 bytes apart and in another order.
const char *prepare = R"(
mul.wide.u32 %l0, %lane, 16; add.s64 %l1, %in, %l0;
mov.u32 %r30, sv; cvt.u32.u64 %r31, %l0; add.s32 %r31, %r30, %r31;
ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%l1];
st.shared.v4.b32 [%r31], {%r0, %r1, %r2, %r3};
ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%l1 + 512];
st.shared.v4.b32 [%r31 + 512], {%r0, %r1, %r2, %r3};
ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%l1 + 1024];
st.shared.v4.b32 [%r31 + 1024], {%r0, %r1, %r2, %r3};
ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%l1 + 1536];
st.shared.v4.b32 [%r31 + 1536], {%r0, %r1, %r2, %r3};
ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%l1 + 2048];
st.shared.v4.b32 [%r31 + 2048], {%r0, %r1, %r2, %r3};
mul.lo.u32 %r31, %lane, 5; and.b32 %r31, %r31, 31; mul.lo.u32 %r31, %r31, 80;
add.s32 %r30, %r30, %r31;
)";
size_t rowOffset(int lane) { return size_t(lane * 5 % 32) * 80; }

// PTX ISA, "Warp-level matrix load instruction: ldmatrix".
TEST(MatrixMoves, Ldmatrix) {
  std::vector<uint32_t> memory = numbers(640, 1);
  for (int count : {1, 2, 4}) {
    for (bool transposed : {false, true}) {
      std::string body = std::string(prepare) + "ldmatrix.sync.aligned.m8n8.x" +
                         std::to_string(count) + (transposed ? ".trans" : "") +
                         ".shared.b16 " + list(count, 10) + ", [%r30];\n";
      for (int i = 0; i < count; ++i) {
        body += "st.global.b32 [%outl + " + std::to_string(128 * i) + "], %r" +
                std::to_string(10 + i) + ";\n";
      }
      std::vector<uint32_t> out = run(body, memory, size_t(count) * 32);
      for (int matrix = 0; matrix < count; ++matrix) {
        for (int lane = 0; lane < 32; ++lane) {
          for (int half = 0; half < 2; ++half) {
            Position at = matrixElement(transposed, lane, half);
            size_t byte = rowOffset(8 * matrix + at.row) + 2 * at.column;
            ASSERT_EQ(halfOf(out, (size_t(matrix) * 32 + lane) * 2 + half),
                      halfOf(memory, byte / 2))
                << "x" << count << " lane " << lane;
          }
        }
      }
    }
  }
}

// PTX ISA, "Warp-level matrix store instruction: stmatrix".
TEST(MatrixMoves, Stmatrix) {
  std::vector<uint32_t> fragments = numbers(640, 2);
  for (int count : {1, 2, 4}) {
    for (bool transposed : {false, true}) {
      // Rows go to 16 bytes times the lane; registers come from the first words
      // of `in`.
      std::string body = std::string(prepare) +
                         "mov.u32 %r30, sv; shl.b32 %r31, %lane, 4;"
                         "add.s32 %r30, %r30, %r31;\n";
      for (int i = 0; i < count; ++i) {
        body += "ld.global.b32 %r" + std::to_string(10 + i) + ", [%inl + " +
                std::to_string(128 * i) + "];\n";
      }
      body += "stmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
              (transposed ? ".trans" : "") + ".shared::cta.b16 [%r30], " +
              list(count, 10) +
              ";\nmov.u32 %r30, sv; shl.b32 %r31, %lane, 2;"
              "add.s32 %r30, %r30, %r31;\n";
      for (int i = 0; i < count; ++i) {
        body += "ld.shared.b32 %r0, [%r30 + " + std::to_string(128 * i) +
                "]; st.global.b32 [%outl + " + std::to_string(128 * i) +
                "], %r0;\n";
      }
      std::vector<uint32_t> out = run(body, fragments, size_t(count) * 32);
      for (int matrix = 0; matrix < count; ++matrix) {
        for (int lane = 0; lane < 32; ++lane) {
          for (int half = 0; half < 2; ++half) {
            Position at = matrixElement(transposed, lane, half);
            ASSERT_EQ(
                halfOf(out, size_t(matrix) * 64 + at.row * 8 + at.column),
                halfOf(fragments, (size_t(matrix) * 32 + lane) * 2 + half))
                << "x" << count << " lane " << lane;
          }
        }
      }
    }
  }
}

// PTX ISA, "Warp-level matrix transpose instruction: movmatrix".
TEST(MatrixMoves, Movmatrix) {
  std::vector<uint32_t> in = numbers(32, 3);
  std::vector<uint32_t> out =
      run("ld.global.b32 %r0, [%inl]; movmatrix.sync.aligned.m8n8.trans.b16 "
          "%r1, %r0; st.global.b32 [%outl], %r1;",
          in);
  for (int row = 0; row < 8; ++row) {
    for (int column = 0; column < 8; ++column) {
      EXPECT_EQ(halfOf(out, row * 8 + column), halfOf(in, column * 8 + row));
    }
  }
}

TEST(MatrixMoves, WrongAddressesAreFound) {
  std::vector<uint32_t> memory = numbers(640, 1);
  std::string load = "ldmatrix.sync.aligned.m8n8.x1";
  std::string start = prepare;
  // "The matrix addresses must be naturally aligned accordingly": 16 bytes.
  EXPECT_EQ(finding(start + load + ".shared.b16 {%r0}, [%r30 + 4];", memory),
            "misaligned-address");
  EXPECT_EQ(finding(start + load + ".shared.b16 {%r0}, [%r30 + 1600];", memory),
            "uninitialised-read");
  // "If the generic address doesn't fall in .shared state space, then the
  // behavior is undefined."
  EXPECT_EQ(finding(load + ".b16 {%r0}, [%in];", memory), "wrong-space");
}

TEST(MatrixMoves, FormsAreThoseOfTheAssembler) {
  expectTaken({
      "ldmatrix.sync.aligned.x1.m8n8.shared.b16 {%r0}, [%r1];",
      "ldmatrix.sync.aligned.m8n8.x1.trans.shared::cta.b16 {%f0}, [%l1 + 16];",
      "ldmatrix.sync.aligned.m8n8.x4.b16 {%r0,%r1,%r2,%r3}, [%l1];",
      "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%r1], {%r2, %r3};",
  });
  expectRefused({
      {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 %r0, [%r1];", "braces"},
      {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0}, [%r1];", "2"},
      {"ldmatrix.sync.aligned.m8n8.x8.shared.b16 {%r0}, [%r1];", "x1"},
      {"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r0,%r2}, [%r1];",
       "sm_100 is not modelled"},
      {"stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r1], {%r0};",
       "sm_100 is not modelled"},
      {"movmatrix.sync.aligned.m8n8.b16 %r0, %r1;", "trans"},
  });
  expectRefused(
      {{"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r2};", "sm_90"}},
      80);
}

} // namespace
