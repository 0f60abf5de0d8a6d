//===- OperandsTest.cpp - PTX ISA, "Instruction Operands" -----------------===//
#include "Parse.h"

namespace cheems::emulator::ptx {
namespace {

using testing::HasSubstr;

const Address &addressOf(const Operand &operand) {
  return std::get<Address>(operand.value);
}

TEST(PTXOperands, AreRegistersNumbersAndSinks) {
  auto parsed = parseKernel("mov.b32 _, %r1; mov.b32 %r2, -7;");
  EXPECT_TRUE(std::holds_alternative<Sink>(parsed.operand(0, 0).value));
  EXPECT_EQ(nameOf(parsed.operand(0, 1)), "%r1");
  EXPECT_EQ(immediateOf(parsed.operand(1, 1)).bits, uint64_t(-7));
  EXPECT_EQ(parsed.operand(1, 1).location.column, 30);
}

TEST(PTXOperands, MayBeNegated) {
  auto parsed = parseKernel("selp.b32 %r1, %r2, -%r3, !%p1;");
  EXPECT_FALSE(parsed.operand(0, 1).negated);
  EXPECT_TRUE(parsed.operand(0, 2).negated);
  EXPECT_EQ(nameOf(parsed.operand(0, 2)), "%r3");
  EXPECT_TRUE(parsed.operand(0, 3).negated);
}

TEST(PTXOperands, MayBePairsOfDestinations) {
  auto parsed = parseKernel("setp.lt.s32 %p1|%p2, %r1, %r2; "
                            "elect.sync _|%p1, -1; shfl.sync.b32 %r1|_, 1;");
  const auto &both = std::get<PairOperand>(parsed.operand(0, 0).value);
  EXPECT_EQ(nameOf(*both.first), "%p1");
  EXPECT_EQ(nameOf(*both.second), "%p2");
  const auto &second = std::get<PairOperand>(parsed.operand(1, 0).value);
  EXPECT_TRUE(std::holds_alternative<Sink>(second.first->value));
  const auto &first = std::get<PairOperand>(parsed.operand(2, 0).value);
  EXPECT_TRUE(std::holds_alternative<Sink>(first.second->value));
}

// "Vectors as Operands"
TEST(PTXOperands, MayBeVectors) {
  auto parsed = parseKernel("mov.b64 {%r1, _, 3, %v.z}, %rd1;");
  const auto &elements =
      std::get<VectorOperand>(parsed.operand(0, 0).value).elements;
  ASSERT_EQ(elements.size(), 4u);
  EXPECT_EQ(nameOf(elements[0]), "%r1");
  EXPECT_TRUE(std::holds_alternative<Sink>(elements[1].value));
  EXPECT_EQ(immediateOf(elements[2]).bits, 3u);
  EXPECT_EQ(elements[3].component, 2);
}

TEST(PTXOperands, MayBeComponentsOfVectorRegisters) {
  auto parsed = parseKernel("mov.f32 %v.x, %v.a; mov.v4.f32 %v, %v;");
  EXPECT_EQ(parsed.operand(0, 0).component, 0);
  EXPECT_EQ(parsed.operand(0, 1).component, 3);
  EXPECT_EQ(parsed.operand(1, 0).component, -1);
}

// "Using Addresses, Arrays, and Vectors"
TEST(PTXOperands, MayBeAddresses) {
  auto parsed = parseKernel("ld.b32 %r1, [%rd1]; ld.b32 %r1, [%rd1 + 4 * 2]; "
                            "ld.b32 %r1, [%rd1+-4]; ld.b32 %r1, [x+4]; "
                            "ld.b32 %r1, [16]; ld.b32 %r1, [argument];",
                            ".global .b32 x[4];");
  EXPECT_EQ(nameOf(*addressOf(parsed.operand(0, 1)).base), "%rd1");
  EXPECT_EQ(addressOf(parsed.operand(0, 1)).offset, 0);
  EXPECT_EQ(addressOf(parsed.operand(1, 1)).offset, 8);
  EXPECT_EQ(addressOf(parsed.operand(2, 1)).offset, -4);
  EXPECT_EQ(nameOf(*addressOf(parsed.operand(3, 1)).base), "x");
  EXPECT_EQ(addressOf(parsed.operand(4, 1)).base, nullptr);
  EXPECT_EQ(addressOf(parsed.operand(4, 1)).offset, 16);
  EXPECT_EQ(nameOf(*addressOf(parsed.operand(5, 1)).base), "argument");
}

TEST(PTXOperands, AddressesMayHaveCoordinates) {
  auto parsed = parseKernel("x [%rd1, {%r1, 5}]; y [%rd1, %r2];");
  const Address &map = addressOf(parsed.operand(0, 0));
  EXPECT_EQ(nameOf(*map.base), "%rd1");
  ASSERT_EQ(map.coordinates.size(), 2u);
  EXPECT_EQ(immediateOf(map.coordinates[1]).bits, 5u);
  EXPECT_EQ(nameOf(addressOf(parsed.operand(1, 0)).coordinates.at(0)), "%r2");
}

// "Arrays as Operands"
TEST(PTXOperands, AnElementIsAnAddress) {
  auto parsed = parseKernel("ld.global.b32 %r1, x[2]; mov.u64 %rd1, x[3]; "
                            "mov.u64 %rd1, x + 4; mov.u64 %rd1, x;",
                            ".global .b32 x[4];");
  EXPECT_EQ(addressOf(parsed.operand(0, 1)).offset, 8);
  EXPECT_EQ(nameOf(parsed.operand(1, 1)), "x");
  EXPECT_EQ(parsed.operand(1, 1).addend, 12);
  EXPECT_EQ(parsed.operand(2, 1).addend, 4);
  EXPECT_EQ(parsed.operand(3, 1).addend, 0);
  EXPECT_THROW(parseKernel("ld.global.b32 %r1, x[%r2];", ".global .b32 x[4];"),
               NotModelled);
}

TEST(PTXOperands, MayBeFunctions) {
  auto parsed = parseKernel("mov.u64 %rd1, f;", ".func f();");
  EXPECT_EQ(std::get<const Function *>(parsed.operand(0, 1).value)->name, "f");
}

TEST(PTXOperands, RefuseWrongSigns) {
  EXPECT_THAT(kernelRefusal("mov.b32 %r1, -%tid.x;"),
              HasSubstr("only registers and numbers have a sign"));
  EXPECT_THAT(kernelRefusal("mov.b32 %r1, !argument;"),
              HasSubstr("have a sign"));
}

TEST(PTXOperands, RefuseWrongPairs) {
  EXPECT_THAT(kernelRefusal("setp.lt.s32 %p1|%tid.x, 1, 2;"),
              HasSubstr("both sides of '|' are registers"));
  EXPECT_THAT(kernelRefusal("setp.lt.s32 argument|%p1, 1, 2;"),
              HasSubstr("both sides of '|'"));
  EXPECT_THAT(kernelRefusal("setp.lt.s32 %p1|3, 1, 2;"), HasSubstr("'3'"));
}

TEST(PTXOperands, RefuseWrongVectors) {
  EXPECT_THAT(kernelRefusal("ld.b32 {}, [%rd1];"), HasSubstr("'}' stands"));
  EXPECT_THAT(kernelRefusal("ld.b32 {%r1,}, [%rd1];"), HasSubstr("'}'"));
  EXPECT_THAT(kernelRefusal("ld.b32 {{%r1}}, [%rd1];"), HasSubstr("'{'"));
  EXPECT_THAT(kernelRefusal("ld.b32 {%r1;"), HasSubstr("'}' after"));
}

TEST(PTXOperands, RefuseWrongComponents) {
  EXPECT_THAT(kernelRefusal("mov.f32 %f1, %f2.x;"),
              HasSubstr("'.x' is no component of '%f2'"));
  EXPECT_THAT(kernelRefusal(".reg .v2 .f32 two; mov.f32 %f1, two.z;"),
              HasSubstr("'.z' is no component of 'two'"));
  EXPECT_THAT(kernelRefusal("mov.f32 %f1, %v.xy;"),
              HasSubstr("'.xy' is no component"));
}

TEST(PTXOperands, RefuseWrongAddresses) {
  EXPECT_THAT(kernelRefusal("ld.b32 %r1, [%rd1 - 4];"),
              HasSubstr("'-' stands where '+' and a number"));
  EXPECT_THAT(kernelRefusal("ld.b32 %r1, [%rd1 + %rd2];"),
              HasSubstr("'%rd2' stands where a constant"));
  EXPECT_THAT(kernelRefusal("ld.b32 %r1, [4 + %rd2];"), HasSubstr("'%rd2'"));
  EXPECT_THAT(kernelRefusal("ld.b32 %r1, [f];", ".func f();"),
              HasSubstr("an address starts with"));
  EXPECT_THAT(kernelRefusal("ld.b32 %r1, [%tid.x];"),
              HasSubstr("an address starts with"));
  EXPECT_THAT(kernelRefusal("ld.b32 %r1, [%rd1 + 1.5];"),
              HasSubstr("an integer is expected"));
  EXPECT_THAT(kernelRefusal("ld.b32 %r1, [];"), HasSubstr("']' stands"));
  EXPECT_THAT(kernelRefusal("ld.b32 %r1, [%rd1;"), HasSubstr("']' after"));
}

} // namespace
} // namespace cheems::emulator::ptx
