// Functions that modules declare .extern and the driver defines: PTX Writer's
// Guide to Interoperability, "System Calls"; CUDA C++ Programming Guide,
// "Formatted Output", "Assertion" and "Dynamic Global Memory Allocation".
#include "Support/RunPTX.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems::emulator;
using namespace cheems::emulator::test;
using testing::EndsWith;
using testing::HasSubstr;

namespace {

constexpr const char *functions = R"(
.extern .func (.param .b32 status) vprintf (.param .b64 f, .param .b64 list);
.extern .func (.param .b64 pointer) malloc (.param .b64 bytes);
.extern .func free (.param .b64 pointer);
.extern .func __assertfail (.param .b64 message, .param .b64 file,
  .param .b32 line, .param .b64 function, .param .b64 size);
)";

/// A string as a variable.
std::string text(const std::string &name, const std::string &value) {
  std::string bytes;
  for (char letter : value + '\0') {
    bytes += (bytes.empty() ? "" : ", ") + std::to_string(int(letter));
  }
  return ".global .align 1 .b8 " + name + "[" +
         std::to_string(value.size() + 1) + "] = {" + bytes + "};\n";
}

struct Result {
  std::vector<uint32_t> words;
  std::string printed;
};

Result launch(const std::string &declarations, const std::string &body,
              RunOptions options = {}) {
  testing::internal::CaptureStdout();
  Result result;
  try {
    result.words = runPTX(kernelPTX(body + "\nret;", functions + declarations),
                          std::vector<uint32_t>(64), options);
  } catch (...) {
    testing::internal::GetCapturedStdout();
    throw;
  }
  result.printed = testing::internal::GetCapturedStdout();
  return result;
}

/// What one thread prints with arguments that `stores` puts after %rd2.
Result printed(const std::string &format, const std::string &stores,
               const std::string &declarations = {}) {
  return launch(text("f", format) + declarations,
                ".local .align 8 .b8 list[512]; mov.b64 %rd1, list;\n"
                "cvta.local.u64 %rd2, %rd1; .param .b64 p; .param .b64 l;\n"
                ".param .b32 s; mov.b64 %rd3, f; cvta.global.u64 %rd3, %rd3;\n"
                "st.param.b64 [p], %rd3; st.param.b64 [l], %rd2;\n" +
                    stores +
                    "call.uni (s), vprintf, (p, l); ld.param.b32 %r1, [s];\n"
                    "st.global.b32 [%out], %r1;",
                {.block = {1, 1, 1}});
}

Finding findingIn(const std::string &declarations, const std::string &body,
                  RunOptions options = {}) {
  try {
    launch(declarations, body, options);
  } catch (const Finding &finding) {
    return finding;
  }
  return {"", "", {}};
}

TEST(SystemCalls, vprintfPrintsWhatItIsGiven) {
  const Result result = printed(
      "%d|%5u|%-4x|%lld|%.3f|%c|%s|%%\n",
      "st.local.b32 [list], -7; st.local.b32 [list+4], 42;\n"
      "st.local.b32 [list+8], 255; st.local.b64 [list+16], -5000000000;\n"
      "st.local.f64 [list+24], 0d4009000000000000; st.local.b32 [list+32], "
      "65;\n"
      "mov.b64 %rd4, word; cvta.global.u64 %rd4, %rd4;\n"
      "st.local.b64 [list+40], %rd4;\n",
      text("word", "cheems"));
  EXPECT_EQ(result.printed, "-7|   42|ff  |-5000000000|3.125|A|cheems|%\n");
  EXPECT_EQ(result.words[0], 7u);
}

