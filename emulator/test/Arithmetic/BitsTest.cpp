//===- BitsTest.cpp - Bit fields, logic and shifts from the ISA's text ----===//
#include "LaneRun.h"

#include <cstdlib>

using namespace cheems::emulator::test;

namespace {

bool bit(uint64_t value, int64_t index) { return value >> index & 1; }

/// Positions and lengths, also beyond the width.
const std::vector<uint64_t> amounts = {
    0, 1, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 255, 256, 257, 0xffffffff,
};

std::vector<Row> withAmounts(int bits, int count) {
  std::vector<std::vector<uint64_t>> lists = {specialIntegers(bits)};
  for (int i = 0; i < count; ++i) {
    lists.push_back(amounts);
  }
  return combine(lists, 500);
}

} // namespace

// PTX ISA, "Integer Arithmetic Instructions: popc", "clz" and "brev"
TEST(BitFields, countsAndReversals) {
  for (int bits : {32, 64}) {
    std::string suffix = ".b" + std::to_string(bits) + " %d, %a;";
    auto rows = combine({specialIntegers(bits)}, 1000);
    expectEach({"popc" + suffix, 32, {bits}}, rows, [&](const Row &row) {
      uint64_t a = lowBits(row[0], bits), d = 0;
      for (; a; a >>= 1) {
        d += a & 1;
      }
      return d;
    });
    expectEach({"clz" + suffix, 32, {bits}}, rows, [&](const Row &row) {
      uint64_t d = 0;
      while (d < uint64_t(bits) && !bit(row[0], bits - 1 - d)) {
        ++d;
      }
      return d;
    });
    expectEach({"brev" + suffix, bits, {bits}}, rows, [&](const Row &row) {
      uint64_t d = 0;
      for (int i = 0; i < bits; ++i) {
        d |= uint64_t(bit(row[0], bits - 1 - i)) << i;
      }
      return d;
    });
  }
}

// PTX ISA, "Integer Arithmetic Instructions: bfind"
TEST(BitFields, bfind) {
  for (std::string type : {"u32", "s32", "u64", "s64"}) {
    int msb = std::stoi(type.substr(1)) - 1;
    for (bool shiftAmount : {false, true}) {
      expectEach(
          {(shiftAmount ? "bfind.shiftamt." : "bfind.") + type + " %d, %a;",
           32,
           {msb + 1}},
          combine({specialIntegers(msb + 1)}, 1000), [&](const Row &row) {
            uint64_t a = row[0];
            if (type[0] == 's' && bit(a, msb)) {
              a = ~a;
            }
            uint64_t d = 0xffffffff;
            for (int i = msb; i >= 0; --i) {
              if (bit(a, i)) {
                d = i;
                break;
              }
            }
            return shiftAmount && d != 0xffffffff ? msb - d : d;
          });
    }
  }
}

// PTX ISA, "Integer Arithmetic Instructions: fns"
TEST(BitFields, fns) {
  std::vector<uint64_t> bases, offsets;
  for (uint64_t base = 0; base < 32; ++base) {
    bases.push_back(base);
  }
  for (int offset = -33; offset <= 33; ++offset) {
    offsets.push_back(uint32_t(offset));
  }
  offsets.push_back(0x80000000);
  expectEach(
      {"fns.b32 %d, %a, %b, %c;", 32, {32, 32, 32}},
      combine({{0, 0xffffffff, 0x80000001, 0x12345678}, bases, offsets}, 0),
      [](const Row &row) -> uint64_t {
        int64_t base = int64_t(row[1]), offset = asSigned(row[2], 32);
        if (offset == 0) {
          return bit(row[0], base) ? base : 0xffffffff;
        }
        int64_t count = std::abs(offset) - 1;
        for (int64_t at = base; at >= 0 && at < 32; at += offset > 0 ? 1 : -1) {
          if (bit(row[0], at)) {
            if (count == 0) {
              return at;
            }
            --count;
          }
        }
        return 0xffffffff;
      });
}

