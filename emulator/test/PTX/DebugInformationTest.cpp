//===- DebugInformationTest.cpp - PTX ISA, "Debugging Directives" ---------===//
#include "Parse.h"

namespace cheems::emulator::ptx {
namespace {

using testing::HasSubstr;

TEST(PTXDebugInformation, IsLeftOut) {
  auto parsed = module(".file 1 \"a.cu\"\n.file 2 \"b.cu\", 1700000000, 99\n"
                       ".entry k() {\n.loc 1 2 3\n ret;\n"
                       ".loc 1 2 3, function_name $L+4, inlined_at 2 3 4\n"
                       "ret;\n}\n"
                       ".section .debug_str {\n$L: .b8 1, 2\n.b32 $L+4\n"
                       ".b64 $L-$L\n.b32 .debug_abbrev\n}\n.global .b32 x;");
  EXPECT_EQ(parsed->functions.at(0)->statements.size(), 2u);
  EXPECT_EQ(parsed->functions[0]->statements[1].location.line, 10);
  EXPECT_EQ(parsed->variables.size(), 1u);
}

TEST(PTXDebugInformation, MistakesAreRefused) {
  EXPECT_THAT(refusal(".file \"a.cu\""), HasSubstr("the number of a file"));
  EXPECT_THAT(refusal(".file 1 a"), HasSubstr("the name of a file"));
  EXPECT_THAT(refusal(".file 1 \"a\", 3"), HasSubstr("after the time"));
  EXPECT_THAT(kernelRefusal(".loc 1 2"), HasSubstr("where a column"));
  EXPECT_THAT(kernelRefusal(".loc 1 2 3, inlined_at 1 2 3"),
              HasSubstr("where 'function_name'"));
  EXPECT_THAT(refusal(".section .debug_str { \"a\" }"),
              HasSubstr("data of a section"));
  EXPECT_THAT(refusal(".section .debug_str { .b8 1"),
              HasSubstr("the text ends"));
  EXPECT_THAT(refusal(".section debug { }"), HasSubstr("of a section"));
}

// "Miscellaneous Directives": .pragma
TEST(PTXDebugInformation, PragmasAreHints) {
  EXPECT_EQ(refusal(".pragma \"nounroll\", \"other\";"), "");
  EXPECT_EQ(kernelRefusal(".pragma \"nounroll\";"), "");
  EXPECT_THAT(refusal(".pragma nounroll;"), HasSubstr("the text of a .pragma"));
  EXPECT_THAT(refusal(".pragma \"nounroll\""), HasSubstr("where ';'"));
}

} // namespace
} // namespace cheems::emulator::ptx
