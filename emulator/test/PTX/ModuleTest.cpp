//===- ModuleTest.cpp - PTX ISA, "Directives" -----------------------------===//
#include "Parse.h"

namespace cheems::emulator::ptx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// "PTX Module Directives"
TEST(PTXModule, HasVersionTargetAndAddressSize) {
  auto parsed = parse(".version 9.4\n.target sm_90a, debug\n"
                      ".address_size 64");
  EXPECT_EQ(parsed->versionMajor, 9);
  EXPECT_EQ(parsed->versionMinor, 4);
  EXPECT_EQ(parsed->target, "sm_90a");
  EXPECT_THAT(parsed->targetOptions, ElementsAre("debug"));
  EXPECT_EQ(parsed->addressBits, 64);
}

TEST(PTXModule, AnAddressHas32BitsUnlessItSaysMore) {
  EXPECT_EQ(parse(".version 8.0 .target sm_80")->addressBits, 32);
}

TEST(PTXModule, RefusesAWrongBeginning) {
  EXPECT_THAT(refusalOf(""), HasSubstr("ptx line 1: column 1: the text ends "
                                       "where '.version'"));
  EXPECT_THAT(refusalOf(".target sm_80"), HasSubstr("where '.version'"));
  EXPECT_THAT(refusalOf(".version 8"), HasSubstr("is no version like 8.5"));
  EXPECT_THAT(refusalOf(".version 8.5.1 "), HasSubstr("is no version"));
  EXPECT_THAT(refusalOf(".version x"), HasSubstr("where a version"));
  EXPECT_THAT(refusalOf(".version 8.5 .entry"), HasSubstr("where '.target'"));
  EXPECT_THAT(refusalOf(".version 8.5 .target 90"), HasSubstr("of a target"));
  EXPECT_THAT(refusalOf(".version 8.5 .target sm_90 .address_size 16"),
              HasSubstr("an address has 32 or 64 bits"));
  EXPECT_THAT(refusal(".version 8.5"), HasSubstr("'.version' stands"));
  EXPECT_THAT(refusal(".target sm_80"), HasSubstr("'.target' stands"));
  EXPECT_THAT(refusal("add.s32"), HasSubstr("where a variable or a function"));
}

// "Kernel Entry and Function Directives"
TEST(PTXModule, HasKernelsAndFunctions) {
  auto parsed = module(".visible .entry k(.param .u64 a) { ret; }\n"
                       ".weak .func (.param .b32 r) f(.param .b64 b) { ret; }\n"
                       ".entry plain { ret; }");
  ASSERT_EQ(parsed->functions.size(), 3u);
  const Function &kernel = *parsed->functions[0], &f = *parsed->functions[1];
  EXPECT_TRUE(kernel.entry);
  EXPECT_TRUE(kernel.defined);
  EXPECT_EQ(kernel.linkage, Linkage::visible);
  EXPECT_EQ(kernel.name, "k");
  EXPECT_EQ(kernel.parameters.at(0)->name, "a");
  EXPECT_EQ(kernel.location.column, 17);
  EXPECT_FALSE(f.entry);
  EXPECT_EQ(f.linkage, Linkage::weak);
  EXPECT_EQ(f.results.at(0)->name, "r");
}

TEST(PTXModule, ADefinitionFollowsADeclaration) {
  auto parsed = module(".func f(.param .b32 a);\n.func f(.param .b32 b);\n"
                       ".entry k() { .param .b32 c; call f, (c); }\n"
                       ".func f(.param .b32 d) { ld.param.b32 _, [d]; }\n"
                       ".func f(.param .b32 e);");
  ASSERT_EQ(parsed->functions.size(), 2u);
  const Function &f = *parsed->functions[0];
  EXPECT_TRUE(f.defined);
  EXPECT_EQ(f.parameters.at(0)->name, "d");
  EXPECT_EQ(f.location.line, 7);
  const Instruction &call = parsed->functions[1]->statements.at(0);
  EXPECT_EQ(std::get<const Function *>(call.callee->value), &f);
}