TEST(SystemCalls, vprintfTakesWidthsFromArgumentsAndNarrowsThem) {
  const Result result = printed(
      "%*d|%.*f|%hhd|%hu|%#lx|%+i|%06.2e|%p",
      "st.local.b32 [list], 4; st.local.b32 [list+4], 7;\n"
      "st.local.b32 [list+8], 2; st.local.f64 [list+16], 0d3fe0000000000000;\n"
      "st.local.b32 [list+24], 511; st.local.b32 [list+28], 65537;\n"
      "st.local.b64 [list+32], 81985529216486895;\n"
      "st.local.b32 [list+40], 9; st.local.f64 [list+48], 0d4059000000000000;\n"
      "st.local.b64 [list+56], 4096;\n");
  EXPECT_EQ(result.printed,
            "   7|0.50|-1|1|0x123456789abcdef|+9|1.00e+02|0x1000");
  EXPECT_EQ(result.words[0], 10u);
}

TEST(SystemCalls, vprintfTakesUpTo32Arguments) {
  std::string format, stores;
  for (int i = 0; i < 34; ++i) {
    format += "%d ";
    stores += "st.local.b32 [list+" + std::to_string(4 * i) + "], 5;\n";
  }
  const Result result = printed(format, stores);
  EXPECT_THAT(result.printed, EndsWith("5 5 %d %d "));
  EXPECT_EQ(result.words[0], 32u);
}

TEST(SystemCalls, vprintfWithoutArgumentsOrFormat) {
  const Result plain = printed("plain", "");
  EXPECT_EQ(plain.printed, "plain");
  EXPECT_EQ(plain.words[0], 0u);
  const Result none =
      printed("x", "mov.b64 %rd3, 0; st.param.b64 [p], %rd3;\n");
  EXPECT_EQ(none.printed, "");
  EXPECT_EQ(static_cast<int32_t>(none.words[0]), -1);
}

/// Each thread prints its block and its number.
const std::string everyone =
    ".local .align 8 .b8 list[8]; mov.b64 %rd1, list;\n"
    "cvta.local.u64 %rd2, %rd1; mov.b64 %rd3, f;\n"
    "st.local.b32 [list], %block; st.local.b32 [list+4], %t;\n"
    "call (%r1), vprintf, (%rd3, %rd2);";

TEST(SystemCalls, threadsOfAWarpPrintInOrder) {
  EXPECT_EQ(launch(text("f", "%d.%d "), everyone, {.block = {4, 1, 1}}).printed,
            "0.0 0.1 0.2 0.3 ");
}

TEST(SystemCalls, whatBlocksPrintDoesNotDependOnThreadsOfTheHost) {
  auto with = [](int threads, uint64_t seed) {
    return launch(text("f", "%d.%d\n"), everyone,
                  {.grid = {40, 1, 1}, .seed = seed, .threads = threads})
        .printed;
  };
  EXPECT_EQ(with(1, 1), with(2, 1));
  EXPECT_EQ(with(1, 2), with(2, 2));
  EXPECT_EQ(with(1, 1).size(), with(1, 2).size());
}

TEST(SystemCalls, whatWasPrintedBeforeAFindingIsPrinted) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(
      findingOf(kernelPTX(everyone + "trap;", functions + text("f", "%d.%d ")),
                std::vector<uint32_t>(32), {.block = {1, 1, 1}}),
      "trap");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "0.0 ");
}

TEST(SystemCalls, aFormatThatCDoesNotKnowIsFound) {
  EXPECT_EQ(findingIn(text("f", "%y"), everyone).rule, "printf-format");
  EXPECT_EQ(findingIn("", ".reg .b64 %f; mov.b64 %f, 4096;\n"
                          "call (%r1), vprintf, (%f, %f);")
                .rule,
            "out-of-bounds");
}

TEST(SystemCalls, assertionsThatFailAreFoundWithTheirText) {
  const std::string texts = text("m", "i < n") + text("file", "norm.cu") +
                            text("fn", "void norm(int)");
  const std::string body =
      "setp.eq.u32 %p1, %t, 5; @%p1 bra BAD; bra GOOD;\n"
      "BAD: mov.b64 %rd1, m; mov.b64 %rd2, file; mov.b64 %rd3, fn;\n"
      ".param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d;\n"
      ".param .b64 e; st.param.b64 [a], %rd1; st.param.b64 [b], %rd2;\n"
      "st.param.b32 [c], 77; st.param.b64 [d], %rd3; st.param.b64 [e], 1;\n"
      "call.uni __assertfail, (a, b, c, d, e); GOOD: ";
  const Finding finding = findingIn(texts, body);
  EXPECT_EQ(finding.rule, "assert");
  EXPECT_STREQ(finding.what(), "norm.cu:77: void norm(int): the assertion "
                               "'i < n' failed.");
  EXPECT_EQ(finding.place.lane, 5);
  // What nobody calls fails nowhere.
  EXPECT_EQ(findingIn(texts, body, {.block = {4, 1, 1}}).rule, "");
}

