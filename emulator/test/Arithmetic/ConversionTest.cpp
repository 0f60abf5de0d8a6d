//===- ConversionTest.cpp - cvt from the ISA's text -----------------------===//
#include "LaneRun.h"
#include "Numbers.h"

using namespace cheems::emulator::test;

namespace {

// PTX ISA, "Data Movement and Conversion Instructions: cvt", in all tests.

std::vector<Row> all16() {
  std::vector<Row> rows;
  for (uint64_t code = 0; code < 0x10000; ++code) {
    rows.push_back({code});
  }
  return rows;
}

/// The numbers of a small format as f32s, the middles between them, and what
/// lies next to these: all that rounding can err in.
std::vector<Row> around(const SmallFormat &format) {
  std::vector<Row> rows;
  for (uint64_t bits : specialSingles()) {
    rows.push_back({bits});
  }
  size_t step = format.numbers.size() > 100000 ? 37 : 1;
  for (size_t code = 0; code + 1 < format.numbers.size(); code += step) {
    double middle = (format.numbers[code] + format.numbers[code + 1]) / 2;
    for (double value : {format.numbers[code], middle}) {
      float at = float(value);
      for (float x :
           {at, std::nextafterf(at, -1), std::nextafterf(at, 1e38f)}) {
        rows.push_back({bitsOf(code & 2 ? x : -x)});
      }
    }
  }
  return rows;
}

/// The type's integer as a double or, of 64 bits, as a sum.
Precise integer(const std::string &type, uint64_t bits) {
  int width = std::stoi(type.substr(1));
  __int128 value = type[0] == 's' ? __int128(asSigned(bits, width))
                                  : __int128(lowBits(bits, width));
  double high = double(int64_t(value >> 32)) * 0x1p32;
  return Precise::sum(high, double(uint32_t(value)));
}

const char *const integers[] = {"u8",  "s8",  "u16", "s16",
                                "u32", "s32", "u64", "s64"};
int widthOf(const std::string &type) { return std::stoi(type.substr(1)); }
int held(const std::string &type) { return std::max(widthOf(type), 16); }

/// A byte is extended to the 16 bits of its register.
uint64_t extended(const std::string &type, __int128 value) {
  int width = widthOf(type);
  uint64_t bits = lowBits(uint64_t(value), width);
  return type == "s8" ? lowBits(uint64_t(asSigned(bits, 8)), 16) : bits;
}

struct IntegerMode {
  const char *name;
  double (*round)(double);
};
const IntegerMode integerModes[] = {{"rni", std::nearbyint},
                                    {"rzi", std::trunc},
                                    {"rmi", std::floor},
                                    {"rpi", std::ceil}};

uint64_t toInteger(const std::string &type, double value, bool isReal,
                   double (*round)(double)) {
  int width = widthOf(type);
  if (std::isnan(value)) {
    // "Zero if source is not .f64 and destination is not .s64, .u64."
    return !isReal && width < 64 ? 0
                                 : extended(type, __int128(1) << (width - 1));
  }
  double whole = round(value);
  __int128 most = (__int128(1) << (width - (type[0] == 's'))) - 1;
  __int128 least = type[0] == 's' ? -most - 1 : 0;
  __int128 result = whole >= std::ldexp(1, width)   ? most
                    : whole < -std::ldexp(1, width) ? least
                                                    : __int128(whole);
  return extended(type, result > most ? most : result < least ? least : result);
}

} // namespace

TEST(Conversion, betweenIntegers) {
  for (std::string from : integers) {
    for (std::string to : integers) {
      auto rows = combine({specialIntegers(held(from))}, 300);
      auto value = [&](const Row &row) {
        return from[0] == 's' ? __int128(asSigned(row[0], widthOf(from)))
                              : __int128(lowBits(row[0], widthOf(from)));
      };
      std::string types = to + "." + from + " %d, %a;";
      expectEach({"cvt." + types, held(to), {held(from)}}, rows,
                 [&](const Row &row) { return extended(to, value(row)); });
      __int128 most = (__int128(1) << (widthOf(to) - (to[0] == 's'))) - 1;
      __int128 least = to[0] == 's' ? -most - 1 : 0;
      bool contains = (from[0] == to[0] && widthOf(to) >= widthOf(from)) ||
                      (to[0] == 's' && widthOf(to) > widthOf(from));
      if (!contains) {
        expectEach(
            {"cvt.sat." + types, held(to), {held(from)}}, rows,
            [&](const Row &row) {
              __int128 v = value(row);
              return extended(to, v < least ? least : v > most ? most : v);
            });
      }
    }
  }
}

