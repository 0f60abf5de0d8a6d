// quantize_entries, compiled: every operation is rounded as the definition
// says, so bit for bit.
#include "cheems/Reference/QuantizeEntries.h"
#include "Cases.h"
#include "ModuleText.h"
#include <limits>

using namespace cheems::test;
using cheems::reference::QuantizedEntries;
using cheems::reference::quantizeEntries;
using cheems::reference::Tensor;

namespace {
class QuantizeEntriesTest : public KernelTest {};
CHEEMS_EVERY_MODE(QuantizeEntriesTest);

constexpr int64_t kSizes[] = {1, 2, 7, 8, 16, 33, 64, 100, 128};
constexpr int64_t kSizeCount = std::size(kSizes);

std::string nameOf(int64_t size) { return "quantize_P" + std::to_string(size); }

std::string textOf(int64_t size) {
  std::string row = "?x" + std::to_string(size),
              results = "tensor<" + row + "xi8>, tensor<?xf32>";
  return FunctionText(nameOf(size))
      .input("x", row + "xf32")
      .output("c", row + "xi8")
      .output("s", "?xf32")
      .line("%r:2 = cheems.quantize_entries ins(%x : tensor<" + row +
            "xf32>) outs(%c, %s : " + results + ") -> " + results)
      .store("%r#0", "c", row + "xi8")
      .store("%r#1", "s", "?xf32")
      .text();
}

std::unique_ptr<CompiledModule> compiled(Mode mode) {
  std::string text;
  for (int64_t size : kSizes) {
    text += textOf(size);
  }
  return CompiledModule::compile(text, mode);
}

/// Rows of usual numbers, of great and small ones, zeros, numbers in the middle
/// between two quantized values, and such about the least that count.
Tensor rowsOf(Random &random, int64_t rows, int64_t size) {
  Tensor x = random.tensor({rows, size}, -2, 2);
  for (int64_t t = 0; t < rows; ++t) {
    int64_t way = random.between(0, 7);
    for (int64_t p = 0; p < size; ++p) {
      double &value = x(t, p);
      if (way == 0) {
        value = std::ldexp(value, 125);
      } else if (way == 1) {
        value = std::ldexp(value, -101);
      } else if (way == 2) {
        value =
            p == 0 ? 127 : static_cast<double>(random.between(-253, 253)) / 2;
      } else if (way == 3) {
        value = std::copysign(0.0, value);
      } else if (way == 4) {
        value = rounded(std::ldexp(value, -random.between(0, 140) * (p % 2)),
                        Element::F32);
      }
    }
  }
  return x;
}

TEST_P(QuantizeEntriesTest, CodesAndScalesAreThoseOfTheEvaluator) {
  auto module = compiled(GetParam());
  ASSERT_NE(module, nullptr);
  Random random(19);
  for (int64_t i = 0; i < caseCount(); ++i) {
    int64_t size = kSizes[i % kSizeCount], rows = random.rows();
    SCOPED_TRACE(std::to_string(rows) + " rows of " + std::to_string(size));
    Tensor x = rowsOf(random, rows, size);
    Buffer in(Element::F32, x), codes(Element::I8, {rows, size}),
        scales(Element::F32, {rows});
    module->call(nameOf(size), rows, {&in, &codes, &scales});
    QuantizedEntries want = quantizeEntries(x);
    EXPECT_EQ(codes.bytes(), Buffer(Element::I8, want.codes).bytes());
    EXPECT_EQ(scales.bytes(), Buffer(Element::F32, want.scales).bytes());
  }
}

TEST_P(QuantizeEntriesTest, WhatIsNoNumberStaysNone) {
  auto module = compiled(GetParam());
  ASSERT_NE(module, nullptr);
  Random random(20);
  for (int64_t size : kSizes) {
    for (double special : {std::numeric_limits<double>::quiet_NaN(),
                           -std::numeric_limits<double>::infinity()}) {
      Tensor x = random.tensor({3, size}, -2, 2);
      x(1, random.between(0, size - 1)) = special;
      Buffer in(Element::F32, x), codes(Element::I8, {3, size}),
          scales(Element::F32, {3});
      module->call(nameOf(size), 3, {&in, &codes, &scales});
      EXPECT_TRUE(std::isfinite(scales.get(0)) && std::isfinite(scales.get(2)));
      EXPECT_FALSE(std::isfinite(scales.get(1)));
    }
  }
}
} // namespace
