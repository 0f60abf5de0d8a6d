//===- ComparisonTest.cpp - set and setp from the ISA's text --------------===//
#include "LaneRun.h"
#include "Numbers.h"

using namespace cheems::emulator::test;

namespace {

/// PTX ISA, "Comparisons": the comparisons of numbers, and what they give if
/// an operand is NaN.
struct Comparison {
  const char *name;
  bool less, equal, greater, unordered;
};
const Comparison comparisons[] = {
    {"eq", false, true, false, false}, {"ne", true, false, true, false},
    {"lt", true, false, false, false}, {"le", true, true, false, false},
    {"gt", false, false, true, false}, {"ge", false, true, true, false},
    {"equ", false, true, false, true}, {"neu", true, false, true, true},
    {"ltu", true, false, false, true}, {"leu", true, true, false, true},
    {"gtu", false, false, true, true}, {"geu", false, true, true, true},
    {"num", true, true, true, false},  {"nan", false, false, false, true},
};

template <typename T> bool holds(const Comparison &comparison, T a, T b) {
  return a < b    ? comparison.less
         : a > b  ? comparison.greater
         : a == b ? comparison.equal
                  : comparison.unordered;
}

/// How the type's bits are compared.
using Compare = std::function<bool(const Comparison &, uint64_t, uint64_t)>;

bool testSingle(const Comparison &comparison, uint64_t a, uint64_t b) {
  return holds(comparison, single(a), single(b));
}
bool testFlushed(const Comparison &comparison, uint64_t a, uint64_t b) {
  return holds(comparison, flushed(single(a)), flushed(single(b)));
}
bool testReal(const Comparison &comparison, uint64_t a, uint64_t b) {
  return holds(comparison, real(a), real(b));
}
Compare testSmall(const SmallFormat &format, bool flushes) {
  return
      [&format, flushes](const Comparison &comparison, uint64_t a, uint64_t b) {
        auto value = [&](uint64_t code) {
          code &= 0xffff;
          bool subnormal = (code & 0x7fff) >> format.fractionBits == 0;
          return format.value(flushes && subnormal ? code & 0x8000 : code);
        };
        return holds(comparison, value(a), value(b));
      };
}

struct Floating {
  std::string type; ///< with .ftz
  int bits;
  std::vector<uint64_t> values;
  Compare test;
};
std::vector<Floating> floatings() {
  return {{"f32", 32, specialSingles(), testSingle},
          {"ftz.f32", 32, specialSingles(), testFlushed},
          {"f64", 64, specialReals(), testReal},
          {"f16", 16, specialHalves(), testSmall(halfFormat(), false)},
          {"ftz.f16", 16, specialHalves(), testSmall(halfFormat(), true)},
          {"bf16", 16, specialBFloats(), testSmall(bfloatFormat(), false)}};
}

} // namespace

// PTX ISA, "Comparison and Selection Instructions: setp" and "Half Precision
// Comparison Instructions: setp"
TEST(Comparison, setpOfFloats) {
  for (const Floating &floating : floatings()) {
    auto rows = combine({floating.values, floating.values}, 300);
    for (const Comparison &comparison : comparisons) {
      expectEach({std::string("setp.") + comparison.name + "." + floating.type +
                      " %d, %a, %b;",
                  1,
                  {floating.bits, floating.bits}},
                 rows, [&](const Row &row) {
                   return floating.test(comparison, row[0], row[1]);
                 });
    }
  }
}

TEST(Comparison, setpOfIntegers) {
  struct Name {
    const char *name, *meaning;
  };
  const Name names[] = {{"eq", "eq"}, {"ne", "ne"}, {"lt", "lt"}, {"le", "le"},
                        {"gt", "gt"}, {"ge", "ge"}, {"lo", "lt"}, {"ls", "le"},
                        {"hi", "gt"}, {"hs", "ge"}};
  for (std::string type :
       {"u16", "s16", "b16", "u32", "s32", "b32", "u64", "s64", "b64"}) {
    int bits = std::stoi(type.substr(1));
    auto rows = combine({specialIntegers(bits), specialIntegers(bits)}, 300);
    int count = type[0] == 'b' ? 2 : type[0] == 's' ? 6 : 10;
    for (int i = 0; i < count; ++i) {
      auto comparison = std::find_if(
          std::begin(comparisons), std::end(comparisons),
          [&](const Comparison &comparison) {
            return std::string(comparison.name) == names[i].meaning;
          });
      expectEach(
          {std::string("setp.") + names[i].name + "." + type + " %d, %a, %b;",
           1,
           {bits, bits}},
          rows, [&](const Row &row) {
            return type[0] == 's' ? holds(*comparison, asSigned(row[0], bits),
                                          asSigned(row[1], bits))
                                  : holds(*comparison, lowBits(row[0], bits),
                                          lowBits(row[1], bits));
          });
    }
  }
}

