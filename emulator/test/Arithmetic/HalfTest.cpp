//===- HalfTest.cpp - f16 and bf16 from the ISA's text --------------------===//
#include "LaneRun.h"
#include "Numbers.h"

using namespace cheems::emulator::test;

namespace {

struct Kind {
  const char *name;
  const SmallFormat &format;
  std::vector<uint64_t> special;
  bool isHalf;
};
std::vector<Kind> kinds() {
  return {{"f16", halfFormat(), specialHalves(), true},
          {"bf16", bfloatFormat(), specialBFloats(), false}};
}

uint64_t flush(const SmallFormat &format, uint64_t code) {
  return (code & 0x7fff) >> format.fractionBits ? code : code & 0x8000;
}

/// An operation on the numbers of two or three codes.
using Operation = std::function<Precise(const std::vector<double> &)>;
struct Modifiers {
  bool flushes = false, saturates = false, clamps = false;
};

uint64_t apply(const SmallFormat &format, const Operation &operation,
               Modifiers modifiers, const Row &codes) {
  std::vector<double> values;
  for (uint64_t code : codes) {
    code &= 0xffff;
    values.push_back(
        format.value(modifiers.flushes ? flush(format, code) : code));
  }
  uint64_t code = format.round(operation(values), Mode::nearest);
  code = modifiers.flushes ? flush(format, code) : code;
  double value = format.value(code);
  if (modifiers.saturates) {
    uint64_t one = uint64_t((1 << (format.exponentBits - 1)) - 1)
                   << format.fractionBits;
    return value > 0 ? std::min(code, one) : 0;
  }
  return modifiers.clamps && value <= 0 ? 0 : code;
}

void expectHalf(const Kind &kind, const std::string &opcode, int operands,
                const Operation &operation, Modifiers modifiers) {
  const char *lists[] = {"", " %d, %a;", " %d, %a, %b;", " %d, %a, %b, %c;"};
  std::string head = opcode + (modifiers.flushes ? ".ftz" : "") +
                     (modifiers.saturates ? ".sat" : "") +
                     (modifiers.clamps ? ".relu" : "") + "." + kind.name;
  auto special = kind.special;
  if (operands == 3) {
    special.resize(18);
  }
  auto rows = combine(std::vector(operands, special), 4000);
  expectEach({head + lists[operands], 16, std::vector(operands, 16)}, rows,
             [&](const Row &row) {
               return apply(kind.format, operation, modifiers, row);
             });
  expectEach(
      {head + "x2" + lists[operands], 32, std::vector(operands, 32)},
      combine(std::vector<std::vector<uint64_t>>(operands, {0, 0x3c003f80}),
              2000),
      [&](const Row &row) {
        Row upper;
        for (uint64_t word : row) {
          upper.push_back(word >> 16 & 0xffff);
        }
        return apply(kind.format, operation, modifiers, row) |
               apply(kind.format, operation, modifiers, upper) << 16;
      });
}

/// Exact, because f64 has five times the bits of bf16; of bf16 the products of
/// which may be tiny beside the third number.
Precise multiplyAdd(const std::vector<double> &v) {
  return Precise::sum(v[0] * v[1], v[2]);
}

} // namespace

// PTX ISA, "Half Precision Floating Point Instructions: add", "sub", "mul"
TEST(HalfArithmetic, addSubAndMul) {
  for (const Kind &kind : kinds()) {
    for (int choice = 0; choice < (kind.isHalf ? 4 : 1); ++choice) {
      Modifiers modifiers = {bool(choice & 1), bool(choice & 2), false};
      expectHalf(
          kind, "add.rn", 2, [](auto &v) { return Precise::sum(v[0], v[1]); },
          modifiers);
      expectHalf(
          kind, "sub", 2, [](auto &v) { return Precise::sum(v[0], -v[1]); },
          modifiers);
      expectHalf(
          kind, "mul", 2, [](auto &v) { return Precise{v[0] * v[1], 0}; },
          modifiers);
    }
  }
}

// PTX ISA, "Half Precision Floating Point Instructions: fma": "with no loss of
// precision in the intermediate product and addition"
TEST(HalfArithmetic, fma) {
  for (const Kind &kind : kinds()) {
    for (bool flushes : {false, true}) {
      if (flushes && !kind.isHalf) {
        continue;
      }
      expectHalf(kind, "fma.rn", 3, multiplyAdd, {flushes, false, false});
      expectHalf(kind, "fma.rn", 3, multiplyAdd, {flushes, false, true});
      if (kind.isHalf) {
        expectHalf(kind, "fma.rn", 3, multiplyAdd, {flushes, true, false});
      }
    }
  }
}

