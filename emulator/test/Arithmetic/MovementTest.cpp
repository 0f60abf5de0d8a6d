//===- MovementTest.cpp - mov, selp, slct and addresses -------------------===//
#include "LaneRun.h"

#include "AddressSpaces/Spaces.h"

using namespace cheems::emulator;
using namespace cheems::emulator::test;

// PTX ISA, "Data Movement and Conversion Instructions: mov"
TEST(Movement, ofScalars) {
  for (std::string type : {"b16", "u16", "s16", "b32", "u32", "s32", "f32",
                           "b64", "u64", "s64", "f64"}) {
    int bits = std::stoi(type.substr(1));
    expectEach({"mov." + type + " %d, %a;", bits, {bits}},
               combine({specialIntegers(bits)}, 100),
               [&](const Row &row) { return lowBits(row[0], bits); });
  }
}

// PTX ISA, "Data Movement and Conversion Instructions: mov", packing
TEST(Movement, packs) {
  struct Case {
    const char *text;
    int whole, part, held;
  };
  for (Case each : {Case{"mov.b16 %d, {%a, %b};", 16, 8, 16},
                    Case{"mov.b32 %d, {%a, %b, %c, %e};", 32, 8, 16},
                    Case{"mov.b32 %d, {%a, %b};", 32, 16, 16},
                    Case{"mov.b64 %d, {%a, %b, %c, %e};", 64, 16, 16},
                    Case{"mov.b64 %d, {%a, %b};", 64, 32, 32}}) {
    int count = each.whole / each.part;
    Form form = {each.text, each.whole,
                 std::vector<int>(count, each.part == 8 ? 8 : each.held)};
    expectEach(form,
               combine(std::vector<std::vector<uint64_t>>(
                           count, {0, 0x81, 0xffff, 0x12345678}),
                       100),
               [&](const Row &row) {
                 uint64_t d = 0;
                 for (int i = 0; i < count; ++i) {
                   d |= lowBits(row[i], each.part) << each.part * i;
                 }
                 return d;
               });
  }
}

// PTX ISA, "Data Movement and Conversion Instructions: mov", unpacking
TEST(Movement, unpacks) {
  auto wide = combine({specialIntegers(64)}, 200);
  expectRows({"mov.b64 {%d, %q}, %a;", 32, {64}, 32}, wide, [](const Row &row) {
    return Outcome{lowBits(row[0], 32), row[0] >> 32};
  });
  expectRows({"mov.b32 {%d, %q}, %a;", 16, {32}, 16}, wide, [](const Row &row) {
    return Outcome{lowBits(row[0], 16), lowBits(row[0] >> 16, 16)};
  });
  expectRows({"mov.b64 {_, %d, _, %q}, %a;", 16, {64}, 16}, wide,
             [](const Row &row) {
               return Outcome{lowBits(row[0] >> 16, 16), row[0] >> 48};
             });
  expectRows({"{ .reg .b8 %x, %y;\nmov.b16 {%x, %y}, %a;\n"
              "mov.b16 %d, {%y, %x}; mov.b16 %q, %a; }",
              16,
              {16},
              16},
             wide, [](const Row &row) {
               uint64_t a = lowBits(row[0], 16);
               return Outcome{lowBits(a << 8 | a >> 8, 16), a};
             });
  // .b128 of two and of four.
  expectRows({"{ .reg .b128 %x; .reg .b32 %s, %t, %u, %v;\n"
              "mov.b128 %x, {%a, %b};\nmov.b128 {%s, %t, %u, %v}, %x;\n"
              "mov.b128 %x, {%v, %u, %t, %s};\nmov.b128 {%d, %q}, %x; }",
              64,
              {64, 64},
              64},
             combine({specialIntegers(64), specialIntegers(64)}, 50),
             [](const Row &row) {
               return Outcome{row[1] >> 32 | row[1] << 32,
                              row[0] >> 32 | row[0] << 32};
             });
  // The register that is unpacked is written again.
  expectRows(
      {"mov.b64 %q, %a;\nmov.b64 {%d, _}, %q;\nmov.b64 %q, 1;", 32, {64}, 64},
      wide, [](const Row &row) { return Outcome{lowBits(row[0], 32), 1}; });
}

