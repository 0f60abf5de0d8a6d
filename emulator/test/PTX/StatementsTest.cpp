//===- StatementsTest.cpp - Instructions, branches and calls --------------===//
// PTX ISA, "Instruction Statements", "Control Flow Instructions" and "Control
// Flow Directives"
#include "Parse.h"

namespace cheems::emulator::ptx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(PTXStatements, HaveOpcodeAndModifiers) {
  auto parsed = parseKernel("ld.global.v4 .b32 {%r1, %r2, %r3, %r4}, [%rd1];"
                            "\n ret;");
  EXPECT_EQ(parsed[0].opcode, "ld");
  EXPECT_THAT(parsed[0].modifiers, ElementsAre("global", "v4", "b32"));
  EXPECT_EQ(parsed[0].operands.size(), 2u);
  EXPECT_EQ(parsed[1].opcode, "ret");
  EXPECT_EQ(parsed[1].location.line, 8);
  EXPECT_EQ(parsed[1].location.column, 2);
  EXPECT_TRUE(parsed[1].operands.empty());
}

// "Predicated Execution"
TEST(PTXStatements, MayHaveAGuard) {
  auto parsed = parseKernel("@%p1 ret; @!%p2 ret; @ ! %p3 ret; ret;");
  EXPECT_EQ(parsed[0].guard->predicate->name, "%p1");
  EXPECT_FALSE(parsed[0].guard->negated);
  EXPECT_TRUE(parsed[1].guard->negated);
  EXPECT_TRUE(parsed[2].guard->negated);
  EXPECT_FALSE(parsed[3].guard);
}

TEST(PTXStatements, AGuardIsAPredicate) {
  EXPECT_THAT(kernelRefusal("@%r1 ret;"), HasSubstr("a guard is a predicate"));
  EXPECT_THAT(kernelRefusal("@3 ret;"), HasSubstr("'3' stands"));
  EXPECT_THAT(kernelRefusal("@%p1 { ret; }"),
              HasSubstr("'{' stands where an instruction"));
  EXPECT_THAT(kernelRefusal("@%p1 a: ret;"), HasSubstr("':' stands"));
}

TEST(PTXStatements, BlocksHoldStatementsInOrder) {
  auto parsed = parseKernel("{ add.s32 %r1, %r1, 1; { ret; } } { } exit;");
  EXPECT_EQ(parsed.kernel.statements.size(), 3u);
  EXPECT_EQ(parsed[1].opcode, "ret");
  EXPECT_EQ(parsed[2].opcode, "exit");
}

TEST(PTXStatements, RefuseWhatIsNone) {
  EXPECT_THAT(kernelRefusal(";"), HasSubstr("';' stands where a statement"));
  EXPECT_THAT(kernelRefusal("add.s32 %r1, %r1"),
              HasSubstr("line 8: column 1: '}' stands where ';' after"));
  EXPECT_THAT(kernelRefusal("add.s32 %r1,;"), HasSubstr("';' stands"));
  EXPECT_THAT(kernelRefusal(".foo;"), HasSubstr("'.foo' stands"));
  EXPECT_THAT(kernelRefusal(".maxnreg 3;"), HasSubstr("'.maxnreg' stands"));
  EXPECT_THAT(kernelRefusal(std::string(1000, '{')),
              HasSubstr("nested too deep"));
  EXPECT_THAT(refusal(".entry k() { ret;"),
              HasSubstr("the text ends where a statement or '}'"));
}

// "brx.idx" and ".branchtargets"
TEST(PTXStatements, AnIndexedBranchHasAListOfLabels) {
  auto parsed = parseKernel("list: .branchtargets a, b, a; "
                            "brx.idx.uni %r1, list; a: ret; b: ret;");
  ASSERT_EQ(parsed[0].operands.size(), 1u);
  ASSERT_EQ(parsed[0].targets.size(), 3u);
  EXPECT_EQ(parsed[0].targets[0].target, 1u);
  EXPECT_EQ(parsed[0].targets[1].target, 2u);
  EXPECT_EQ(parsed[0].targets[2].name, "a");
}

