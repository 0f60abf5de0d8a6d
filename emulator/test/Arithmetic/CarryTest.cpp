//===- CarryTest.cpp - The carry flag from the ISA's text -----------------===//
#include "LaneRun.h"

using namespace cheems::emulator::test;

namespace {

using Wide = unsigned __int128;

std::vector<Row> rows(int operands, int bits) {
  auto list = specialIntegers(bits);
  list.resize(13);
  return combine(std::vector(operands, list), 1000);
}

const char *const types[] = {"u32", "s32", "u64", "s64"};

} // namespace

// PTX ISA, "Extended-Precision Arithmetic Instructions: add.cc" and "addc":
// d and, by a sum of zeros, the flag after it; then with carry-in.
TEST(ExtendedPrecision, sums) {
  for (std::string type : types) {
    int bits = std::stoi(type.substr(1));
    Form form = {"add.cc." + type + " %d, %a, %b;\naddc." + type + " %q, 0, 0;",
                 bits,
                 {bits, bits},
                 bits};
    expectRows(form, rows(2, bits), [&](const Row &row) {
      Wide sum = Wide(row[0]) + row[1];
      sum = bits == 32 ? Wide(uint32_t(row[0])) + uint32_t(row[1]) : sum;
      return Outcome{lowBits(uint64_t(sum), bits), uint64_t(sum >> bits)};
    });
    // The carry of %a + %b goes into %c + %e, and its carry to %q.
    form = {"add.cc." + type + " %d, %a, %b;\naddc.cc." + type +
                " %d, %c, %e;\naddc." + type + " %q, 0, 0;",
            bits,
            {bits, bits, bits, bits},
            bits};
    std::vector<uint64_t> few = {0, 1, lowBits(~uint64_t(0), bits),
                                 uint64_t(1) << (bits - 1)};
    expectRows(form, combine({few, few, few, few}, 500), [&](const Row &row) {
      auto value = [&](int i) { return Wide(lowBits(row[i], bits)); };
      Wide sum = value(2) + value(3) + ((value(0) + value(1)) >> bits);
      return Outcome{lowBits(uint64_t(sum), bits), uint64_t(sum >> bits)};
    });
  }
}

// PTX ISA, "Extended-Precision Arithmetic Instructions: sub.cc" and "subc":
// d = a - (b + CC.CF)
TEST(ExtendedPrecision, differences) {
  for (std::string type : types) {
    int bits = std::stoi(type.substr(1));
    Form form = {"sub.cc." + type + " %d, %a, %b;\nsubc.cc." + type +
                     " %d, %c, %e;\nsubc." + type + " %q, 0, 0;",
                 bits,
                 {bits, bits, bits, bits},
                 bits};
    std::vector<uint64_t> few = {0, 1, lowBits(~uint64_t(0), bits),
                                 uint64_t(1) << (bits - 1)};
    expectRows(form, combine({few, few, few, few}, 500), [&](const Row &row) {
      auto value = [&](int i) { return __int128(lowBits(row[i], bits)); };
      __int128 difference = value(2) - value(3) - (value(0) < value(1));
      return Outcome{lowBits(uint64_t(difference), bits),
                     difference < 0 ? lowBits(~uint64_t(0), bits) : 0};
    });
  }
}

// PTX ISA, "Extended-Precision Arithmetic Instructions: mad.cc" and "madc"
TEST(ExtendedPrecision, products) {
  for (std::string type : types) {
    int bits = std::stoi(type.substr(1));
    for (bool high : {false, true}) {
      auto part = [&](const Row &row) {
        bool isSigned = type[0] == 's';
        Wide a = isSigned ? Wide(asSigned(row[0], bits))
                          : Wide(lowBits(row[0], bits));
        Wide b = isSigned ? Wide(asSigned(row[1], bits))
                          : Wide(lowBits(row[1], bits));
        return Wide(lowBits(uint64_t(a * b >> (high ? bits : 0)), bits));
      };
      std::string mode = high ? ".hi" : ".lo";
      Form form = {"mad" + mode + ".cc." + type + " %d, %a, %b, %c;\nmadc" +
                       mode + "." + type + " %q, %a, %b, %c;",
                   bits,
                   {bits, bits, bits},
                   bits};
      auto list = specialIntegers(bits);
      list.resize(12);
      expectRows(form, combine({list, list, list}, 500), [&](const Row &row) {
        Wide sum = part(row) + lowBits(row[2], bits);
        return Outcome{lowBits(uint64_t(sum), bits),
                       lowBits(uint64_t(sum + (sum >> bits)), bits)};
      });
      form = {"add.cc." + type + " %d, %a, %b;\nmadc" + mode + ".cc." + type +
                  " %d, %a, %b, %c;\naddc." + type + " %q, 0, 0;",
              bits,
              {bits, bits, bits},
              bits};
      expectRows(form, combine({list, list, list}, 500), [&](const Row &row) {
        Wide carry =
            (Wide(lowBits(row[0], bits)) + lowBits(row[1], bits)) >> bits;
        Wide sum = part(row) + lowBits(row[2], bits) + carry;
        return Outcome{lowBits(uint64_t(sum), bits), uint64_t(sum >> bits)};
      });
    }
  }
}

// A lane whose guard does not hold keeps its flag.
TEST(ExtendedPrecision, guardedFlag) {
  Form form = {"add.cc.u32 %d, 0xffffffff, 1;\n@%c add.cc.u32 %d, %a, %b;\n"
               "addc.u32 %q, 0, 0;",
               32,
               {32, 32, 1},
               32};
  expectRows(form, combine({{0, 5}, {0, 7}, {0, 1}}, 0), [](const Row &row) {
    return row[2] ? Outcome{row[0] + row[1], 0} : Outcome{0, 1};
  });
}
