//===- IntegerTest.cpp - Integer arithmetic from the ISA's text -----------===//
#include "LaneRun.h"

using namespace cheems::emulator::test;

namespace {

using Wide = __int128;

/// The value of an operand of a type like "s32".
Wide valueOf(const std::string &type, uint64_t bits) {
  int width = std::stoi(type.substr(1));
  return type[0] == 's' ? Wide(asSigned(bits, width))
                        : Wide(lowBits(bits, width));
}
int widthOf(const std::string &type) { return std::stoi(type.substr(1)); }

const char *const types[] = {"u16", "s16", "u32", "s32", "u64", "s64"};

std::vector<Row> rows(int operands, int bits) {
  auto list = specialIntegers(bits);
  if (operands == 3) {
    list.resize(12);
  }
  return combine(std::vector(operands, list), 1000);
}

/// An instruction of each type, whose result has as many bits.
template <typename F>
void expectOfAll(const std::string &opcode, int operands, F compute) {
  for (std::string type : types) {
    int bits = widthOf(type);
    std::string list = operands == 1   ? " %d, %a;"
                       : operands == 2 ? " %d, %a, %b;"
                                       : " %d, %a, %b, %c;";
    expectEach({opcode + "." + type + list, bits, std::vector(operands, bits)},
               rows(operands, bits), [&](const Row &row) {
                 std::vector<Wide> values;
                 for (uint64_t value : row) {
                   values.push_back(valueOf(type, value));
                 }
                 return lowBits(static_cast<uint64_t>(compute(values, bits)),
                                bits);
               });
  }
}

Wide clamp(Wide value) {
  Wide most = 0x7fffffff, least = -most - 1;
  return value > most ? most : value < least ? least : value;
}

} // namespace

// PTX ISA, "Integer Arithmetic Instructions: add"
TEST(IntegerArithmetic, add) {
  expectOfAll("add", 2, [](auto v, int) { return v[0] + v[1]; });
  expectEach({"add.sat.s32 %d, %a, %b;", 32, {32, 32}}, rows(2, 32),
             [](const Row &row) {
               return lowBits(uint64_t(clamp(valueOf("s32", row[0]) +
                                             valueOf("s32", row[1]))),
                              32);
             });
  for (const char *type : {"u16x2", "s16x2"}) {
    expectEach({std::string("add.") + type + " %d, %a, %b;", 32, {32, 32}},
               rows(2, 32), [](const Row &row) {
                 return ((row[0] + row[1]) & 0xffff) |
                        (((row[0] >> 16) + (row[1] >> 16)) & 0xffff) << 16;
               });
  }
}

// PTX ISA, "Integer Arithmetic Instructions: sub"
TEST(IntegerArithmetic, sub) {
  expectOfAll("sub", 2, [](auto v, int) { return v[0] - v[1]; });
  expectEach({"sub.sat.s32 %d, %a, %b;", 32, {32, 32}}, rows(2, 32),
             [](const Row &row) {
               return lowBits(uint64_t(clamp(valueOf("s32", row[0]) -
                                             valueOf("s32", row[1]))),
                              32);
             });
}

// PTX ISA, "Integer Arithmetic Instructions: mul": d = t<n-1..0>, t<2n-1..n>
// or t.
TEST(IntegerArithmetic, mul) {
  expectOfAll("mul.lo", 2, [](auto v, int) {
    return Wide((unsigned __int128)v[0] * (unsigned __int128)v[1]);
  });
  expectOfAll("mul.hi", 2, [](auto v, int bits) {
    if (v[0] < 0 || v[1] < 0) {
      return v[0] * v[1] >> bits;
    }
    return Wide((unsigned __int128)v[0] * (unsigned __int128)v[1] >> bits);
  });
  for (std::string type : {"u16", "s16", "u32", "s32"}) {
    int bits = widthOf(type);
    expectEach({"mul.wide." + type + " %d, %a, %b;", 2 * bits, {bits, bits}},
               rows(2, bits), [&](const Row &row) {
                 return lowBits(
                     uint64_t(valueOf(type, row[0]) * valueOf(type, row[1])),
                     2 * bits);
               });
  }
}