// "p = BoolOp(t, c); q = BoolOp(!t, c)"
TEST(Comparison, setpWithBooleanOperations) {
  auto rows = combine({specialSingles(), specialSingles(), {0, 1}}, 0);
  for (std::string operation : {"and", "or", "xor"}) {
    for (bool negates : {false, true}) {
      auto combined = [&](bool t, bool c) {
        c ^= negates;
        return operation == "and" ? t && c : operation == "or" ? t || c : t ^ c;
      };
      std::string tail = negates ? " %a, %b, !%c;" : " %a, %b, %c;";
      Form form = {
          "setp.ltu." + operation + ".f32 %d|%q," + tail, 1, {32, 32, 1}, 1};
      expectRows(form, rows, [&](const Row &row) {
        bool t = testSingle(comparisons[8], row[0], row[1]);
        return Outcome{uint64_t(combined(t, row[2])),
                       uint64_t(combined(!t, row[2]))};
      });
      expectEach({"setp.gt." + operation + ".s32 %d," + tail, 1, {32, 32, 1}},
                 rows, [&](const Row &row) {
                   return combined(asSigned(row[0], 32) > asSigned(row[1], 32),
                                   row[2]);
                 });
    }
  }
  expectRows({"setp.le.u32 %d|%q, %a, %b;", 1, {32, 32}, 1}, rows,
             [](const Row &row) {
               return Outcome{row[0] <= row[1], row[0] > row[1]};
             });
  expectEach({"setp.le.u32 _|%d, %a, %b;", 1, {32, 32}}, rows,
             [](const Row &row) { return row[0] > row[1]; });
  // The predicate that is combined is written.
  expectRows({"mov.pred %d, %c;\nsetp.eq.xor.b32 %d|%q, %a, %b, %d;",
              1,
              {32, 32, 1},
              1},
             rows, [](const Row &row) {
               bool t = row[0] == row[1];
               return Outcome{uint64_t(t) ^ row[2], uint64_t(!t) ^ row[2]};
             });
}

// "p = BoolOp(t[0], c); q = BoolOp(t[1], c)"
TEST(Comparison, setpOfPairs) {
  std::mt19937_64 engine(5);
  for (bool isHalf : {true, false}) {
    auto values = isHalf ? specialHalves() : specialBFloats();
    std::vector<Row> rows;
    for (int i = 0; i < 1500; ++i) {
      auto pick = [&] { return values[engine() % values.size()]; };
      rows.push_back({pick() | pick() << 16, pick() | pick() << 16, i % 2u});
    }
    Compare test = testSmall(isHalf ? halfFormat() : bfloatFormat(), false);
    std::string type = isHalf ? "f16x2" : "bf16x2";
    for (const Comparison &comparison : comparisons) {
      auto halves = [&](const Row &row) {
        return std::pair(test(comparison, row[0], row[1]),
                         test(comparison, row[0] >> 16, row[1] >> 16));
      };
      std::string name = comparison.name;
      expectRows(
          {"setp." + name + "." + type + " %d|%q, %a, %b;", 1, {32, 32}, 1},
          rows, [&](const Row &row) {
            auto [low, high] = halves(row);
            return Outcome{low, high};
          });
      expectRows({"setp." + name + ".xor." + type + " %d|%q, %a, %b, %c;",
                  1,
                  {32, 32, 1},
                  1},
                 rows, [&](const Row &row) {
                   auto [low, high] = halves(row);
                   return Outcome{uint64_t(low) ^ row[2],
                                  uint64_t(high) ^ row[2]};
                 });
      // PTX ISA, "Half Precision Comparison Instructions: set": 1.0 or 0xffff
      for (std::string result : {type, std::string("u32")}) {
        uint64_t truth = result == "u32" ? 0xffff : isHalf ? 0x3c00 : 0x3f80;
        expectEach({"set." + name + "." + result + "." + type + " %d, %a, %b;",
                    32,
                    {32, 32}},
                   rows, [&](const Row &row) {
                     auto [low, high] = halves(row);
                     return (low ? truth : 0) | (high ? truth << 16 : 0);
                   });
      }
    }
  }
}

// PTX ISA, "Comparison and Selection Instructions: set" and "Half Precision
// Comparison Instructions: set"
TEST(Comparison, set) {
  struct Result {
    const char *type;
    int bits;
    uint64_t truth;
  };
  const Result results[] = {
      {"u32", 32, 0xffffffff}, {"s32", 32, 0xffffffff}, {"f32", 32, 0x3f800000},
      {"f16", 16, 0x3c00},     {"bf16", 16, 0x3f80},    {"u16", 16, 0xffff},
  };
  for (const Floating &floating : floatings()) {
    bool isHalf = floating.bits == 16;
    auto rows = combine({floating.values, floating.values, {0, 1}}, 0);
    for (const Result &result : results) {
      if (std::string(result.type) == "u16" && !isHalf) {
        continue;
      }
      bool flushes = floating.type.starts_with("ftz.");
      std::string types = std::string(flushes ? ".ftz." : ".") + result.type +
                          "." + floating.type.substr(flushes ? 4 : 0);
      const Comparison &comparison = comparisons[11]; // geu
      expectEach({"set.geu" + types + " %d, %a, %b;",
                  result.bits,
                  {floating.bits, floating.bits}},
                 rows, [&](const Row &row) {
                   return floating.test(comparison, row[0], row[1])
                              ? result.truth
                              : 0;
                 });
      expectEach({"set.geu.and" + types + " %d, %a, %b, !%c;",
                  result.bits,
                  {floating.bits, floating.bits, 1}},
                 rows, [&](const Row &row) {
                   return !row[2] && floating.test(comparison, row[0], row[1])
                              ? result.truth
                              : 0;
                 });
    }
  }
  auto rows = combine({specialIntegers(32), specialIntegers(32)}, 100);
  expectEach({"set.lt.f32.s32 %d, %a, %b;", 32, {32, 32}}, rows,
             [](const Row &row) -> uint64_t {
               return asSigned(row[0], 32) < asSigned(row[1], 32) ? 0x3f800000
                                                                  : 0;
             });
  expectEach({"set.hi.u32.u32 %d, %a, %b;", 32, {32, 32}}, rows,
             [](const Row &row) -> uint64_t {
               return lowBits(row[0], 32) > lowBits(row[1], 32) ? 0xffffffff
                                                                : 0;
             });
}
