//===- DeclarationsTest.cpp -----------------------------------------------===//
// PTX ISA, "State Spaces, Types, and Variables"
#include "Parse.h"

namespace cheems::emulator::ptx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(PTXDeclarations, HaveSpaceTypeVectorAlignmentAndExtents) {
  auto parsed = module(".visible .global .align 16 .v2 .f32 table[3][5];");
  const Variable &table = *parsed->variables.at(0);
  EXPECT_EQ(table.space, StateSpace::global);
  EXPECT_EQ(table.linkage, Linkage::visible);
  EXPECT_EQ(table.type.kind, Kind::floating);
  EXPECT_EQ(table.type.width, 32);
  EXPECT_EQ(table.type.text, "f32");
  EXPECT_EQ(table.vector, 2);
  EXPECT_EQ(table.byteAlignment(), 16u);
  EXPECT_THAT(table.extents, ElementsAre(3, 5));
  EXPECT_EQ(table.elementBytes(), 8u);
  EXPECT_EQ(table.bytes(), 120u);
  EXPECT_EQ(table.location.line, 4);
  EXPECT_EQ(table.location.column, 37);
}

TEST(PTXDeclarations, HaveTheNaturalAlignmentOfTheirType) {
  auto parsed = module(".global .v4 .b32 four; .global .b16 half;");
  EXPECT_EQ(parsed->variables.at(0)->byteAlignment(), 16u);
  EXPECT_EQ(parsed->variables.at(1)->byteAlignment(), 2u);
}

TEST(PTXDeclarations, KnowAllFundamentalTypes) {
  for (std::string type :
       {"b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8",
        "s16", "s32", "s64", "f16", "f32", "f64", "f16x2", "pred"}) {
    EXPECT_EQ(kernelRefusal(".reg ." + type + " x;"), "") << type;
  }
  for (std::string type : {"texref", "samplerref", "surfref"}) {
    EXPECT_EQ(refusal(".global ." + type + " x;"), "") << type;
  }
}

TEST(PTXDeclarations, OneDirectiveDeclaresMany) {
  auto parsed = module(".global .b32 a, b[4], c = 3;");
  ASSERT_EQ(parsed->variables.size(), 3u);
  EXPECT_EQ(parsed->variables[1]->bytes(), 16u);
  EXPECT_EQ(parsed->variables[2]->initial.size(), 1u);
}

// "Parameterized Variable Names"
TEST(PTXDeclarations, ARangeDeclaresItsNames) {
  auto parsed = parseKernel(".reg .b64 x<20>, x2<5>; mov.b64 x19, x24;");
  EXPECT_EQ(nameOf(parsed.operand(0, 0)), "x19");
  EXPECT_EQ(nameOf(parsed.operand(0, 1)), "x24");
  EXPECT_THAT(kernelRefusal(".reg .b64 x<20>; mov.b64 x20, 1;"),
              HasSubstr("'x20' is not declared"));
  EXPECT_THAT(kernelRefusal(".reg .b64 x<20>; mov.b64 x01, 1;"),
              HasSubstr("'x01' is not declared"));
}

TEST(PTXDeclarations, ARegisterOfARangeIsOneVariable) {
  auto parsed = parseKernel("mov.b32 %r3, %r4; mov.b32 %r4, %r3;");
  EXPECT_EQ(std::get<const Variable *>(parsed.operand(0, 0).value),
            std::get<const Variable *>(parsed.operand(1, 1).value));
  EXPECT_EQ(parsed.kernel.variables.size(), 4u)
      << "the parameter, %v and two of the range";
}

TEST(PTXDeclarations, ARangeInMemoryHasAllItsVariables) {
  auto parsed = module(".global .b32 x<3>;");
  ASSERT_EQ(parsed->variables.size(), 3u);
  EXPECT_EQ(parsed->variables[2]->name, "x2");
  auto used = parseKernel("ld.global.b32 %r1, [x2];", ".global .b32 y, x<3>;");
  const auto &address = std::get<Address>(used.operand(0, 1).value);
  EXPECT_EQ(nameOf(*address.base), "x2");
}