// Products that lie halfway between two numbers, beside a third one that
// decides: rounding twice errs here.
TEST(HalfArithmetic, fmaOfTies) {
  for (const Kind &kind : kinds()) {
    const SmallFormat &format = kind.format;
    std::mt19937_64 engine(9);
    std::vector<Row> rows;
    while (rows.size() < 4000) {
      uint64_t a = engine() & 0x7fff, b = engine() & 0x7fff;
      double product = format.value(a) * format.value(b);
      if (!(product > format.numbers[1] && product < 1000)) {
        continue;
      }
      uint64_t code = format.round({product, 0}, Mode::zero);
      double middle = (format.numbers[code] + format.numbers[code + 1]) / 2;
      // c brings the sum next to the middle, if it has the bits.
      uint64_t c = format.round({middle - product, 0}, Mode::nearest);
      rows.push_back({a, b, c});
      rows.push_back({a, b, engine() % 64 | (engine() & 0x8000)});
    }
    expectEach({std::string("fma.rn.") + kind.name + " %d, %a, %b, %c;",
                16,
                {16, 16, 16}},
               rows, [&](const Row &row) {
                 return apply(format, multiplyAdd, {}, row);
               });
  }
}

// PTX ISA, "Half Precision Floating Point Instructions: neg" and "abs", of all
// codes. A NaN "yields an unspecified NaN": ours is 0x7fff.
TEST(HalfArithmetic, negAndAbs) {
  std::vector<Row> all;
  for (uint64_t code = 0; code < 0x10000; ++code) {
    all.push_back({code});
  }
  for (const Kind &kind : kinds()) {
    for (bool negates : {false, true}) {
      for (bool flushes : {false, true}) {
        if (flushes && !kind.isHalf) {
          continue;
        }
        expectEach({std::string(negates ? "neg" : "abs") +
                        (flushes ? ".ftz." : ".") + kind.name + " %d, %a;",
                    16,
                    {16}},
                   all, [&](const Row &row) -> uint64_t {
                     if (std::isnan(kind.format.value(row[0]))) {
                       return 0x7fff;
                     }
                     uint64_t code =
                         flushes ? flush(kind.format, row[0]) : row[0];
                     return negates ? code ^ 0x8000 : code & 0x7fff;
                   });
      }
    }
  }
}

// PTX ISA, "Half Precision Floating Point Instructions: min" and "max"
TEST(HalfArithmetic, minAndMax) {
  for (const Kind &kind : kinds()) {
    const SmallFormat &format = kind.format;
    auto rows = combine({kind.special, kind.special}, 1000);
    for (int choice = 0; choice < 16; ++choice) {
      bool greatest = choice & 1, flushes = choice & 2, nan = choice & 4,
           xors = choice & 8;
      if (flushes && !kind.isHalf) {
        continue;
      }
      auto compute = [&](uint64_t a, uint64_t b) -> uint64_t {
        a &= 0xffff;
        b &= 0xffff;
        if (flushes) {
          a = flush(format, a);
          b = flush(format, b);
        }
        uint64_t sign = (a ^ b) & 0x8000;
        if (xors) {
          a &= 0x7fff;
          b &= 0x7fff;
        }
        double x = format.value(a), y = format.value(b);
        uint64_t d;
        if ((std::isnan(x) && std::isnan(y)) ||
            (nan && (std::isnan(x) || std::isnan(y)))) {
          return 0x7fff;
        }
        if (std::isnan(x)) {
          d = b;
        } else if (std::isnan(y)) {
          d = a;
        } else if (x == 0 && y == 0) {
          d = greatest ? a & b : a | b; // +0.0 > -0.0
        } else {
          d = (x < y) != greatest ? a : b;
        }
        return xors ? (d & 0x7fff) | sign : d;
      };
      std::string head = std::string(greatest ? "max" : "min") +
                         (flushes ? ".ftz" : "") + (nan ? ".NaN" : "") +
                         (xors ? ".xorsign.abs" : "") + "." + kind.name;
      expectEach({head + " %d, %a, %b;", 16, {16, 16}}, rows,
                 [&](const Row &row) { return compute(row[0], row[1]); });
      expectEach({head + "x2 %d, %a, %b;", 32, {32, 32}}, rows,
                 [&](const Row &row) {
                   return compute(row[0], row[1]) |
                          compute(row[0] >> 16, row[1] >> 16) << 16;
                 });
    }
  }
}
