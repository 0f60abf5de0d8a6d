//===- MmaTest.cpp - mma.sync against the ISA's text ----------------------===//
#include "AllSets.h"
#include "Support/Forms.h"
#include "TensorCore/Fragments.h"
#include "TensorCore/Numbers.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

namespace {

/// "{%r0, %r1}" of `count` registers from `first` on.
std::string vector(int first, int count, const char *name = "%r") {
  std::string text = "{";
  for (int i = 0; i < count; ++i) {
    text += (i ? ", " : "") + (name + std::to_string(first + i));
  }
  return text + "}";
}

/// Loads all operands, register by register of 32 lanes, executes `opcode` and
/// stores D.
std::vector<uint32_t> product(const std::string &opcode, int a, int b, int c,
                              int d, const std::vector<uint32_t> &operands) {
  std::string body;
  for (int i = 0; i < a + b + c; ++i) {
    body += "ld.global.b32 %r" + std::to_string(i) + ", [%inl + " +
            std::to_string(128 * i) + "];\n";
  }
  body += opcode + " " + vector(20, d) + ", " + vector(0, a) + ", " +
          vector(a, b) + ", " + vector(a + b, c) + ";\n";
  for (int i = 0; i < d; ++i) {
    body += "st.global.b32 [%outl + " + std::to_string(128 * i) + "], %r" +
            std::to_string(20 + i) + ";\n";
  }
  return runOnAllSets(body, operands, size_t(d) * 32);
}

struct Form {
  const char *shape;
  int rows, depth;
  const char *a, *b, *sum;
  const char *tail = "";
};

const Form forms[] = {
    {"m16n8k8", 16, 8, "f16", "f16", "f32"},
    {"m16n8k16", 16, 16, "f16", "f16", "f32"},
    {"m16n8k8", 16, 8, "f16", "f16", "f16"},
    {"m16n8k16", 16, 16, "f16", "f16", "f16"},
    {"m16n8k8", 16, 8, "bf16", "bf16", "f32"},
    {"m16n8k16", 16, 16, "bf16", "bf16", "f32"},
    {"m16n8k4", 16, 4, "tf32", "tf32", "f32"},
    {"m16n8k8", 16, 8, "tf32", "tf32", "f32"},
    {"m16n8k16", 16, 16, "e4m3", "e5m2", "f32"},
    {"m16n8k32", 16, 32, "e5m2", "e4m3", "f32"},
    {"m16n8k32", 16, 32, "e4m3", "e4m3", "f16"},
    {"m8n8k16", 8, 16, "s8", "u8", "s32"},
    {"m16n8k16", 16, 16, "u8", "s8", "s32"},
    {"m16n8k32", 16, 32, "s8", "s8", "s32"},
    {"m16n8k32", 16, 32, "u8", "u8", "s32", ".satfinite"},
    {"m16n8k32", 16, 32, "s8", "s8", "s32", ".satfinite"},
    {"m8n8k32", 8, 32, "s4", "u4", "s32"},
    {"m16n8k32", 16, 32, "u4", "u4", "s32"},
    {"m16n8k64", 16, 64, "s4", "s4", "s32"},
    {"m8n8k128", 8, 128, "b1", "b1", "s32", ".xor.popc"},
    {"m16n8k128", 16, 128, "b1", "b1", "s32", ".and.popc"},
    {"m16n8k256", 16, 256, "b1", "b1", "s32", ".xor.popc"},
};

int bitsOfElement(std::string_view type) {
  return type == "b1"                      ? 1
         : type == "s4" || type == "u4"    ? 4
         : type == "f16" || type == "bf16" ? 16
         : type == "tf32"                  ? 32
                                           : 8;
}

float valueOf(std::string_view type, uint32_t bits) {
  if (type == "f16") {
    return fromF16(uint16_t(bits));
  }
  if (type == "bf16") {
    return fromBf16(uint16_t(bits));
  }
  if (type == "tf32") {
    return fromTf32(bits);
  }
  if (type == "e4m3") {
    return fromE4m3(uint8_t(bits));
  }
  if (type == "e5m2") {
    return fromE5m2(uint8_t(bits));
  }
  if (type == "s8") {
    return float(int8_t(bits));
  }
  return type == "s4" ? float(int(bits ^ 8) - 8) : float(bits);
}

/// D of one element by the ISA's text, with the order of Tile.h.
uint32_t expected(const Form &form, const std::vector<uint32_t> &a,
                  const std::vector<uint32_t> &b, uint32_t c) {
  std::string_view sumType = form.sum, tail = form.tail;
  if (sumType == "s32") {
    int64_t sum = int32_t(c);
    for (int k = 0; k < form.depth; ++k) {
      int64_t x = int64_t(valueOf(form.a, a[k]));
      int64_t y = int64_t(valueOf(form.b, b[k]));
      sum += tail == ".xor.popc" ? x ^ y : x * y;
    }
    if (tail == ".satfinite") {
      sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
    }
    return uint32_t(sum);
  }
  float sum = sumType == "f16" ? fromF16(uint16_t(c)) : floatOf(c);
  for (int k = 0; k < form.depth; ++k) {
    sum = std::fma(valueOf(form.a, a[k]), valueOf(form.b, b[k]), sum);
  }
  if (sumType == "f16") {
    return toF16(sum);
  }
  return std::isnan(sum) ? canonicalNan : bitsOf(sum);
}

void check(const Form &form, bool tame, std::mt19937 &random) {
  int width = bitsOfElement(form.a), packed = 32 / width;
  bool half = std::string_view(form.sum) == "f16";
  int registersOfB = form.depth / (4 * packed);
  int registersOfA = registersOfB * form.rows / 8;
  int sums = form.rows / (half ? 8 : 4);
  std::vector<uint32_t> operands(size_t(registersOfA + registersOfB + sums) *
                                 32);
  for (uint32_t &word : operands) {
    word = random();
    // Exponents near that of one in most formats.
    word = tame && width > 4 ? word & 0x83838383 : word;
    word |= tame && (width == 16 || half) ? 0x38003800 : 0;
  }
  auto element = [&](int first, int reg, int lane, int e, int bits) {
    uint32_t word = operands[size_t(first + reg) * 32 + lane];
    return bits == 32 ? word : word >> (bits * e) & ((1u << bits) - 1);
  };
  std::vector<std::vector<uint32_t>> a(form.rows), b(8);
  for (auto *matrix : {&a, &b}) {
    for (auto &row : *matrix) {
      row.resize(form.depth);
    }
  }
  for (int lane = 0; lane < 32; ++lane) {
    for (int e = 0; e < packed; ++e) {
      for (int i = 0; i < registersOfA; ++i) {
        Position at = elementOfA(form.rows, packed, lane, i, e);
        a[at.row][at.column] = element(0, i, lane, e, width);
      }
      for (int i = 0; i < registersOfB; ++i) {
        Position at = elementOfB(packed, lane, i, e);
        b[at.column][at.row] = element(registersOfA, i, lane, e, width);
      }
    }
  }
  std::string opcode = std::string("mma.sync.aligned.") + form.shape +
                       ".row.col." + form.sum + "." + form.a + "." + form.b +
                       "." + form.sum + form.tail;
  std::vector<uint32_t> d =
      product(opcode, registersOfA, registersOfB, sums, sums, operands);
  for (int lane = 0; lane < 32; ++lane) {
    for (int number = 0; number < form.rows / 4; ++number) {
      int reg = half ? number / 2 : number, e = half ? number % 2 : 0;
      int bits = half ? 16 : 32;
      Position at = accumulator(lane, number);
      uint32_t c = element(registersOfA + registersOfB, reg, lane, e, bits);
      uint32_t got = d[size_t(reg) * 32 + lane] >> (16 * e);
      ASSERT_EQ(half ? got & 0xffff : got,
                expected(form, a[at.row], b[at.column], c))
          << opcode << ", row " << at.row << ", column " << at.column;
    }
  }
}

// PTX ISA, "Multiply-and-Accumulate Instruction: mma", with fragments of the
// sections "Matrix Fragments for mma.…".
TEST(Mma, AllShapesAndTypes) {
  std::mt19937 random(3);
  for (const Form &form : forms) {
    for (int i = 0; i < 4; ++i) {
      check(form, i > 0, random);
    }
  }
}

// "the accumulated value is limited to the range MIN_INT32..MAX_INT32", "If
// .satfinite is not specified, the accumulated value is wrapped instead."
TEST(Mma, IntegersAreHeldOrWrapped) {
  std::vector<uint32_t> operands(32 * 10);
  std::fill(operands.begin(), operands.begin() + 32 * 6, 0x01010101);
  std::fill(operands.begin() + 32 * 6, operands.end(), 0x7ffffff0);
  std::string opcode = "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32";
  EXPECT_EQ(product(opcode, 4, 2, 4, 4, operands)[0], 0x80000010u);
  EXPECT_EQ(product(opcode + ".satfinite", 4, 2, 4, 4, operands)[0],
            0x7fffffffu);
}

// "Precision of the element-wise multiplication and addition operation is
// identical to that of .f64 precision fused multiply-add."
TEST(Mma, Doubles) {
  const struct {
    const char *shape;
    int rows, depth;
  } shapes[] = {{"m8n8k4", 8, 4},
                {"m16n8k4", 16, 4},
                {"m16n8k8", 16, 8},
                {"m16n8k16", 16, 16}};
  std::mt19937 random(4);
  for (const auto &shape : shapes) {
    int b = shape.depth / 4, a = b * shape.rows / 8, c = shape.rows / 4;
    std::vector<double> operands(size_t(a + b + c) * 32);
    for (double &value : operands) {
      value = std::ldexp(int(random()), -int(random() % 40));
    }
    std::vector<uint32_t> words(operands.size() * 2);
    std::memcpy(words.data(), operands.data(), words.size() * 4);
    std::string body = "shl.b64 %l9, %by4, 1; add.s64 %l10, %in, %l9;"
                       "add.s64 %l11, %out, %l9;\n.reg .f64 %w<40>;\n";
    for (int i = 0; i < a + b + c; ++i) {
      body += "ld.global.f64 %w" + std::to_string(i) + ", [%l10 + " +
              std::to_string(256 * i) + "];\n";
    }
    body += std::string("mma.sync.aligned.") + shape.shape +
            ".row.col.f64.f64.f64.f64 " + vector(30, c, "%w") + ", " +
            vector(0, a, "%w") + ", " + vector(a, b, "%w") + ", " +
            vector(a + b, c, "%w") + ";\n";
    for (int i = 0; i < c; ++i) {
      body += "st.global.f64 [%l11 + " + std::to_string(256 * i) + "], %w" +
              std::to_string(30 + i) + ";\n";
    }
    std::vector<uint32_t> out = run(body, words, size_t(c) * 64);
    std::vector<double> left(16 * 16), right(16 * 8);
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < a; ++i) {
        Position at = elementOfA(shape.rows, 1, lane, i, 0);
        left[at.row * 16 + at.column] = operands[size_t(i) * 32 + lane];
      }
      for (int i = 0; i < b; ++i) {
        Position at = elementOfB(1, lane, i, 0);
        right[at.row * 8 + at.column] = operands[size_t(a + i) * 32 + lane];
      }
    }
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < c; ++i) {
        Position at = accumulator(lane, i);
        double sum = operands[size_t(a + b + i) * 32 + lane];
        for (int k = 0; k < shape.depth; ++k) {
          sum = std::fma(left[at.row * 16 + k], right[k * 8 + at.column], sum);
        }
        double got;
        std::memcpy(&got, &out[(size_t(i) * 32 + lane) * 2], 8);
        ASSERT_EQ(got, sum) << shape.shape;
      }
    }
  }
}

// PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type":
// "will compute 4 MMA operations of shape .m8n8k4".
TEST(Mma, FourMatmulsOfQuads) {
  std::mt19937 random(5);
  for (int kind = 0; kind < 12; ++kind) {
    bool rowA = kind & 1, rowB = kind & 2;
    bool halfC = kind / 4 != 0, halfD = kind / 4 == 2;
    int c = halfC ? 4 : 8, d = halfD ? 4 : 8;
    std::vector<uint32_t> operands(size_t(4 + c) * 32);
    for (size_t i = 0; i < operands.size(); ++i) {
      bool isSingle = i >= 4 * 32 && !halfC;
      operands[i] = isSingle ? bitsOf(float(int(random() % 64) - 32))
                             : (random() & 0x83ff83ff) | 0x38003800;
    }
    auto half = [&](int first, int lane, int i) {
      return fromF16(uint16_t(operands[size_t(first + i / 2) * 32 + lane] >>
                              16 * (i % 2)));
    };
    std::string opcode = std::string("mma.sync.aligned.m8n8k4.") +
                         (rowA ? "row." : "col.") + (rowB ? "row." : "col.") +
                         (halfD ? "f16" : "f32") + ".f16.f16." +
                         (halfC ? "f16" : "f32");
    std::vector<uint32_t> out = product(opcode, 2, 2, c, d, operands);
    float left[4][8][4], right[4][4][8], sums[4][8][8];
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < 4; ++i) {
        Position at = quadElementOfA(rowA, lane, i);
        left[quadMatmul(lane)][at.row][at.column] = half(0, lane, i);
        at = quadElementOfB(rowB, lane, i);
        right[quadMatmul(lane)][at.row][at.column] = half(2, lane, i);
      }
      for (int i = 0; i < 8; ++i) {
        Position at = quadAccumulator(halfC, lane, i);
        sums[quadMatmul(lane)][at.row][at.column] =
            halfC ? half(4, lane, i)
                  : floatOf(operands[size_t(4 + i) * 32 + lane]);
      }
    }
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < 8; ++i) {
        Position at = quadAccumulator(halfD, lane, i);
        int n = quadMatmul(lane);
        float sum = sums[n][at.row][at.column];
        for (int k = 0; k < 4; ++k) {
          sum = std::fma(left[n][at.row][k], right[n][k][at.column], sum);
        }
        uint32_t got = halfD ? out[size_t(i / 2) * 32 + lane] >> 16 * (i % 2)
                             : out[size_t(i) * 32 + lane];
        ASSERT_EQ(halfD ? got & 0xffff : got,
                  halfD ? uint32_t(toF16(sum)) : bitsOf(sum))
            << opcode;
      }
    }
  }
}

