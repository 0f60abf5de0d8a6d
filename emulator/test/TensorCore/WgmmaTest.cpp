//===- WgmmaTest.cpp - wgmma in kernels -----------------------------------===//
#include "Support/Forms.h"
#include "TensorCore/Fragments.h"
#include "TensorCore/Numbers.h"

#include <cmath>
#include <random>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

namespace {

RunOptions threads(uint32_t count) {
  RunOptions options;
  options.block = {count, 1, 1};
  return options;
}

/// Each warp writes all 4096 bytes of `sv`, so no barrier is needed. A is at
/// its begin, B 2048 bytes further, K-major without swizzling: pieces of 16
/// bytes, eight rows of them 128 bytes apart, the second piece along k 1024 (A)
/// or 128 (B with n of 8) bytes further. %l2 and %l3 are the descriptors.
const std::string prepare = [] {
  std::string text = "mov.u32 %r30, %laneid; mul.wide.u32 %l0, %r30, 16;"
                     "add.s64 %l1, %in, %l0; mov.u32 %r30, sv;"
                     "cvt.u32.u64 %r31, %l0; add.s32 %r31, %r30, %r31;\n";
  for (int i = 0; i < 8; ++i) {
    std::string at = std::to_string(512 * i);
    text += "ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%l1 + " + at +
            "]; st.shared.v4.b32 [%r31 + " + at + "], {%r0, %r1, %r2, %r3};\n";
  }
  return text + R"(
fence.proxy.async.shared::cta;
shr.u32 %r30, %r30, 4; cvt.u64.u32 %l0, %r30;
mov.b64 %l2, 0x0000000800400000; or.b64 %l2, %l2, %l0;
mov.b64 %l3, 0x0000000800080000; add.s64 %l0, %l0, 128; or.b64 %l3, %l3, %l0;
mov.b32 %f0, 0f3f800000; mov.b32 %f1, 0f40000000; mov.b32 %f2, 0f40400000;
mov.b32 %f3, 0f40800000;
)";
}();
const std::string multiply =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, "
    "%l2, %l3, 1, 1, 1, 0, 0;\n";
const std::string fence = "wgmma.fence.sync.aligned;\n";
const std::string commit = "wgmma.commit_group.sync.aligned;\n";
const std::string wait = "wgmma.wait_group.sync.aligned 0;\n";
const std::string store = "mul.wide.u32 %l0, %lane, 16; add.s64 %l0, %out, %l0;"
                          "st.global.v4.f32 [%l0], {%f0, %f1, %f2, %f3};\n";
const std::string meet = "bar.sync 0;\n";
/// Ends the basic block.
const std::string cut = "bra next;\nnext:\n";

std::vector<uint32_t> matrices() {
  std::mt19937 random(7);
  std::vector<uint32_t> words(1024);
  for (uint32_t &word : words) {
    word = (random() & 0x80ff80ff) | 0x3f003f00;
  }
  return words;
}

float element(const std::vector<uint32_t> &words, int matrix, int row, int k) {
  size_t byte = size_t(matrix) * 2048 + size_t(row) * 16 + k % 8 * 2 +
                k / 8 * (matrix == 0 ? 1024 : 128);
  return fromBf16(uint16_t(words[byte / 4] >> 8 * (byte % 4)));
}

/// What `store` leaves if D = A * B + D ran `times` times.
void expectMatmul(const std::vector<uint32_t> &out,
                  const std::vector<uint32_t> &words, int times = 1,
                  float sign = 1) {
  for (int thread = 0; thread < 128; ++thread) {
    for (int i = 0; i < 4; ++i) {
      Position at = warpgroupAccumulator(thread / 32, thread % 32, i);
      float sum = float(1 + i);
      for (int k = 0; k < 16 * times; ++k) {
        sum = std::fma(sign * element(words, 0, at.row, k % 16),
                       element(words, 1, at.column, k % 16), sum);
      }
      ASSERT_EQ(floatOf(out[size_t(thread) * 4 + i]), sum)
          << "thread " << thread << ", accumulator " << i;
    }
  }
}