// "A destination register wider than the specified type may be used ...
// sign-extended", and a wider source.
TEST(Conversion, widerRegisters) {
  auto rows = combine({specialIntegers(64)}, 200);
  expectEach({"cvt.s8.s32 %d, %a;", 64, {32}}, rows,
             [](const Row &row) { return uint64_t(asSigned(row[0], 8)); });
  expectEach({"cvt.u16.u64 %d, %a;", 32, {64}}, rows,
             [](const Row &row) { return row[0] & 0xffff; });
  expectEach({"cvt.s32.s8 %d, %a;", 32, {32}}, rows, [](const Row &row) {
    return lowBits(uint64_t(asSigned(row[0], 8)), 32);
  });
  expectEach({"cvt.u32.u16 %d, %a;", 32, {64}}, rows,
             [](const Row &row) { return row[0] & 0xffff; });
}

TEST(Conversion, integersToFloats) {
  for (std::string from : integers) {
    auto rows = combine(
        {specialIntegers(held(from))}, 2000,
        [](std::mt19937_64 &engine) { return engine() >> engine() % 64; });
    for (auto [name, mode] : modes) {
      std::string head = std::string("cvt.") + name;
      expectEach({head + ".f32." + from + " %d, %a;", 32, {held(from)}}, rows,
                 [&, mode = mode](const Row &row) {
                   return bitsOf(roundSingle(integer(from, row[0]), mode));
                 });
      for (bool isHalf : {true, false}) {
        const SmallFormat &format = isHalf ? halfFormat() : bfloatFormat();
        expectEach({head + (isHalf ? ".f16." : ".bf16.") + from + " %d, %a;",
                    16,
                    {held(from)}},
                   rows, [&, mode = mode](const Row &row) {
                     return format.round(integer(from, row[0]), mode);
                   });
      }
      expectEach(
          {head + ".f64." + from + " %d, %a;", 64, {held(from)}}, rows,
          [&, mode = mode](const Row &row) {
            Precise exact = integer(from, row[0]);
            double d = exact.high;
            if (exact.low > 0 &&
                (mode == Mode::up || (mode == Mode::zero && d < 0))) {
              d = std::nextafter(d, HUGE_VAL);
            } else if (exact.low < 0 &&
                       (mode == Mode::down || (mode == Mode::zero && d > 0))) {
              d = std::nextafter(d, -HUGE_VAL);
            }
            return bitsOf(d);
          });
    }
  }
}

TEST(Conversion, floatsToIntegers) {
  auto singles = combine({specialSingles()}, 3000, [](std::mt19937_64 &engine) {
    // Halves and numbers of all magnitudes that integers have.
    float value = std::ldexp(float(int64_t(engine())), -int(engine() % 66));
    return bitsOf(engine() % 2 ? value : std::nearbyint(value) + 0.5f);
  });
  auto reals = combine({specialReals()}, 3000, [](std::mt19937_64 &engine) {
    double value = std::ldexp(double(int64_t(engine())), -int(engine() % 66));
    return bitsOf(engine() % 2 ? value : std::nearbyint(value) + 0.5);
  });
  for (std::string to : integers) {
    for (auto [name, round] : integerModes) {
      std::string head = std::string("cvt.") + name;
      for (bool flushes : {false, true}) {
        expectEach({head + (flushes ? ".ftz." : ".") + to + ".f32 %d, %a;",
                    held(to),
                    {32}},
                   singles, [&, round = round](const Row &row) {
                     float value = single(row[0]);
                     return toInteger(to, flushes ? flushed(value) : value,
                                      false, round);
                   });
      }
      expectEach({head + ".sat." + to + ".f32 %d, %a;", held(to), {32}},
                 singles, [&, round = round](const Row &row) {
                   return toInteger(to, single(row[0]), false, round);
                 });
      expectEach({head + "." + to + ".f64 %d, %a;", held(to), {64}}, reals,
                 [&, round = round](const Row &row) {
                   return toInteger(to, real(row[0]), true, round);
                 });
      if (widthOf(to) % 32 == 8) {
        for (bool isHalf : {true, false}) {
          const SmallFormat &format = isHalf ? halfFormat() : bfloatFormat();
          expectEach(
              {head + "." + to + (isHalf ? ".f16" : ".bf16") + " %d, %a;",
               held(to),
               {16}},
              all16(), [&, round = round](const Row &row) {
                return toInteger(to, format.value(row[0]), false, round);
              });
        }
      }
    }
  }
}