// PTX ISA, "Comparison and Selection Instructions: selp"
TEST(Selection, selp) {
  for (std::string type : {"b16", "u32", "s64", "f32", "f64"}) {
    int bits = std::stoi(type.substr(1));
    auto rows = combine({specialIntegers(bits), {3, 0x7fc1}, {0, 1}}, 0);
    expectEach({"selp." + type + " %d, %a, %b, %c;", bits, {bits, bits, 1}},
               rows, [&](const Row &row) { return row[2] ? row[0] : row[1]; });
    expectEach({"selp." + type + " %d, %a, %b, !%c;", bits, {bits, bits, 1}},
               rows, [&](const Row &row) { return row[2] ? row[1] : row[0]; });
  }
}

// PTX ISA, "Comparison and Selection Instructions: slct": "negative zero equals
// zero", and "If operand c is NaN ... operand b is selected".
TEST(Selection, slct) {
  for (std::string type : {"b16", "u32", "s64", "f32", "f64"}) {
    int bits = std::stoi(type.substr(1));
    std::vector<uint64_t> few = {1, uint64_t(1) << (bits - 1)};
    expectEach(
        {"slct." + type + ".s32 %d, %a, %b, %c;", bits, {bits, bits, 32}},
        combine({few, few, specialIntegers(32)}, 0), [](const Row &row) {
          return asSigned(row[2], 32) >= 0 ? row[0] : row[1];
        });
    const std::vector<uint64_t> numbers = {
        0,          0x80000000, 1,          0x80000001, 0x807fffff, 0x80800000,
        0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000};
    for (bool flushes : {false, true}) {
      expectEach({std::string("slct.") + (flushes ? "ftz." : "") + type +
                      ".f32 %d, %a, %b, %c;",
                  bits,
                  {bits, bits, 32}},
                 combine({few, few, numbers}, 0), [&](const Row &row) {
                   uint32_t c = uint32_t(row[2]);
                   bool isNaN = (c & 0x7fffffff) > 0x7f800000;
                   bool isZero =
                       (c & 0x7fffffff) == 0 || (flushes && !(c & 0x7f800000));
                   return !isNaN && (isZero || !(c >> 31)) ? row[0] : row[1];
                 });
    }
  }
}

// PTX ISA, "Data Movement and Conversion Instructions: cvta" and "isspacep"
TEST(Addresses, windows) {
  struct Window {
    const char *space;
    uint64_t begin;
  };
  auto rows = combine({{0, 64, 0xffff}}, 0);
  for (Window window :
       {Window{"shared", sharedWindow}, Window{"shared::cta", sharedWindow},
        Window{"local", localWindow}, Window{"param", parameterWindow},
        Window{"global", 0}, Window{"const", 0}}) {
    std::string space = window.space;
    expectRows(
        {"cvta." + space + ".u64 %d, %a;\ncvta.to." + space + ".u64 %q, %d;",
         64,
         {64},
         64},
        rows,
        [&](const Row &row) { return Outcome{row[0] + window.begin, row[0]}; });
  }
  auto all = combine({{0x7000'0000'0100, sharedWindow, sharedWindow + 0xffff,
                       localWindow, localWindow + 5, parameterWindow + 8,
                       sharedWindow + sharedAddressOf(16, 0),
                       sharedWindow + sharedAddressOf(16, 1)}},
                     0);
  auto isIn = [](const Row &row, uint64_t window) -> uint64_t {
    return isInWindow(row[0], window);
  };
  expectEach({"isspacep.local %d, %a;", 1, {64}}, all,
             [&](const Row &row) { return isIn(row, localWindow); });
  expectEach({"isspacep.param::entry %d, %a;", 1, {64}}, all,
             [&](const Row &row) { return isIn(row, parameterWindow); });
  expectEach({"isspacep.global %d, %a;", 1, {64}}, all, [&](const Row &row) {
    return !isIn(row, localWindow) && !isIn(row, sharedWindow);
  });
  // The grid has clusters of one block: there is no rank 1.
  for (std::string space : {"shared", "shared::cta", "shared::cluster"}) {
    expectEach({"isspacep." + space + " %d, %a;", 1, {64}}, all,
               [&](const Row &row) {
                 return isIn(row, sharedWindow) && sharedRank(row[0]) < 1;
               });
  }
}