// "Kernel Parameter Attribute: .ptr"
TEST(PTXDeclarations, AParameterMayBeAPointer) {
  auto parsed = module(".entry k(.param .u64 .ptr .shared .align 8 a, "
                       ".param .align 4 .b8 b[12], .param .u64 .ptr c) {}");
  auto &parameters = parsed->functions.at(0)->parameters;
  ASSERT_EQ(parameters.size(), 3u);
  EXPECT_TRUE(parameters[0]->pointer);
  EXPECT_EQ(parameters[0]->pointee, StateSpace::shared);
  EXPECT_EQ(parameters[0]->pointeeAlignment, 8);
  EXPECT_EQ(parameters[1]->bytes(), 12u);
  EXPECT_EQ(parameters[1]->byteAlignment(), 4u);
  EXPECT_EQ(parameters[2]->pointee, StateSpace::generic);
}

// "External linkage directives": a definition replaces the declaration.
TEST(PTXDeclarations, ADefinitionFollowsAnExternDeclaration) {
  auto parsed = module(".extern .global .b32 x[]; .visible .global .b32 x[3];");
  ASSERT_EQ(parsed->variables.size(), 1u);
  EXPECT_EQ(parsed->variables[0]->linkage, Linkage::visible);
  EXPECT_EQ(parsed->variables[0]->bytes(), 12u);
}

TEST(PTXDeclarations, AnExternArrayOfSharedMemoryHasNoSize) {
  auto parsed = module(".extern .shared .align 16 .b8 memory[];");
  EXPECT_THAT(parsed->variables.at(0)->extents, ElementsAre(0));
  EXPECT_EQ(parsed->variables[0]->bytes(), 0u);
}

TEST(PTXDeclarations, FunctionsHaveMemoryOfTheirOwn) {
  auto parsed =
      parseKernel(".shared .b32 a[4]; { .local .b64 b; } "
                  ".const .b32 c = 3; .global .b32 d; .param .b32 e;");
  EXPECT_EQ(parsed.kernel.variables.size(), 7u) << "with the parameter and %v";
  EXPECT_EQ(parsed.module->variables.size(), 0u);
}

TEST(PTXDeclarations, ManagedIsAnAttribute) {
  EXPECT_EQ(refusal(".global .attribute(.managed) .b32 x;"), "");
  EXPECT_THAT(refusal(".global .attribute(.unified(1, 2)) .b32 x;"),
              HasSubstr("'.unified' stands where '.managed'"));
}

TEST(PTXDeclarations, RefuseTypesThatOnlyInstructionsHave) {
  for (std::string type : {"bf16", "tf32", "e4m3", "u16x2", "f32x2", "b1"}) {
    EXPECT_THAT(
        kernelRefusal(".reg ." + type + " x;"),
        HasSubstr("'." + type + "' stands where the type of a variable"));
  }
}

TEST(PTXDeclarations, RefuseWrongSpaces) {
  for (std::string space : {".reg", ".local", ".param"}) {
    EXPECT_THAT(refusal(space + " .b32 x;"), HasSubstr("into a function"));
  }
  EXPECT_THAT(refusal(".global .pred x;"),
              HasSubstr("a predicate is a register"));
  EXPECT_THAT(refusal(".shared .texref x;"),
              HasSubstr("'.texref' is a type of global variables"));
  EXPECT_THAT(refusal(".common .const .b32 x;"),
              HasSubstr(".common is for global variables"));
  EXPECT_THAT(refusal(".const[2] .b32 x;"),
              HasSubstr("'[' stands where the type"));
}

TEST(PTXDeclarations, RefuseWrongVectors) {
  EXPECT_THAT(kernelRefusal(".reg .v3 .b32 x;"), HasSubstr("'.v3' stands"));
  EXPECT_THAT(kernelRefusal(".reg .v4 .b64 x;"),
              HasSubstr("a vector has at most 128 bits"));
  EXPECT_THAT(kernelRefusal(".reg .v2 .pred x;"), HasSubstr("no predicates"));
}