// From f32 in all modes, around each code of the format.
TEST(Conversion, singlesToHalves) {
  for (bool isHalf : {true, false}) {
    const SmallFormat &format = isHalf ? halfFormat() : bfloatFormat();
    std::string types = isHalf ? ".f16.f32 %d, %a;" : ".bf16.f32 %d, %a;";
    auto all = around(format);
    std::vector<Row> few;
    for (size_t i = 0; i < all.size(); i += 29) {
      few.push_back(all[i]);
    }
    for (auto [name, mode] : modes) {
      std::string head = std::string("cvt.") + name;
      const std::vector<Row> &rows = mode == Mode::nearest ? all : few;
      expectEach({head + types, 16, {32}}, rows,
                 [&, mode = mode](const Row &row) {
                   return format.round({single(row[0]), 0}, mode);
                 });
      expectEach({head + ".ftz" + types, 16, {32}}, few,
                 [&, mode = mode](const Row &row) {
                   return format.round({flushed(single(row[0])), 0}, mode);
                 });
      if (isHalf) {
        expectEach({head + ".sat" + types, 16, {32}}, few,
                   [&, mode = mode](const Row &row) -> uint64_t {
                     float x = single(row[0]);
                     return x > 0 ? format.round({std::min(x, 1.0f), 0}, mode)
                                  : 0;
                   });
      }
      if (mode == Mode::nearest || mode == Mode::zero) {
        expectEach({head + ".relu.satfinite" + types, 16, {32}}, few,
                   [&, mode = mode](const Row &row) -> uint64_t {
                     float x = single(row[0]);
                     return x <= 0 ? 0 : format.round({x, 0}, mode, true);
                   });
      }
    }
  }
}

TEST(Conversion, halvesToOthers) {
  for (bool isHalf : {true, false}) {
    const SmallFormat &format = isHalf ? halfFormat() : bfloatFormat();
    const SmallFormat &other = isHalf ? bfloatFormat() : halfFormat();
    std::string from = isHalf ? ".f16 %d, %a;" : ".bf16 %d, %a;";
    for (bool flushes : {false, true}) {
      expectEach({(flushes ? "cvt.ftz.f32" : "cvt.f32") + from, 32, {16}},
                 all16(), [&](const Row &row) {
                   float value = float(format.value(row[0]));
                   value = flushes ? flushed(value) : value;
                   return std::isnan(value) ? 0x7fffffff : bitsOf(value);
                 });
    }
    expectEach({"cvt.f64" + from, 64, {16}}, all16(), [&](const Row &row) {
      double value = format.value(row[0]);
      return std::isnan(value) ? 0xfff8000000000000 : bitsOf(value);
    });
    for (auto [name, mode] : modes) {
      expectEach(
          {std::string("cvt.") + name + (isHalf ? ".bf16" : ".f16") + from,
           16,
           {16}},
          all16(), [&, mode = mode](const Row &row) {
            return other.round({format.value(row[0]), 0}, mode);
          });
    }
    // "the value is rounded to an integer"
    for (auto [name, round] : integerModes) {
      expectEach(
          {std::string("cvt.") + name + (isHalf ? ".f16" : ".bf16") + from,
           16,
           {16}},
          all16(), [&, round = round](const Row &row) {
            return format.round({round(format.value(row[0])), 0},
                                Mode::nearest);
          });
    }
  }
}