// PTX ISA, "Integer Arithmetic Instructions: mad"
TEST(IntegerArithmetic, mad) {
  expectOfAll("mad.lo", 3, [](auto v, int) {
    return Wide((unsigned __int128)v[0] * (unsigned __int128)v[1] +
                (unsigned __int128)v[2]);
  });
  expectOfAll("mad.hi", 3, [](auto v, int bits) {
    if (v[0] < 0 || v[1] < 0) {
      return (v[0] * v[1] >> bits) + v[2];
    }
    return Wide((unsigned __int128)v[0] * (unsigned __int128)v[1] >> bits) +
           v[2];
  });
  expectEach(
      {"mad.hi.sat.s32 %d, %a, %b, %c;", 32, {32, 32, 32}}, rows(3, 32),
      [](const Row &row) {
        Wide high = valueOf("s32", row[0]) * valueOf("s32", row[1]) >> 32;
        return lowBits(uint64_t(clamp(high + valueOf("s32", row[2]))), 32);
      });
  for (std::string type : {"u16", "s16", "u32", "s32"}) {
    int bits = widthOf(type);
    auto list = specialIntegers(bits);
    list.resize(12);
    expectEach({"mad.wide." + type + " %d, %a, %b, %c;",
                2 * bits,
                {bits, bits, 2 * bits}},
               combine({list, list, specialIntegers(2 * bits)}, 1000),
               [&](const Row &row) {
                 return lowBits(
                     uint64_t(valueOf(type, row[0]) * valueOf(type, row[1]) +
                              Wide(row[2])),
                     2 * bits);
               });
  }
}

// PTX ISA, "Integer Arithmetic Instructions: mul24" and "mad24": t<47..16> or
// t<31..0> of the product of 24-bit values.
TEST(IntegerArithmetic, matmuls24) {
  for (bool isSigned : {false, true}) {
    auto value = [&](uint64_t bits) {
      return isSigned ? Wide(asSigned(bits, 24)) : Wide(lowBits(bits, 24));
    };
    std::string type = isSigned ? ".s32" : ".u32";
    expectEach({"mul24.lo" + type + " %d, %a, %b;", 32, {32, 32}}, rows(2, 32),
               [&](const Row &row) {
                 return lowBits(uint64_t(value(row[0]) * value(row[1])), 32);
               });
    expectEach({"mul24.hi" + type + " %d, %a, %b;", 32, {32, 32}}, rows(2, 32),
               [&](const Row &row) {
                 return lowBits(uint64_t(value(row[0]) * value(row[1]) >> 16),
                                32);
               });
    expectEach({"mad24.lo" + type + " %d, %a, %b, %c;", 32, {32, 32, 32}},
               rows(3, 32), [&](const Row &row) {
                 return lowBits(
                     uint64_t(value(row[0]) * value(row[1])) + row[2], 32);
               });
    expectEach({"mad24.hi" + type + " %d, %a, %b, %c;", 32, {32, 32, 32}},
               rows(3, 32), [&](const Row &row) {
                 return lowBits(uint64_t(value(row[0]) * value(row[1]) >> 16) +
                                    row[2],
                                32);
               });
  }
  expectEach(
      {"mad24.hi.sat.s32 %d, %a, %b, %c;", 32, {32, 32, 32}}, rows(3, 32),
      [](const Row &row) {
        Wide high = Wide(asSigned(row[0], 24)) * asSigned(row[1], 24) >> 16;
        return lowBits(uint64_t(clamp(high + valueOf("s32", row[2]))), 32);
      });
}

// PTX ISA, "Integer Arithmetic Instructions: sad"
TEST(IntegerArithmetic, sad) {
  expectOfAll("sad", 3, [](auto v, int) {
    return v[2] + (v[0] < v[1] ? v[1] - v[0] : v[0] - v[1]);
  });
}

// PTX ISA, "Integer Arithmetic Instructions: div" and "rem". By zero: all ones
// and the dividend, which is our choice.
TEST(IntegerArithmetic, divAndRem) {
  expectOfAll("div", 2,
              [](auto v, int) { return v[1] == 0 ? Wide(-1) : v[0] / v[1]; });
  expectOfAll("rem", 2,
              [](auto v, int) { return v[1] == 0 ? v[0] : v[0] % v[1]; });
}