std::vector<uint32_t> runIn(Asynchrony mode, const std::string &body,
                            bool implicitDrain = true) {
  RunOptions options = threads(128);
  options.asynchrony = mode;
  options.implicitDrain = implicitDrain;
  return run(prepare + body, matrices(), 512, options);
}

std::string findingIn(Asynchrony mode, const std::string &body,
                      bool implicitDrain = true) {
  try {
    runIn(mode, body, implicitDrain);
  } catch (const Finding &finding) {
    return finding.rule;
  }
  return {};
}

constexpr Asynchrony modes[] = {Asynchrony::early, Asynchrony::late};

// PTX ISA, "Asynchronous Multiply-and-Accumulate Instruction: wgmma.mma_async":
// "D = A*B+D", of the form "D = A*B" if scale-d is false, and "negated by
// specifying the value -1".
TEST(Wgmma, MatmulsOfSharedMemory) {
  for (Asynchrony mode : modes) {
    expectMatmul(
        runIn(mode, fence + multiply + multiply + commit + wait + store),
        matrices(), 2);
    std::string negative = multiply;
    negative.replace(negative.find("1, 1, 1, 0"), 10, "1, -1, 1, 0");
    expectMatmul(runIn(mode, fence + negative + commit + wait + store),
                 matrices(), 1, -1);
    std::string fresh = multiply;
    fresh.replace(fresh.find("1, 1, 1, 0"), 10, "%p1, 1, 1, 0");
    std::vector<uint32_t> sums =
        runIn(mode, "setp.ne.b32 %p1, %r30, %r30;\n" + fence + fresh + commit +
                        wait + store);
    Position at = warpgroupAccumulator(1, 9, 2);
    float sum = 0;
    for (int k = 0; k < 16; ++k) {
      sum = std::fma(element(matrices(), 0, at.row, k),
                     element(matrices(), 1, at.column, k), sum);
    }
    EXPECT_EQ(floatOf(sums[(32 + 9) * 4 + 2]), sum);
  }
}

// "Register operand a represents the multiplicand matrix A in register".
TEST(Wgmma, MatmulsOfRegisters) {
  std::string load = "mov.u32 %r30, %laneid; shr.u32 %r31, %r30, 2;"
                     "mul.wide.u32 %l4, %r31, 16; and.b32 %r31, %r30, 3;"
                     "mul.wide.u32 %l5, %r31, 4; add.s64 %l4, %l4, %l5;"
                     "shr.u32 %r31, %lane, 5; mul.wide.u32 %l5, %r31, 256;"
                     "add.s64 %l4, %l4, %l5; add.s64 %l4, %l4, %in;"
                     "ld.global.b32 %r10, [%l4];"
                     "ld.global.b32 %r11, [%l4 + 128];"
                     "ld.global.b32 %r12, [%l4 + 1024];"
                     "ld.global.b32 %r13, [%l4 + 1152];\n";
  std::string opcode =
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, "
      "%f3}, {%r10, %r11, %r12, %r13}, %l3, 1, 1, 1, 0;\n";
  for (Asynchrony mode : modes) {
    expectMatmul(runIn(mode, load + fence + opcode + commit + wait + store),
                 matrices());
    // "Accessing [...] the input register containing the fragments of matrix A
    // [...] is undefined behavior."
    EXPECT_EQ(findingIn(mode, load + fence + opcode + commit + cut +
                                  "mov.b32 %r10, 0;\n" + wait + store),
              "wgmma-register-in-flight");
  }
}

