//===- ConstantExpressionTest.cpp -----------------------------------------===//
// PTX ISA, "Constant Expressions", "Integer Constant Expression Evaluation" and
// "Summary of Constant Expression Evaluation Rules"
#include "Parse.h"

#include <bit>

namespace cheems::emulator::ptx {
namespace {

using testing::HasSubstr;

Immediate value(const std::string &expression) {
  auto parsed = parseKernel("mov.b64 %rd1, " + expression + ";");
  return immediateOf(parsed.operand(0, 1));
}

int64_t integer(const std::string &expression) {
  EXPECT_EQ(value(expression).kind, Immediate::Kind::integer) << expression;
  return int64_t(value(expression).bits);
}

double real(const std::string &expression) {
  EXPECT_EQ(value(expression).kind, Immediate::Kind::real) << expression;
  return std::bit_cast<double>(value(expression).bits);
}

TEST(PTXConstantExpression, HasThePrecedenceOfC) {
  EXPECT_EQ(integer("1 + 2 * 3"), 7);
  EXPECT_EQ(integer("(1 + 2) * 3"), 9);
  EXPECT_EQ(integer("1 << 3 | 2"), 10);
  EXPECT_EQ(integer("10 - 3 - 2"), 5);
  EXPECT_EQ(integer("7 & 3 == 3"), 1);
  EXPECT_EQ(integer("1 || 0 && 0"), 1);
  EXPECT_EQ(integer("6 ^ 3 & 1"), 7);
  EXPECT_EQ(integer("0 ? 1 : 1 ? 2 : 3"), 2);
}

TEST(PTXConstantExpression, HasSignsComplementAndNegation) {
  EXPECT_EQ(integer("-3"), -3);
  EXPECT_EQ(integer("- -3"), 3);
  EXPECT_EQ(integer("+3"), 3);
  EXPECT_EQ(integer("~0"), -1);
  EXPECT_EQ(integer("!5"), 0);
  EXPECT_EQ(integer("!0"), 1);
}

TEST(PTXConstantExpression, IsUnsignedIfAnOperandIs) {
  EXPECT_EQ(integer("-6 / 2"), -3);
  EXPECT_EQ(integer("-6 / 2U"), int64_t(uint64_t(-6) / 2));
  EXPECT_EQ(integer("-1 < 1"), 1);
  EXPECT_EQ(integer("-1 < 1U"), 0);
  EXPECT_EQ(integer("0x8000000000000000 > 1"), 1);
  EXPECT_EQ(integer("~0 > 1"), 1) << "a complement is unsigned";
}

TEST(PTXConstantExpression, RemainderTakesItsOperandsAsUnsigned) {
  EXPECT_EQ(integer("7 % 4"), 3);
  EXPECT_EQ(integer("-7 % 4"), int64_t(uint64_t(-7) % 4));
}

TEST(PTXConstantExpression, ShiftsByTheTypeOfTheFirstOperand) {
  EXPECT_EQ(integer("-8 >> 1U"), -4);
  EXPECT_EQ(integer("~7 >> 60"), 15);
  EXPECT_EQ(integer("1 << 64"), 0);
  EXPECT_EQ(integer("-1 >> 100"), -1);
}

TEST(PTXConstantExpression, CastsChooseTheType) {
  EXPECT_EQ(integer("(.u64)-8 >> 60"), 15);
  EXPECT_EQ(integer("(.s64)~7 >> 60"), -1);
}

TEST(PTXConstantExpression, ComputesWithFloatingPointNumbers) {
  EXPECT_EQ(real("1.5 + 2.5 * 2.0"), 6.5);
  EXPECT_EQ(real("-(1.0 / 4.0)"), -0.25);
  EXPECT_EQ(integer("1.0 < 2.0"), 1);
  EXPECT_EQ(integer("1.0 == 2.0"), 0);
  EXPECT_EQ(real("1 ? 1.0 : 2.0"), 1.0);
}

TEST(PTXConstantExpression, KnowsTheSizeOfAWarp) {
  EXPECT_EQ(integer("WARP_SZ * 2"), 64);
}

TEST(PTXConstantExpression, RefusesDivisionByZero) {
  EXPECT_THAT(kernelRefusal("mov.b32 %r1, 1 / 0;"),
              HasSubstr("line 7: column 16: a constant expression divides by "
                        "zero"));
  EXPECT_THAT(kernelRefusal("mov.b32 %r1, 1 % 0;"), HasSubstr("by zero"));
}

TEST(PTXConstantExpression, RefusesAMixOfIntegersAndFloatingPointNumbers) {
  for (std::string expression : {"1.5 + 1", "1 ? 1 : 2.0"}) {
    EXPECT_THAT(kernelRefusal("mov.b32 %r1, " + expression + ";"),
                HasSubstr("are mixed"));
  }
  EXPECT_THAT(kernelRefusal("mov.b32 %r1, 1.5 % 2.0;"),
              HasSubstr("'%' takes integers"));
  for (std::string expression : {"!1.5", "~1.5", "1.5 ? 1 : 2"}) {
    EXPECT_THAT(kernelRefusal("mov.b32 %r1, " + expression + ";"),
                HasSubstr("an integer is expected"));
  }
}

TEST(PTXConstantExpression, RefusesExactBitsAsAnOperand) {
  for (std::string expression : {"-0f3f800000", "0f3f800000 + 0f3f800000"}) {
    EXPECT_THAT(kernelRefusal("mov.f32 %f1, " + expression + ";"),
                HasSubstr("no operand of a constant expression"));
  }
}

TEST(PTXConstantExpression, RefusesOtherCasts) {
  EXPECT_THAT(kernelRefusal("mov.b32 %r1, (.u32)3;"),
              HasSubstr("there are .s64 and .u64"));
}

TEST(PTXConstantExpression, RefusesDeepNesting) {
  std::string open(1000, '('), close(1000, ')'), minus(1000, '-');
  EXPECT_THAT(kernelRefusal("mov.b32 %r1, " + open + "1" + close + ";"),
              HasSubstr("nested too deep"));
  EXPECT_THAT(kernelRefusal("mov.b32 %r1, " + minus + "1;"),
              HasSubstr("nested too deep"));
}

} // namespace
} // namespace cheems::emulator::ptx