TEST(SystemCalls, mallocGivesEachThreadMemoryUntilItIsFreed) {
  const Result result =
      launch("", "mov.b64 %rd1, 64; call (%rd2), malloc, (%rd1);\n"
                 "st.global.b32 [%rd2+60], %t; bar.sync 0;\n"
                 "ld.b32 %r1, [%rd2+60]; st.global.b32 [%mine], %r1;\n"
                 "call free, (%rd2); mov.b64 %rd3, 0; call free, (%rd3);");
  for (uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(result.words[lane], lane);
  }
}

TEST(SystemCalls, mallocGivesNothingBeyondTheHeapsLimit) {
  // 8 MiB: two threads get 3 MiB each.
  const Result result =
      launch("",
             "mov.b64 %rd1, 3145728; call (%rd2), malloc, (%rd1);\n"
             "setp.ne.u64 %p1, %rd2, 0; selp.u32 %r1, 1, 0, %p1;\n"
             "st.global.b32 [%mine], %r1;",
             {.block = {4, 1, 1}});
  EXPECT_EQ(result.words[0] + result.words[1] + result.words[2] +
                result.words[3],
            2u);
}

TEST(SystemCalls, memoryOfTheHeapIsChecked) {
  const std::string get = "mov.b64 %rd1, 64; call (%rd2), malloc, (%rd1);\n";
  EXPECT_EQ(findingIn("", get + "ld.global.b32 %r1, [%rd2];").rule,
            "uninitialised-read");
  EXPECT_EQ(findingIn("", get + "st.global.b32 [%rd2+64], 1;").rule,
            "out-of-bounds");
  EXPECT_EQ(
      findingIn("", get + "call free, (%rd2); st.global.b32 [%rd2], 1;").rule,
      "use-after-free");
  EXPECT_EQ(findingIn("", get + "call free, (%rd2); call free, (%rd2);").rule,
            "wrong-free");
  EXPECT_EQ(findingIn("", get + "call free, (%out);").rule, "wrong-free");
}

TEST(SystemCalls, areCalledByFunctionsThatCallThemselves) {
  const std::string function = R"(
.func (.param .b32 r) down(.param .b32 n) {
  .reg .b32 %x<4>; .reg .b64 %q<4>; .reg .pred %p;
  .local .align 8 .b8 list[8];
  ld.param.b32 %x1, [n]; st.local.b32 [list], %x1;
  mov.b64 %q1, list; cvta.local.u64 %q2, %q1; mov.b64 %q3, f;
  call (%x2), vprintf, (%q3, %q2);
  setp.eq.u32 %p, %x1, 0; @%p bra END;
  sub.u32 %x3, %x1, 1; call (%x2), down, (%x3);
END: st.param.b32 [r], %x2; ret; }
)";
  EXPECT_EQ(launch(text("f", "%d ") + function, "call (%r1), down, (3);",
                   {.block = {1, 1, 1}})
                .printed,
            "3 2 1 0 ");
}

TEST(SystemCalls, withOtherParametersAreRefused) {
  const std::string body = "call (%r1), vprintf, (%out, %t); ret;";
  try {
    runPTX(kernelPTX(body, ".extern .func (.param .b32 s) vprintf(.param .b64 "
                           "f, .param .b32 list);\n"),
           {0});
    FAIL();
  } catch (const Refusal &refusal) {
    EXPECT_THAT(refusal.what(), HasSubstr("'vprintf' is not declared with"));
  }
}

} // namespace