// PTX ISA, "wgmma.wait_group": "Accessing the accumulator register [...]
// without first performing a wgmma.wait_group instruction that waits on a
// wgmma-group including that wgmma.mma_async instruction is undefined".
TEST(Wgmma, AccumulatorsInFlightAreFound) {
  for (Asynchrony mode : modes) {
    EXPECT_EQ(findingIn(mode, fence + multiply + commit + cut + store + wait),
              "wgmma-register-in-flight");
    // A group that is not committed is not waited for.
    EXPECT_EQ(findingIn(mode, fence + multiply + wait + store + commit + wait),
              "wgmma-register-in-flight");
    // The newest group may still be pending.
    EXPECT_EQ(findingIn(mode, fence + multiply + commit +
                                  "wgmma.wait_group.sync.aligned 1;\n" + store +
                                  wait),
              "wgmma-register-in-flight");
    EXPECT_EQ(findingIn(mode, fence + multiply + commit + meet),
              "in-flight-at-exit");
  }
}

// gpu.md, 9b: in one basic block the assembler waits by itself.
TEST(Wgmma, TheAssemblerDrains) {
  for (Asynchrony mode : modes) {
    std::string body = fence + multiply + commit + store + wait;
    expectMatmul(runIn(mode, body), matrices());
    EXPECT_EQ(findingIn(mode, body, false), "wgmma-register-in-flight");
    // Not without a commit_group before the access and a wait_group for it in
    // the block.
    for (const std::string &other :
         {fence + multiply + store + commit + wait,
          fence + multiply + commit + store,
          fence + multiply + commit + store + cut + wait,
          fence + multiply + commit + store +
              "wgmma.wait_group.sync.aligned 1;\n" + cut + wait}) {
      EXPECT_EQ(findingIn(mode, other), "wgmma-register-in-flight") << other;
    }
    expectMatmul(runIn(mode, fence + multiply + commit + store + commit +
                                 "wgmma.wait_group.sync.aligned 1;\n"),
                 matrices());
  }
}

// PTX ISA, "wgmma.fence".
TEST(Wgmma, MissingFencesAreFound) {
  std::string touch = "add.f32 %f0, %f0, %f0;\n";
  std::string wide = multiply;
  wide.replace(wide.find("m64n8k16"), 8, "m64n16k16");
  wide.replace(wide.find("%f3}"), 4, "%f3, %f4, %f5, %f6, %f7}");
  for (Asynchrony mode : modes) {
    EXPECT_EQ(findingIn(mode, multiply + commit + wait + store),
              "missing-wgmma-fence");
    EXPECT_EQ(findingIn(mode, fence + touch + multiply + commit + wait + store),
              "missing-wgmma-fence");
    EXPECT_EQ(findingIn(mode, fence + multiply + wide + commit + wait + store),
              "missing-wgmma-fence");
    EXPECT_EQ(findingIn(mode, touch + fence + multiply + commit + wait + touch +
                                  fence + multiply + commit + wait + store),
              "");
  }
}

// "all threads in the warpgroup must execute the same wgmma.mma_async
// instruction"
TEST(Wgmma, WarpsThatPartAreFound) {
  for (Asynchrony mode : modes) {
    EXPECT_EQ(findingIn(mode, "setp.lt.u32 %p1, %lane, 32;\n" + fence +
                                  "@%p1 " + multiply + "@!%p1 " + multiply +
                                  commit + wait + store),
              "parted-warpgroup");
    EXPECT_EQ(findingIn(mode, "and.b32 %r30, %lane, 96; cvt.u64.u32 %l0, %r30;"
                              "xor.b64 %l3, %l3, %l0;\n" +
                                  fence + multiply + commit + wait + store),
              "differing-descriptors");
    EXPECT_EQ(findingIn(mode, "setp.lt.u32 %p1, %lane, 32;\n" + fence +
                                  "@%p1 " + multiply + commit + meet),
              "parted-warpgroup");
  }
  EXPECT_EQ(finding(prepare + fence + multiply, matrices(), threads(96)),
            "incomplete-warpgroup");
}

