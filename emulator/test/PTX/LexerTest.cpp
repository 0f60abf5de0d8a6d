//===- LexerTest.cpp - PTX ISA, "Syntax" ----------------------------------===//
#include "Parse.h"

namespace cheems::emulator::ptx {
namespace {

using testing::HasSubstr;

uint64_t integer(const std::string &literal) {
  auto parsed = parseKernel("mov.b64 %rd1, " + literal + ";");
  Immediate value = immediateOf(parsed.operand(0, 1));
  EXPECT_EQ(value.kind, Immediate::Kind::integer) << literal;
  return value.bits;
}

uint64_t real(const std::string &literal) {
  auto parsed = parseKernel("mov.f64 %rd1, " + literal + ";");
  Immediate value = immediateOf(parsed.operand(0, 1));
  EXPECT_EQ(value.kind, Immediate::Kind::real) << literal;
  return value.bits;
}

// "Integer Constants"
TEST(PTXLexer, ReadsIntegersOfFourBases) {
  EXPECT_EQ(integer("42"), 42u);
  EXPECT_EQ(integer("0"), 0u);
  EXPECT_EQ(integer("0x1fU"), 31u);
  EXPECT_EQ(integer("0XfF"), 255u);
  EXPECT_EQ(integer("017"), 15u);
  EXPECT_EQ(integer("0b101"), 5u);
  EXPECT_EQ(integer("18446744073709551615"), ~uint64_t(0));
}

// "Floating-Point Constants"
TEST(PTXLexer, ReadsFloatingPointNumbers) {
  EXPECT_EQ(real("1.5"), 0x3ff8000000000000u);
  EXPECT_EQ(real("1."), 0x3ff0000000000000u);
  EXPECT_EQ(real(".5"), 0x3fe0000000000000u);
  EXPECT_EQ(real("1e2"), 0x4059000000000000u);
  EXPECT_EQ(real("5E-1"), 0x3fe0000000000000u);
  EXPECT_EQ(real("0d3ff0000000000001"), 0x3ff0000000000001u);
  Immediate single =
      immediateOf(parseKernel("mov.f32 %f1, 0f3F800001;").operand(0, 1));
  EXPECT_EQ(single.kind, Immediate::Kind::single);
  EXPECT_EQ(single.bits, 0x3f800001u);
}

TEST(PTXLexer, RefusesWhatIsNoNumber) {
  for (std::string literal :
       {"089", "0x", "0xg", "12abc", "0b2", "0f3f80000", "0f3f8000000", "0d3ff",
        "1.5.5", "1e", "1e999", "3u"}) {
    EXPECT_THAT(
        kernelRefusal("mov.b32 %r1, " + literal + ";"),
        HasSubstr("ptx line 7: column 14: '" + literal + "' is no number"));
  }
  EXPECT_THAT(kernelRefusal("mov.b64 %rd1, 18446744073709551616;"),
              HasSubstr("does not fit into 64 bits"));
}

// "Identifiers"
TEST(PTXLexer, ReadsIdentifiersThatStartInFourWays) {
  auto parsed = parseKernel(
      ".reg .b32 a_1$, _x, $y, %z; mov.b32 a_1$, _x; mov.b32 $y, %z;");
  EXPECT_EQ(nameOf(parsed.operand(0, 0)), "a_1$");
  EXPECT_EQ(nameOf(parsed.operand(0, 1)), "_x");
  EXPECT_EQ(nameOf(parsed.operand(1, 0)), "$y");
  EXPECT_EQ(nameOf(parsed.operand(1, 1)), "%z");
}

TEST(PTXLexer, AnOpcodeIsAlsoAName) {
  auto parsed = parseKernel(".reg .b32 add; add.s32 add, add, add;");
  EXPECT_EQ(nameOf(parsed.operand(0, 0)), "add");
}

// "Comments"
TEST(PTXLexer, SkipsCommentsAndCountsTheirLines) {
  EXPECT_EQ(parseKernel("// one\n/* two\n three */ ret;")[0].location.line, 9);
  EXPECT_EQ(parseKernel("// one\n/* two\n three */ ret;")[0].location.column,
            11);
}

TEST(PTXLexer, ModifiersMayStartWithDigitsAndHaveColons) {
  auto parsed = parseKernel(
      "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes "
      "[%r1], [%rd1, {%r1, %r2}], [%r2];");
  EXPECT_THAT(parsed[0].modifiers,
              testing::ElementsAre("async", "bulk", "tensor", "2d",
                                   "shared::cta", "global",
                                   "mbarrier::complete_tx::bytes"));
}

TEST(PTXLexer, TextAfterAZeroByteIsNotRead) {
  std::string text = ".version 8.5\n.target sm_90a\n";
  text += '\0';
  text += "\x01 nothing that could be read";
  EXPECT_EQ(refusalOf(text), "");
}

TEST(PTXLexer, RefusesWhatStartsNoToken) {
  EXPECT_THAT(refusal("/* open"), HasSubstr("a comment has no end"));
  EXPECT_THAT(refusal(".pragma \"open"), HasSubstr("a string has no end"));
  EXPECT_THAT(refusal(".pragma \"open\n\";"), HasSubstr("a string has no end"));
  EXPECT_THAT(refusal("  # 1"),
              HasSubstr("line 4: column 3: '#' starts no token"));
  EXPECT_THAT(refusal("\x80"), HasSubstr("a byte 0x80 starts no token"));
}

} // namespace
} // namespace cheems::emulator::ptx