// PTX ISA, "Integer Arithmetic Instructions: bfe"
TEST(BitFields, bfe) {
  for (std::string type : {"u32", "s32", "u64", "s64"}) {
    int msb = std::stoi(type.substr(1)) - 1;
    expectEach({"bfe." + type + " %d, %a, %b, %c;", msb + 1, {msb + 1, 32, 32}},
               withAmounts(msb + 1, 2), [&](const Row &row) {
                 int pos = row[1] & 0xff, len = row[2] & 0xff;
                 bool sbit = type[0] == 'u' || len == 0
                                 ? false
                                 : bit(row[0], std::min(pos + len - 1, msb));
                 uint64_t d = 0;
                 for (int i = 0; i <= msb; ++i) {
                   d |=
                       uint64_t(i < len && pos + i <= msb ? bit(row[0], pos + i)
                                                          : sbit)
                       << i;
                 }
                 return d;
               });
  }
}

// PTX ISA, "Integer Arithmetic Instructions: bfi"
TEST(BitFields, bfi) {
  for (int bits : {32, 64}) {
    auto list = specialIntegers(bits);
    expectEach({"bfi.b" + std::to_string(bits) + " %d, %a, %b, %c, %e;",
                bits,
                {bits, bits, 32, 32}},
               combine({{list[0], list[12], list[16]},
                        {list[0], list[12], list[16]},
                        amounts,
                        amounts},
                       500),
               [&](const Row &row) {
                 int pos = row[2] & 0xff, len = row[3] & 0xff;
                 uint64_t f = lowBits(row[1], bits);
                 for (int i = 0; i < len && pos + i < bits; ++i) {
                   uint64_t mask = uint64_t(1) << (pos + i);
                   f = (f & ~mask) | (bit(row[0], i) ? mask : 0);
                 }
                 return f;
               });
  }
}

// PTX ISA, "Integer Arithmetic Instructions: szext"
TEST(BitFields, szext) {
  for (bool clamps : {false, true}) {
    for (bool isSigned : {false, true}) {
      expectEach({std::string("szext.") + (clamps ? "clamp" : "wrap") +
                      (isSigned ? ".s32" : ".u32") + " %d, %a, %b;",
                  32,
                  {32, 32}},
                 withAmounts(32, 1), [&](const Row &row) {
                   uint32_t a = uint32_t(row[0]), b = uint32_t(row[1]);
                   uint32_t b1 = b & 0x1f;
                   bool tooLarge = b >= 32 && clamps;
                   uint32_t mask = tooLarge ? 0 : ~0u << b1;
                   uint32_t position = (b1 - 1) & 0x1f;
                   bool sign = !(b1 == 0 || tooLarge || !isSigned) &&
                               (a >> position & 1);
                   return (a & ~mask) | (sign ? mask : 0);
                 });
    }
  }
}

// PTX ISA, "Integer Arithmetic Instructions: bmsk"
TEST(BitFields, bmsk) {
  for (bool clamps : {false, true}) {
    expectEach({std::string("bmsk.") + (clamps ? "clamp" : "wrap") +
                    ".b32 %d, %a, %b;",
                32,
                {32, 32}},
               combine({amounts, amounts}, 500), [&](const Row &row) {
                 uint32_t a = uint32_t(row[0]), b = uint32_t(row[1]);
                 uint32_t a1 = a & 0x1f, b1 = b & 0x1f, sum = a1 + b1;
                 uint32_t mask0 = ~0u << a1;
                 uint32_t mask1 = sum >= 32 ? 0 : ~0u << sum;
                 bool overflow = sum >= 32;
                 if (clamps) {
                   if (a >= 32) {
                     overflow = true;
                     mask0 = 0;
                   }
                   overflow |= b >= 32;
                 }
                 if (overflow) {
                   mask1 = 0;
                 } else if (b1 == 0) {
                   mask1 = ~0u;
                 }
                 return mask0 & ~mask1;
               });
  }
}