// Quotients next to an integer, where a reciprocal could err.
TEST(IntegerArithmetic, divOfNearMultiples) {
  std::vector<Row> list;
  std::mt19937_64 engine(3);
  for (int i = 0; i < 20000; ++i) {
    uint64_t divisor = lowBits(engine(), 1 + int(engine() % 32)) | 1;
    uint64_t quotient = 0xffffffff / divisor;
    quotient -= engine() % 2 ? 0 : engine() % (quotient + 1);
    list.push_back({lowBits(quotient * divisor - engine() % 2, 32), divisor});
  }
  expectEach({"div.u32 %d, %a, %b;", 32, {32, 32}}, list,
             [](const Row &row) { return row[0] / row[1]; });
}

// PTX ISA, "Integer Arithmetic Instructions: abs" and "neg"
TEST(IntegerArithmetic, absAndNeg) {
  for (int bits : {16, 32, 64}) {
    std::string type = ".s" + std::to_string(bits);
    expectEach({"abs" + type + " %d, %a;", bits, {bits}}, rows(1, bits),
               [&](const Row &row) {
                 Wide value = asSigned(row[0], bits);
                 return lowBits(uint64_t(value < 0 ? -value : value), bits);
               });
    expectEach({"neg" + type + " %d, %a;", bits, {bits}}, rows(1, bits),
               [&](const Row &row) { return lowBits(0 - row[0], bits); });
  }
}

// PTX ISA, "Integer Arithmetic Instructions: min" and "max"
TEST(IntegerArithmetic, minAndMax) {
  expectOfAll("min", 2, [](auto v, int) { return v[0] < v[1] ? v[0] : v[1]; });
  expectOfAll("max", 2, [](auto v, int) { return v[0] > v[1] ? v[0] : v[1]; });
  for (bool most : {false, true}) {
    auto choose = [&](Wide a, Wide b) { return most == (a > b) ? a : b; };
    std::string opcode = most ? "max" : "min";
    expectEach({opcode + ".relu.s32 %d, %a, %b;", 32, {32, 32}}, rows(2, 32),
               [&](const Row &row) {
                 Wide chosen =
                     choose(valueOf("s32", row[0]), valueOf("s32", row[1]));
                 return uint64_t(chosen < 0 ? 0 : chosen);
               });
    for (std::string type : {"u16", "s16", "relu.s16"}) {
      std::string element = type.substr(type.size() - 3);
      bool clamps = type.size() > 3;
      expectEach({opcode + "." + type + "x2 %d, %a, %b;", 32, {32, 32}},
                 rows(2, 32), [&](const Row &row) {
                   uint64_t result = 0;
                   for (int shift : {0, 16}) {
                     Wide chosen = choose(valueOf(element, row[0] >> shift),
                                          valueOf(element, row[1] >> shift));
                     chosen = clamps && chosen < 0 ? 0 : chosen;
                     result |= lowBits(uint64_t(chosen), 16) << shift;
                   }
                   return result;
                 });
    }
  }
}

// PTX ISA, "Integer Arithmetic Instructions: dp4a" and "dp2a"
TEST(IntegerArithmetic, dotProducts) {
  for (bool aIsSigned : {false, true}) {
    for (bool bIsSigned : {false, true}) {
      auto part = [](uint64_t word, int bits, int index, bool isSigned) {
        uint64_t field = lowBits(word >> bits * index, bits);
        return isSigned ? asSigned(field, bits) : int64_t(field);
      };
      std::string suffix = std::string(aIsSigned ? ".s32" : ".u32") +
                           (bIsSigned ? ".s32" : ".u32") + " %d, %a, %b, %c;";
      expectEach({"dp4a" + suffix, 32, {32, 32, 32}}, rows(3, 32),
                 [&](const Row &row) {
                   int64_t sum = int64_t(row[2]);
                   for (int i = 0; i < 4; ++i) {
                     sum += part(row[0], 8, i, aIsSigned) *
                            part(row[1], 8, i, bIsSigned);
                   }
                   return lowBits(uint64_t(sum), 32);
                 });
      for (bool high : {false, true}) {
        expectEach({(high ? "dp2a.hi" : "dp2a.lo") + suffix, 32, {32, 32, 32}},
                   rows(3, 32), [&](const Row &row) {
                     int64_t sum = int64_t(row[2]);
                     for (int i = 0; i < 2; ++i) {
                       sum += part(row[0], 16, i, aIsSigned) *
                              part(row[1], 8, i + 2 * high, bIsSigned);
                     }
                     return lowBits(uint64_t(sum), 32);
                   });
      }
    }
  }
}