// "The behavior of mma instruction is undefined [...] if any thread in the warp
// has exited."
TEST(Mma, NeedsAWholeWarp) {
  RunOptions half;
  half.block = {16, 1, 1};
  EXPECT_EQ(finding("mov.b32 %r0, 0; mma.sync.aligned.m8n8k16.row.col.s32.s8"
                    ".s8.s32 {%r1, %r2}, {%r0}, {%r0}, {%r0, %r0};",
                    {}, half),
            "incomplete-warp");
}

TEST(Mma, FormsAreThoseOfTheAssembler) {
  expectTaken({
      "mma.sync.aligned.row.col.m16n8k16.f32.bf16.bf16.f32 "
      "{%f0,%f1,%f2,%f3},{%r0,%r1,%r2,%r3},{%r4,%r5},{%f0,%f1,%f2,%f3};",
      "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.u8.s32 "
      "{%r0,%r1,%r2,%r3},{%r4,%r5},{%r6},{%r7,%r8,%r9,%r10};",
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f0,%f1,%f2,%f3},"
      "{%r0,%r1,%r2,%r3},{%r4,%r5},{0f00000000,0f00000000,%f2,%f3};",
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64.rn {%d0,%d1,%d2,%d3},"
      "{%d0,%d1,%d2,%d3},{%d4,%d5},{%d0,%d1,%d2,%d3};",
  });
  expectRefused({
      {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f32 {%r0,%r1},"
       "{%r0,%r1,%r2,%r3},{%r4,%r5},{%f0,%f1,%f2,%f3};",
       "cannot have these types"},
      {"mma.sync.aligned.m16n8k32.row.col.s32.s4.s8.s32 {%r0,%r1,%r2,%r3},"
       "{%r0,%r1,%r2,%r3},{%r4,%r5},{%r0,%r1,%r2,%r3};",
       "cannot have these types"},
      {"mma.sync.aligned.m16n8k16.row.row.f32.bf16.bf16.f32 {%f0,%f1,%f2,%f3},"
       "{%r0,%r1,%r2,%r3},{%r4,%r5},{%f0,%f1,%f2,%f3};",
       ".row.col alone"},
      {"mma.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32 {%f0,%f1,%f2,%f3},"
       "{%r0,%r1,%r2,%r3},{%r4,%r5},{%f0,%f1,%f2,%f3};",
       "no shape 'm16n8k32'"},
      {"mma.m16n8k16.row.col.f32.bf16.bf16.f32 {%f0,%f1,%f2,%f3},"
       "{%r0,%r1,%r2,%r3},{%r4,%r5},{%f0,%f1,%f2,%f3};",
       "sync"},
      {"mma.sync.aligned.m16n8k256.row.col.satfinite.s32.b1.b1.s32.xor.popc "
       "{%r0,%r1,%r2,%r3},{%r0,%r1,%r2,%r3},{%r4,%r5},{%r0,%r1,%r2,%r3};",
       "satfinite"},
      {"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3},"
       "{%r0,%r1},{%r4,%r5},{%f0,%f1,%f2,%f3}, %r6, 0;",
       "mma of sparse matrices is not modelled"},
      {"mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64.rz {%d0,%d1,%d2,%d3},"
       "{%d0,%d1,%d2,%d3},{%d4,%d5},{%d0,%d1,%d2,%d3};",
       "not modelled"},
      {"wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r0}, [%in];",
       "wmma is not modelled"},
  });
  expectRefused({{"mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e5m2.f32 "
                  "{%f0,%f1,%f2,%f3},{%r0,%r1},{%r4},{%f0,%f1,%f2,%f3};",
                  "sm_89"}},
                80);
}

} // namespace