// In late mode operands are read when something waits for the wgmma: what is
// overwritten too early spoils it.
TEST(Wgmma, LateMatmulsReadLate) {
  std::string body = fence + multiply + commit + meet +
                     "mov.u32 %r31, sv; mov.b32 %r30, 0x40004000;"
                     "st.shared.b32 [%r31], %r30;\n" +
                     wait + store;
  expectMatmul(runIn(Asynchrony::early, body), matrices());
  std::vector<uint32_t> spoilt = matrices();
  spoilt[0] = 0x40004000;
  expectMatmul(runIn(Asynchrony::late, body), spoilt);
}

TEST(Wgmma, OperandsMustBeWritten) {
  std::string body =
      "mov.b64 %l3, 0x0000000800083fff;\n" + fence + multiply + commit + wait;
  EXPECT_EQ(findingIn(Asynchrony::early, body), "out-of-bounds");
}

TEST(Wgmma, FormsAreThoseOfTheAssembler) {
  const std::string start = "wgmma.mma_async.sync.aligned.";
  auto form = [&](const std::string &types, int registers,
                  const std::string &tail) {
    std::string text = start + types + " {";
    for (int i = 0; i < registers; ++i) {
      text += (i ? ", %r" : "%r") + std::to_string(i);
    }
    return refusal(text + "}, %l0, %l1, " + tail + ";");
  };
  EXPECT_EQ(form("m64n8k16.f32.bf16.bf16", 4, "%p0, 1, 1, 0, 0"), "");
  EXPECT_EQ(form("m64n8k16.f32.bf16.bf16", 4, "!%p0, 1, -1, 1, 0"), "");
  EXPECT_EQ(form("m64n40k16.f16.f16.f16", 10, "1, 1, 1, 0, 0"), "");
  EXPECT_EQ(form("m64n8k8.f32.tf32.tf32", 4, "%p0, 1, -1"), "");
  EXPECT_EQ(form("m64n8k32.f16.e4m3.e5m2", 2, "%p0, 1, -1"), "");
  EXPECT_EQ(form("m64n24k32.satfinite.s32.s8.u8", 12, "%p0"), "");
  EXPECT_EQ(form("m64n8k256.s32.b1.b1.and.popc", 4, "%p0"), "");
  using testing::HasSubstr;
  EXPECT_THAT(form("m64n8k16.f32.bf16.bf16", 4, "%p0, 1, 1"),
              HasSubstr("operands"));
  EXPECT_THAT(form("m64n8k16.f32.bf16.bf16", 4, "%p0, 2, 1, 0, 0"),
              HasSubstr("1 or -1"));
  EXPECT_THAT(form("m64n8k8.f32.tf32.tf32", 4, "%p0, 1, 1, 0, 0"),
              HasSubstr("operands"));
  EXPECT_THAT(form("m64n8k16.f16.bf16.bf16", 2, "%p0, 1, 1, 0, 0"),
              HasSubstr("types together"));
  EXPECT_THAT(form("m64n40k32.s32.s8.u8", 20, "%p0"),
              HasSubstr("no shape 'm64n40k32'"));
  EXPECT_THAT(form("m64n12k16.f32.f16.f16", 6, "%p0, 1, 1, 0, 0"),
              HasSubstr("no shape"));
  EXPECT_THAT(form("m64n8k256.s32.b1.b1.xor.popc", 4, "%p0"), HasSubstr("and"));
  EXPECT_THAT(form("m64n16k16.f32.f16.f16", 4, "%p0, 1, 1, 0, 0"),
              HasSubstr("D must have 8 registers"));
  expectRefused({
      {"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f0,%f1,%f2,%f3},"
       " %l0, %l1, %r0, 0, %p0, 1, 1, 0, 0;",
       "wgmma of a sparse matrix is not modelled"},
      {"wgmma.wait_group.sync.aligned %r0;", "no integer constant"},
      {"wgmma.fence.aligned;", "sync"},
  });
  expectRefused({{"wgmma.fence.sync.aligned;", "sm_90a"}}, 80);
}

} // namespace