TEST(Conversion, singlesAndReals) {
  auto reals = combine({specialReals()}, 3000, [](std::mt19937_64 &engine) {
    // Values next to the middle of two f32s, also subnormal ones.
    double at = single(engine() & 0xff7fffff);
    double middle = (at + std::nextafterf(float(at), 1e38f)) / 2;
    return engine() % 3 ? bitsOf(middle) + engine() % 3 - 1 : engine();
  });
  for (auto [name, mode] : modes) {
    for (bool flushes : {false, true}) {
      expectEach({std::string("cvt.") + name + (flushes ? ".ftz" : "") +
                      ".f32.f64 %d, %a;",
                  32,
                  {64}},
                 reals, [&, mode = mode](const Row &row) {
                   float value = roundSingle({real(row[0]), 0}, mode);
                   return bitsOf(flushes ? flushed(value) : value);
                 });
    }
    expectEach({std::string("cvt.") + name + ".f16.f64 %d, %a;", 16, {64}},
               reals, [mode = mode](const Row &row) {
                 return halfFormat().round({real(row[0]), 0}, mode);
               });
    expectEach({std::string("cvt.") + name + ".bf16.f64 %d, %a;", 16, {64}},
               reals, [mode = mode](const Row &row) {
                 return bfloatFormat().round({real(row[0]), 0}, mode);
               });
  }
  auto singles = combine({specialSingles()}, 2000, randomSingle);
  expectEach({"cvt.f64.f32 %d, %a;", 64, {32}}, singles, [](const Row &row) {
    double value = single(row[0]);
    return std::isnan(value) ? 0xfff8000000000000 : bitsOf(value);
  });
  for (bool flushes : {false, true}) {
    for (auto [name, round] : integerModes) {
      expectEach({std::string("cvt.") + name + (flushes ? ".ftz" : "") +
                      ".f32.f32 %d, %a;",
                  32,
                  {32}},
                 singles, [&, round = round](const Row &row) {
                   float value = single(row[0]);
                   double whole = round(flushes ? flushed(value) : value);
                   return std::isnan(whole) ? 0x7fffffff : bitsOf(float(whole));
                 });
    }
    expectEach(
        {flushes ? "cvt.ftz.sat.f32.f32 %d, %a;" : "cvt.sat.f32.f32 %d, %a;",
         32,
         {32}},
        singles, [&](const Row &row) {
          float x = single(row[0]);
          x = flushes ? flushed(x) : x;
          return bitsOf(x > 0 ? std::min(x, 1.0f) : 0.0f);
        });
  }
  expectEach({"cvt.rmi.f64.f64 %d, %a;", 64, {64}}, reals, [](const Row &row) {
    double value = real(row[0]);
    return std::isnan(value) ? row[0] | 0x0008000000000000
                             : bitsOf(std::floor(value));
  });
}

TEST(Conversion, pairsOfSingles) {
  for (bool isHalf : {true, false}) {
    const SmallFormat &format = isHalf ? halfFormat() : bfloatFormat();
    auto list = around(format);
    std::vector<Row> rows;
    for (size_t i = 0; i < list.size(); i += 53) {
      rows.push_back({list[i][0], list[(i * 7 + 3) % list.size()][0]});
    }
    for (int choice = 0; choice < 8; ++choice) {
      bool zero = choice & 1, clamps = choice & 2, finite = choice & 4;
      auto convert = [&](uint64_t bits) -> uint64_t {
        float x = single(bits);
        return clamps && x <= 0
                   ? 0
                   : format.round({x, 0}, zero ? Mode::zero : Mode::nearest,
                                  finite);
      };
      expectEach({std::string(zero ? "cvt.rz" : "cvt.rn") +
                      (clamps ? ".relu" : "") + (finite ? ".satfinite" : "") +
                      (isHalf ? ".f16x2" : ".bf16x2") + ".f32 %d, %a, %b;",
                  32,
                  {32, 32}},
                 rows, [&](const Row &row) {
                   return convert(row[0]) << 16 | convert(row[1]);
                 });
    }
  }
}