TEST(PTXStatements, RefuseWrongIndexedBranches) {
  EXPECT_THAT(kernelRefusal("brx.idx %r1, a; a: .branchtargets b; b:"),
              HasSubstr("'a' is no .branchtargets list"));
  EXPECT_THAT(kernelRefusal("a: ret; brx.idx %r1, a;"),
              HasSubstr("'a' is no .branchtargets list"));
  EXPECT_THAT(kernelRefusal("a: .branchtargets b; brx.idx %r1, a;"),
              HasSubstr("'b' is no label"));
  EXPECT_THAT(kernelRefusal("brx.idx %r1;"), HasSubstr("';' stands"));
  EXPECT_THAT(kernelRefusal(".branchtargets a; a:"),
              HasSubstr("'.branchtargets' stands"));
}

constexpr char functions[] = ".func (.param .b32 r) f(.param .b32 a); "
                             ".func g(); ";

// "call"
TEST(PTXStatements, ACallHasResultsCalleeAndArguments) {
  auto parsed = parseKernel(".param .b32 a, r; call.uni (r), f, (a); "
                            "call g; call g, ();",
                            functions);
  EXPECT_THAT(parsed[0].modifiers, ElementsAre("uni"));
  EXPECT_TRUE(parsed[0].operands.empty());
  EXPECT_EQ(nameOf(parsed[0].results.at(0)), "r");
  EXPECT_EQ(std::get<const Function *>(parsed[0].callee->value)->name, "f");
  EXPECT_EQ(nameOf(parsed[0].arguments.at(0)), "a");
  EXPECT_TRUE(parsed[1].arguments.empty());
  EXPECT_TRUE(parsed[2].arguments.empty());
}

TEST(PTXStatements, ArgumentsMayBeRegistersAndNumbers) {
  auto parsed = parseKernel(
      "call (%r1, _), f, (%r2, 7);",
      ".func (.reg .b32 a, .reg .b32 b) f(.reg .b32 c, .reg .b32 d);");
  EXPECT_EQ(parsed[0].results.size(), 2u);
  EXPECT_EQ(immediateOf(parsed[0].arguments.at(1)).bits, 7u);
}

// ".callprototype" and ".calltargets"
TEST(PTXStatements, ACallByRegisterNamesAPrototype) {
  auto parsed =
      parseKernel("p: .callprototype (.param .b32 _) _ (.param .b32 _); "
                  "t: .calltargets f, g; q: .callprototype _ .noreturn; "
                  ".param .b32 a; call (a), %rd1, (a), p; call %rd1, t; "
                  "call %rd1, q;",
                  functions);
  EXPECT_EQ(nameOf(*parsed[0].callee), "%rd1");
  EXPECT_EQ(parsed[0].prototype, "p");
  EXPECT_EQ(parsed[1].prototype, "t");
}

TEST(PTXStatements, RefuseWrongCalls) {
  EXPECT_THAT(kernelRefusal("call h;"), HasSubstr("'h' is not declared"));
  EXPECT_THAT(kernelRefusal("call argument;"),
              HasSubstr("what is called is a function or a register"));
  EXPECT_THAT(kernelRefusal("call %rd1;"), HasSubstr("and a prototype"));
  EXPECT_THAT(kernelRefusal("call %rd1, (%r1);"), HasSubstr("and a prototype"));
  EXPECT_THAT(kernelRefusal("call %rd1, p; p: .callprototype _;"),
              HasSubstr("'p' is no .callprototype"));
  EXPECT_THAT(kernelRefusal("a: .calltargets h;"),
              HasSubstr("'h' is no function"));
  EXPECT_THAT(kernelRefusal("a: .callprototype f;", functions),
              HasSubstr("'f' stands where '_'"));
  EXPECT_THAT(kernelRefusal("call (%r1) f;", functions),
              HasSubstr("'f' stands where ','"));
  EXPECT_THAT(kernelRefusal("call g, (%r1;", functions), HasSubstr("';'"));
}

} // namespace
} // namespace cheems::emulator::ptx