TEST(PTXModule, AFunctionMayCallItself) {
  auto parsed = module(".func f() { call f; }");
  const Function &f = *parsed->functions.at(0);
  EXPECT_EQ(std::get<const Function *>(f.statements.at(0).callee->value), &f);
}

TEST(PTXModule, AnExternFunctionHasNoBody) {
  auto parsed = module(".extern .func (.param .b32 r) vprintf "
                       "(.param .b64 a, .param .b64 b);");
  EXPECT_FALSE(parsed->functions.at(0)->defined);
  EXPECT_EQ(parsed->functions[0]->linkage, Linkage::external);
  EXPECT_THAT(refusal(".extern .func f() { }"),
              HasSubstr("an .extern function has no body"));
}

TEST(PTXModule, RefusesAFunctionThatDiffersFromItsDeclaration) {
  EXPECT_THAT(refusal(".func f(.param .b32 a); .func f(.param .b64 a) {}"),
              HasSubstr("'f' was declared with other parameters"));
  EXPECT_THAT(refusal(".func f(); .entry f() {}"),
              HasSubstr("'f' was declared with other parameters"));
  EXPECT_THAT(refusal(".func f() {} .func f() {}"),
              HasSubstr("'f' is defined twice"));
  EXPECT_THAT(refusal(".common .func f() {}"),
              HasSubstr(".common is for global variables"));
  EXPECT_THAT(refusal(".entry _() {}"), HasSubstr("cannot be declared"));
}

TEST(PTXModule, AnAliasIsNotModelled) {
  EXPECT_THROW(module(".func f() {} .alias g, f;"), NotModelled);
}

// "Performance-Tuning Directives" and "Cluster Dimension Directives"
TEST(PTXModule, KernelsHaveDirectives) {
  auto parsed = module(".entry k() .maxntid 128, 2 .minnctapersm 3 .maxnreg 64 "
                       ".reqnctapercluster 2, 1, 1 .explicitcluster "
                       ".maxclusterrank 8 .blocksareclusters .maxnctapersm 2 "
                       ".pragma \"nounroll\"; { }");
  const auto &directives = parsed->functions.at(0)->directives;
  ASSERT_EQ(directives.size(), 8u);
  EXPECT_EQ(directives[0].name, "maxntid");
  EXPECT_THAT(directives[0].values, ElementsAre(128, 2));
  EXPECT_EQ(directives[0].location.column, 12);
  EXPECT_THAT(directives[3].values, ElementsAre(2, 1, 1));
  EXPECT_EQ(directives[4].name, "explicitcluster");
  EXPECT_TRUE(directives[4].values.empty());
}

TEST(PTXModule, FunctionsHaveDirectives) {
  auto parsed = module(".func f() .noreturn .abi_preserve 8 { trap; }");
  EXPECT_EQ(parsed->functions.at(0)->directives.at(0).name, "noreturn");
}

TEST(PTXModule, RefusesWrongDirectives) {
  EXPECT_THAT(refusal(".entry k() .noreturn {}"),
              HasSubstr("'.noreturn' is for functions"));
  EXPECT_THAT(refusal(".func f() .maxntid 3 {}"),
              HasSubstr("'.maxntid' is for kernels"));
  EXPECT_THAT(refusal(".entry k() .maxntid 1,2,3,4 {}"),
              HasSubstr("',' stands"));
  EXPECT_THAT(refusal(".entry k() .maxntid 0 {}"), HasSubstr("out of range"));
  EXPECT_THAT(refusal(".entry k() .maxnreg 4294967296 {}"),
              HasSubstr("out of range"));
  EXPECT_THAT(refusal(".entry k() .maxntid {}"), HasSubstr("'{' stands"));
  EXPECT_THAT(refusal(".entry k() .maxntid 4 .reqntid 4 {}"),
              HasSubstr("not both"));
  EXPECT_THAT(refusal(".entry k() .foo 4 {}"), HasSubstr("'.foo' stands"));
}

} // namespace
} // namespace cheems::emulator::ptx