TEST(Conversion, bytesOfFloats) {
  for (bool isE4M3 : {true, false}) {
    const SmallFormat &format = isE4M3 ? e4m3Format() : e5m2Format();
    std::string name = isE4M3 ? "e4m3x2" : "e5m2x2";
    auto list = around(format);
    std::vector<Row> rows;
    for (size_t i = 0; i < list.size(); ++i) {
      rows.push_back({list[i][0], list[(i * 7 + 3) % list.size()][0]});
    }
    std::vector<Row> pairs = all16();
    for (Row &row : pairs) {
      row[0] |= (row[0] * 0x9e37 + 0x1234 & 0xffff) << 16;
    }
    for (bool clamps : {false, true}) {
      std::string relu = clamps ? ".relu" : "";
      auto convert = [&](double x) -> uint64_t {
        return clamps && x <= 0 ? 0 : format.round({x, 0}, Mode::nearest, true);
      };
      expectEach({"cvt.rn.satfinite" + relu + "." + name + ".f32 %d, %a, %b;",
                  16,
                  {32, 32}},
                 rows, [&](const Row &row) {
                   return convert(single(row[0])) << 8 |
                          convert(single(row[1]));
                 });
      expectEach(
          {"cvt.rn.satfinite" + relu + "." + name + ".f16x2 %d, %a;", 16, {32}},
          pairs, [&](const Row &row) {
            return convert(halfFormat().value(row[0] >> 16)) << 8 |
                   convert(halfFormat().value(row[0] & 0xffff));
          });
      expectEach({"cvt.rn" + relu + ".f16x2." + name + " %d, %a;", 32, {16}},
                 all16(), [&](const Row &row) {
                   auto half = [&](uint64_t code) -> uint64_t {
                     double x = format.value(code);
                     return clamps && x <= 0
                                ? 0
                                : halfFormat().round({x, 0}, Mode::nearest);
                   };
                   return half(row[0] >> 8) << 16 | half(row[0] & 0xff);
                 });
    }
  }
}

TEST(Conversion, tf32) {
  auto rows = around(tf32Format());
  struct Case {
    const char *name;
    Mode mode;
    bool clamps, finite;
  };
  for (Case each : {Case{"rna", Mode::away, false, false},
                    Case{"rna.satfinite", Mode::away, false, true},
                    Case{"rn", Mode::nearest, false, false},
                    Case{"rn.relu", Mode::nearest, true, false},
                    Case{"rz", Mode::zero, false, false},
                    Case{"rz.relu", Mode::zero, true, false}}) {
    expectEach(
        {std::string("cvt.") + each.name + ".tf32.f32 %d, %a;", 32, {32}}, rows,
        [&](const Row &row) -> uint64_t {
          float x = single(row[0]);
          return each.clamps && x <= 0
                     ? 0
                     : tf32Format().round({x, 0}, each.mode, each.finite) << 13;
        });
  }
}

// PTX ISA, "Data Movement and Conversion Instructions: cvt.pack"
TEST(Conversion, pack) {
  auto rows = combine(
      {specialIntegers(32), specialIntegers(32), {0, 0xffffffff, 0x12345678}},
      2000, [](std::mt19937_64 &engine) {
        return uint64_t(int64_t(engine()) >> (engine() % 32 + 32));
      });
  for (std::string type : {"u16", "s16", "u2", "s2", "u4", "s4", "u8", "s8"}) {
    int size = widthOf(type);
    auto saturated = [&](uint64_t bits) {
      int64_t most = (int64_t(1) << (size - (type[0] == 's'))) - 1;
      int64_t least = type[0] == 's' ? -most - 1 : 0;
      int64_t value = asSigned(bits, 32);
      return lowBits(uint64_t(std::clamp(value, least, most)), size);
    };
    bool hasRest = size < 16;
    expectEach({"cvt.pack.sat." + type + ".s32" +
                    (hasRest ? ".b32 %d, %a, %b, %c;" : " %d, %a, %b;"),
                32,
                {32, 32, 32}},
               rows, [&](const Row &row) {
                 uint64_t d = saturated(row[1]) | saturated(row[0]) << size;
                 return hasRest
                            ? lowBits(d | lowBits(row[2], 32) << 2 * size, 32)
                            : d;
               });
  }
}
