// PTX ISA, "Linking Directives: .extern, .visible, .weak, .common".
#include "PTX/Link.h"
#include "Support/RunPTX.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems::emulator;
using namespace cheems::emulator::test;
using testing::HasSubstr;

namespace {

constexpr const char *head = ".version 8.3\n.target sm_90\n.address_size 64\n";

/// The first text has a kernel whose body leaves its result in %r9.
std::string texts(const std::string &declarations, const std::string &body,
                  const std::vector<std::string> &others) {
  const std::string first =
      kernelPTX(body + "\nst.global.u32 [%out], %r9; ret;", declarations);
  std::vector<std::string> kept;
  kept.reserve(others.size());
  std::vector<ptx::NamedText> all = {{"kernels", first}};
  for (const std::string &other : others) {
    all.push_back({"other " + std::to_string(all.size()),
                   kept.emplace_back(head + other)});
  }
  return ptx::joinTexts(all);
}

uint32_t result(const std::string &declarations, const std::string &body,
                const std::vector<std::string> &others) {
  return runPTX(texts(declarations, body, others), {0})[0];
}

std::string refusal(const std::string &declarations, const std::string &body,
                    const std::vector<std::string> &others) {
  return refusalOf([&] { result(declarations, body, others); });
}

/// A function without parameters that gives a number.
std::string gives(const std::string &linkage, uint32_t number) {
  return linkage + " .func (.param .b32 r) f() { st.param.b32 [r], " +
         std::to_string(number) + "; ret; }\n";
}
const std::string declared = ".extern .func (.param .b32 r) f();\n";
const std::string callIt = "call (%r9), f, ();";

TEST(Link, anExternalFunctionIsTheVisibleOneOfAnotherText) {
  EXPECT_EQ(result(declared, callIt, {gives(".visible", 7)}), 7u);
}

TEST(Link, functionsCallBackIntoTheFirstText) {
  EXPECT_EQ(
      result(".extern .func (.param .b32 r) g();\n" + gives(".visible", 5),
             "call (%r9), g, ();",
             {".extern .func (.param .b32 r) f();\n"
              ".visible .func (.param .b32 r) g() { .reg .b32 %x<2>;\n"
              "call (%x1), f, (); add.u32 %x1, %x1, 100;\n"
              "st.param.b32 [r], %x1; ret; }\n"}),
      105u);
}

TEST(Link, aVisibleDefinitionComesBeforeWeakOnes) {
  EXPECT_EQ(result(gives(".weak", 1), callIt, {gives(".visible", 2)}), 2u);
  EXPECT_EQ(result(gives(".visible", 1), callIt, {gives(".weak", 2)}), 1u);
}

TEST(Link, theFirstOfWeakDefinitionsCounts) {
  EXPECT_EQ(result(declared, callIt, {gives(".weak", 3), gives(".weak", 4)}),
            3u);
}

TEST(Link, variablesAreOneInAllTexts) {
  // The other text adds to it; its own table has the variable's address.
  EXPECT_EQ(
      result(".extern .global .u32 sum;\n.extern .func add();\n",
             "mov.b64 %rd1, sum; st.global.u32 [%rd1], 30; call add, ();\n"
             "ld.global.u32 %r9, [sum];",
             {".visible .global .u32 sum = 1;\n"
              ".global .u64 table[1] = {sum};\n"
              ".visible .func add() { .reg .b64 %q<2>; .reg .b32 %x<2>;\n"
              "ld.global.u64 %q1, [table]; ld.global.u32 %x1, [%q1];\n"
              "add.u32 %x1, %x1, 12; st.global.u32 [%q1], %x1; ret; }\n"}),
      42u);
}

TEST(Link, ofCommonVariablesTheLargestCounts) {
  EXPECT_EQ(result(".common .global .u32 c[2];\n.extern .func set();\n",
                   "call set, (); ld.global.u32 %r9, [c+4];",
                   {".common .global .u32 c[8];\n"
                    ".visible .func set() { st.global.u32 [c+28], 1;\n"
                    "st.global.u32 [c+4], 9; ret; }\n"}),
            9u);
}

TEST(Link, namesWithoutADirectiveStayInTheirText) {
  // Both texts have a function f, a variable v and a table of its address.
  const std::string own = ".global .u32 v = 5;\n.global .u64 t[1] = {v};\n";
  EXPECT_EQ(result(own + gives("", 1) + ".extern .func (.param .b32 r) g();\n",
                   "call (%r9), f, (); call (%r1), g, ();\n"
                   "add.u32 %r9, %r9, %r1; ld.global.u64 %rd1, [t];\n"
                   "ld.global.u32 %r1, [%rd1]; add.u32 %r9, %r9, %r1;",
                   {".global .u32 v = 1000;\n.global .u64 t[1] = {v};\n" +
                    gives("", 20) +
                    ".visible .func (.param .b32 r) g() { .reg .b32 %x<3>;\n"
                    ".reg .b64 %q; call (%x1), f, (); ld.global.u64 %q, [t];\n"
                    "ld.global.u32 %x2, [%q]; add.u32 %x1, %x1, %x2;\n"
                    "st.param.b32 [r], %x1; ret; }\n"}),
            1u + 5 + 20 + 1000);
}

TEST(Link, sharedMemoryOfTheLaunchIsTheSameInAllTexts) {
  RunOptions options{.block = {1, 1, 1}, .dynamicSharedBytes = 64};
  const std::string image =
      texts(".extern .shared .align 16 .b8 pool[];\n.extern .func put();\n",
            "call put, (); ld.shared.u32 %r9, [pool+8];",
            {".extern .shared .align 16 .b8 pool[];\n"
             ".visible .func put() { st.shared.u32 [pool+8], 77; ret; }\n"});
  EXPECT_EQ(runPTX(image, {0}, options)[0], 77u);
}

TEST(Link, whatDoesNotFitIsRefused) {
  EXPECT_THAT(refusal(gives(".visible", 1), callIt, {gives(".visible", 2)}),
              HasSubstr("ptx line 4: of the text 'other 1': 'f' is defined in "
                        "the text 'kernels', too"));
  EXPECT_THAT(refusal(".extern .func (.param .b64 r) f();\n",
                      ".reg .b64 %w; call (%w), f, (); mov.u32 %r9, 0;",
                      {gives(".visible", 2)}),
              HasSubstr("'f' has another type in the text 'other 1'"));
  EXPECT_THAT(refusal(".extern .global .u64 f;\n", "mov.u32 %r9, 0;",
                      {gives(".visible", 2)}),
              HasSubstr("'f' has another type in the text 'other 1'"));
  EXPECT_THAT(refusal(declared, callIt, {gives("", 2)}),
              HasSubstr("a call of 'f', which the module does not define"));
  EXPECT_THAT(refusal("", "mov.u32 %r9, 0;",
                      {".entry kernel(.param .u64 buffer) { ret; }\n"}),
              HasSubstr("'kernel' is a kernel of another text, too"));
  EXPECT_THAT(refusal("", "mov.u32 %r9, 0;", {".visible .funk f();\n"}),
              HasSubstr("of the text 'other 1': "));
}

TEST(Link, aDamagedImageIsRefused) {
  const std::string image = texts(declared, callIt, {gives(".visible", 7)});
  for (size_t bytes : {image.find("//text") + 20, image.size() - 1}) {
    EXPECT_THROW(runPTX(image.substr(0, bytes), {0}), Refusal) << bytes;
  }
}

} // namespace