TEST(PTXDeclarations, RefuseWrongAlignments) {
  for (std::string alignment : {"3", "0", "131072"}) {
    EXPECT_THAT(refusal(".global .align " + alignment + " .b32 x;"),
                HasSubstr("must be a power of two"));
  }
  EXPECT_THAT(refusal(".global .b32 .align 8 x;"),
              HasSubstr("'.align' stands where the name"));
}

TEST(PTXDeclarations, RefuseWrongExtents) {
  EXPECT_THAT(refusal(".global .b32 x[0];"), HasSubstr("must not be zero"));
  EXPECT_THAT(refusal(".global .b32 x[2][];"), HasSubstr("only the first"));
  EXPECT_THAT(refusal(".global .b32 x[-1];"), HasSubstr("'-' stands"));
  EXPECT_THAT(refusal(".global .b32 x[1.5];"), HasSubstr("'1.5' stands"));
  EXPECT_THAT(refusal(".global .b32 x[];"), HasSubstr("has no size"));
  EXPECT_THAT(refusal(".global .b32 x[4294967296][4294967296];"),
              HasSubstr("larger than 2^48 bytes"));
  EXPECT_THAT(kernelRefusal(".reg .b32 x[3];"), HasSubstr("is no array"));
  EXPECT_THAT(refusal(".global .b32 x<65537>;"), HasSubstr("more than 65536"));
}

TEST(PTXDeclarations, RefuseANameTwice) {
  EXPECT_THAT(refusal(".global .b32 x, x;"),
              HasSubstr("line 4: column 17: 'x' is declared twice"));
  EXPECT_THAT(kernelRefusal(".reg .b32 %r8;"), HasSubstr("declared twice"));
  EXPECT_THAT(kernelRefusal(".reg .b32 x1; .reg .b32 x<3>;"),
              HasSubstr("a name of the range 'x' is declared twice"));
  EXPECT_THAT(kernelRefusal(".reg .b32 x<20>; .reg .b32 x1<3>;"),
              HasSubstr("a name of the range 'x1' is declared twice"));
  EXPECT_EQ(kernelRefusal(".reg .b32 x<10>; .reg .b32 x1<3>;"), "");
  EXPECT_THAT(kernelRefusal(".reg .b32 argument;"), HasSubstr("twice"));
  EXPECT_THAT(refusal(".entry k(.param .b32 a, .param .b32 a) {}"),
              HasSubstr("twice"));
  EXPECT_THAT(refusal(".global .b32 x; .func x() {}"), HasSubstr("twice"));
}

TEST(PTXDeclarations, RefuseNamesThatCannotBeDeclared) {
  EXPECT_THAT(kernelRefusal(".reg .b32 _;"), HasSubstr("cannot be declared"));
  EXPECT_THAT(kernelRefusal(".reg .b32 WARP_SZ;"),
              HasSubstr("cannot be declared"));
  EXPECT_THAT(kernelRefusal(".reg .b32 3;"), HasSubstr("'3' stands where"));
}

TEST(PTXDeclarations, RefuseADefinitionThatDiffersFromItsDeclaration) {
  EXPECT_THAT(refusal(".extern .global .b32 x; .visible .global .b64 x;"),
              HasSubstr("'x' was declared with another type"));
  EXPECT_THAT(refusal(".extern .global .b32 x; .global .b32 x;"),
              HasSubstr("needs .visible or .weak"));
}

TEST(PTXDeclarations, RefuseWrongParameters) {
  EXPECT_THAT(refusal(".entry k(.reg .b32 a) {}"),
              HasSubstr("'.reg' stands where a parameter"));
  EXPECT_THAT(refusal(".func f(.global .b32 a) {}"),
              HasSubstr("'.global' stands where a parameter"));
  EXPECT_THAT(refusal(".entry k(.param .b32 a[]) {}"),
              HasSubstr("a parameter of a kernel has a size"));
  EXPECT_THAT(refusal(".func f(.param .u64 .ptr .global a) {}"),
              HasSubstr("'.ptr' stands"));
  EXPECT_THAT(refusal(".entry k(.param .b32 a,) {}"), HasSubstr("')' stands"));
  EXPECT_THAT(refusal(".entry k(.param .b32) {}"), HasSubstr("or '_'"));
}

} // namespace
} // namespace cheems::emulator::ptx