// PTX ISA, "Logic and Shift Instructions: and", "or", "xor", "not" and "cnot"
TEST(Logic, ofBits) {
  for (int bits : {16, 32, 64}) {
    std::string type = ".b" + std::to_string(bits);
    auto pairs = combine({specialIntegers(bits), specialIntegers(bits)}, 200);
    expectEach({"and" + type + " %d, %a, %b;", bits, {bits, bits}}, pairs,
               [&](const Row &row) { return lowBits(row[0] & row[1], bits); });
    expectEach({"or" + type + " %d, %a, %b;", bits, {bits, bits}}, pairs,
               [&](const Row &row) { return lowBits(row[0] | row[1], bits); });
    expectEach({"xor" + type + " %d, %a, %b;", bits, {bits, bits}}, pairs,
               [&](const Row &row) { return lowBits(row[0] ^ row[1], bits); });
    expectEach({"not" + type + " %d, %a;", bits, {bits}}, pairs,
               [&](const Row &row) { return lowBits(~row[0], bits); });
    expectEach({"cnot" + type + " %d, %a;", bits, {bits}}, pairs,
               [&](const Row &row) { return lowBits(row[0], bits) == 0; });
  }
}

TEST(Logic, ofPredicates) {
  auto pairs = combine({{0, 1}, {0, 1}}, 200,
                       [](std::mt19937_64 &engine) { return engine() & 1; });
  expectEach({"and.pred %d, %a, %b;", 1, {1, 1}}, pairs,
             [](const Row &row) { return row[0] & row[1]; });
  expectEach({"or.pred %d, %a, !%b;", 1, {1, 1}}, pairs,
             [](const Row &row) { return row[0] | !row[1]; });
  expectEach({"xor.pred %d, %a, %b;", 1, {1, 1}}, pairs,
             [](const Row &row) { return row[0] ^ row[1]; });
  expectEach({"not.pred %d, %a;", 1, {1}}, pairs,
             [](const Row &row) { return !row[0]; });
  expectEach({"mov.pred %d, %a;", 1, {1}}, pairs,
             [](const Row &row) { return row[0]; });
}

// PTX ISA, "Logic and Shift Instructions: lop3": the table's bit for each
// combination, found from ta = 0xF0, tb = 0xCC, tc = 0xAA.
TEST(Logic, lop3) {
  for (int table = 0; table < 256; ++table) {
    auto compute = [&](const Row &row) {
      uint64_t d = 0;
      for (int i = 0; i < 32; ++i) {
        int index = bit(row[0], i) << 2 | bit(row[1], i) << 1 | bit(row[2], i);
        d |= uint64_t(bit(table, index)) << i;
      }
      return d;
    };
    auto rows = combine({{0xf0, 0}, {0xcc, 0xffffffff}, {0xaa}}, 60);
    expectEach({"lop3.b32 %d, %a, %b, %c, " + std::to_string(table) + ";",
                32,
                {32, 32, 32}},
               rows, compute);
    if (table % 51 == 0) {
      for (std::string operation : {"and", "or"}) {
        auto list = combine({{0xf0, 0}, {0xcc}, {0xaa}, {0, 1}}, 0);
        Form form = {"lop3." + operation + ".b32 %d|%q, %a, %b, %c, " +
                         std::to_string(table) + ", %e;",
                     32,
                     {32, 32, 32, 1},
                     1};
        expectRows(form, list, [&](const Row &row) {
          uint64_t d = compute(row);
          bool p = operation == "and" ? d != 0 && row[3] : d != 0 || row[3];
          return Outcome{d, p};
        });
      }
    }
  }
}

// PTX ISA, "Logic and Shift Instructions: shl" and "shr": amounts above the
// width are clamped to it.
TEST(Shifts, shlAndShr) {
  for (int bits : {16, 32, 64}) {
    std::string size = std::to_string(bits) + " %d, %a, %b;";
    auto rows = withAmounts(bits, 1);
    expectEach({"shl.b" + size, bits, {bits, 32}}, rows, [&](const Row &row) {
      uint64_t amount = lowBits(row[1], 32);
      return amount >= uint64_t(bits) ? 0 : lowBits(row[0] << amount, bits);
    });
    for (std::string kind : {"u", "b"}) {
      expectEach(
          {"shr." + kind + size, bits, {bits, 32}}, rows, [&](const Row &row) {
            uint64_t amount = lowBits(row[1], 32);
            return amount >= uint64_t(bits) ? 0
                                            : lowBits(row[0], bits) >> amount;
          });
    }
    expectEach({"shr.s" + size, bits, {bits, 32}}, rows, [&](const Row &row) {
      uint64_t amount = std::min<uint64_t>(lowBits(row[1], 32), bits - 1);
      return lowBits(uint64_t(asSigned(row[0], bits) >> amount), bits);
    });
  }
}

// PTX ISA, "Logic and Shift Instructions: shf"
TEST(Shifts, shf) {
  auto rows = combine({specialIntegers(32), specialIntegers(32), amounts}, 500);
  for (bool left : {false, true}) {
    for (bool clamps : {false, true}) {
      expectEach({std::string("shf.") + (left ? "l" : "r") +
                      (clamps ? ".clamp" : ".wrap") + ".b32 %d, %a, %b, %c;",
                  32,
                  {32, 32, 32}},
                 rows, [&](const Row &row) {
                   uint64_t c = lowBits(row[2], 32);
                   uint64_t n = clamps ? std::min<uint64_t>(c, 32) : c & 31;
                   uint64_t a = lowBits(row[0], 32), b = lowBits(row[1], 32);
                   return lowBits(left ? b << n | a >> (32 - n)
                                       : b << (32 - n) | a >> n,
                                  32);
                 });
    }
  }
}

// PTX ISA, "Data Movement and Conversion Instructions: prmt", the generic form
TEST(Permutation, bySelectors) {
  auto compute = [](uint64_t a, uint64_t b, uint64_t c) {
    uint64_t bytes = lowBits(b, 32) << 32 | lowBits(a, 32), d = 0;
    for (int i = 0; i < 4; ++i) {
      uint64_t selector = c >> 4 * i & 0xf;
      uint64_t value = bytes >> 8 * (selector & 7) & 0xff;
      if (selector & 8) {
        value = bit(value, 7) ? 0xff : 0;
      }
      d |= value << 8 * i;
    }
    return d;
  };
  expectEach({"prmt.b32 %d, %a, %b, %c;", 32, {32, 32, 32}},
             combine({{0x83828180, 0x03020100, 0x12f456f8},
                      {0x87868584, 0x7f6f5f4f},
                      {0x3210, 0x7654, 0xfedc, 0xba98, 0x5410, 0xf0f0}},
                     4000),
             [&](const Row &row) { return compute(row[0], row[1], row[2]); });
  // The selectors are in the text.
  for (unsigned selectors :
       {0x3210u, 0x5410u, 0x7632u, 0x1032u, 0x5432u, 0x7610u, 0x3340u, 0x0123u,
        0xba98u, 0x4f80u, 0x7777u, 0x8421u}) {
    expectEach(
        {"prmt.b32 %d, %a, %b, " + std::to_string(selectors) + ";",
         32,
         {32, 32}},
        combine({{0x83828180, 0x03020100}, {0x87868584}}, 500),
        [&](const Row &row) { return compute(row[0], row[1], selectors); });
  }
}

// PTX ISA, "Data Movement and Conversion Instructions: prmt", its table
TEST(Permutation, byModes) {
  struct Mode {
    const char *name;
    int sources[4][4]; ///< d.b3 to d.b0 for each selector
  };
  const Mode modes[] = {
      {"f4e", {{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}}},
      {"b4e", {{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}}},
      {"rc8", {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}},
      {"ecl", {{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}}},
      {"ecr", {{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}}},
      {"rc16", {{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}}},
  };
  for (const Mode &mode : modes) {
    expectEach(
        {std::string("prmt.b32.") + mode.name + " %d, %a, %b, %c;",
         32,
         {32, 32, 32}},
        combine({{0x83828180}, {0x87868584}, {0, 1, 2, 3, 0xfffffffe}}, 500),
        [&](const Row &row) {
          uint64_t bytes = lowBits(row[1], 32) << 32 | lowBits(row[0], 32);
          uint64_t d = 0;
          for (int source : mode.sources[row[2] & 3]) {
            d = d << 8 | (bytes >> 8 * source & 0xff);
          }
          return d;
        });
  }
}
