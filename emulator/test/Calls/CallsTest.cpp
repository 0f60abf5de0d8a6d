//===- CallsTest.cpp ------------------------------------------------------===//
#include "Results.h"

#include <bit>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utility>

using namespace cheems::emulator;
using namespace cheems::emulator::test;
using testing::HasSubstr;

namespace {

constexpr const char *head = ".version 8.3\n.target sm_90\n.address_size 64\n";

/// Runs a kernel of 32 threads whose body leaves a result in %r9; `functions`
/// come before it.
std::vector<uint32_t> results(const std::string &functions,
                              const std::string &body) {
  return runResults(head + functions +
                    ".entry k(.param .u64 out) {\n"
                    ".reg .pred %p<4>; .reg .b32 %r<10>; .reg .b64 %d<10>;\n"
                    "mov.u32 %r0, %tid.x;\n" +
                    body +
                    "\nld.param.u64 %d8, [out];\n"
                    "mad.wide.u32 %d9, %r0, 4, %d8;\n"
                    "st.global.u32 [%d9], %r9; ret; }\n");
}

template <typename F> std::vector<uint32_t> each(F f) {
  std::vector<uint32_t> list;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    list.push_back(f(lane));
  }
  return list;
}

std::string rule(const std::string &functions, const std::string &body) {
  return ruleOf([&] { results(functions, body); });
}

std::string refusal(const std::string &functions, const std::string &body) {
  return refusalOf([&] { results(functions, body); });
}

constexpr const char *triple =
    ".func (.param .b32 r) triple(.param .b32 a) { .reg .b32 %x<4>;\n"
    "ld.param.b32 %x1, [a]; mul.lo.u32 %x2, %x1, 3; st.param.b32 [r], %x2;\n"
    "ret; }\n";

/// factorial(n) = n < 2 ? 1 : n * factorial(n - 1); %x1 and the predicate %y
/// are needed after the call.
constexpr const char *factorial =
    ".func (.param .b32 r) factorial(.param .b32 n) {\n"
    ".reg .b32 %x<5>; .reg .pred %p, %y;\n"
    "ld.param.b32 %x1, [n]; mov.b32 %x2, 1; setp.lt.u32 %p, %x1, 2;\n"
    "and.b32 %x4, %x1, 1; setp.eq.u32 %y, %x4, 1;\n"
    "@%p bra DONE;\n"
    "{ .param .b32 a; .param .b32 b; sub.u32 %x3, %x1, 1;\n"
    "st.param.b32 [a], %x3; call (b), factorial, (a);\n"
    "ld.param.b32 %x2, [b]; }\n"
    "mul.lo.u32 %x2, %x2, %x1; @%y add.u32 %x2, %x2, 1000000;\n"
    "DONE: st.param.b32 [r], %x2; ret; }\n";

uint32_t factorialOf(uint32_t n) {
  uint32_t result = n < 2 ? 1 : n * factorialOf(n - 1);
  return n >= 2 && n % 2 ? result + 1000000 : result;
}

} // namespace

// PTX ISA, "Control Flow Instructions: call"
TEST(Calls, passArgumentsAndResultsInMemory) {
  EXPECT_EQ(results(triple,
                    ".param .b32 a; .param .b32 b;\n"
                    "st.param.b32 [a], %r0; call.uni (b), triple, (a);\n"
                    "ld.param.b32 %r9, [b];"),
            each([](uint32_t lane) { return 3 * lane; }));
}

TEST(Calls, passRegistersAndConstants) {
  EXPECT_EQ(results(triple, "call (%r8), triple, (%r0);\n"
                            "call (%r9), triple, (7); add.u32 %r9, %r9, %r8;"),
            each([](uint32_t lane) { return 3 * lane + 21; }));
}

TEST(Calls, keepTheCallersRegisters) {
  EXPECT_EQ(results(triple, "mov.u32 %r1, %laneid; add.u32 %r2, %r1, 5;\n"
                            "call (%r8), triple, (%r0);\n"
                            "add.u32 %r9, %r8, %r1; add.u32 %r9, %r9, %r2;"),
            each([](uint32_t lane) { return 5 * lane + 5; }));
}

TEST(Calls, areMadeByLanesWhoseGuardHolds) {
  EXPECT_EQ(results(triple, "mov.u32 %r9, 1; setp.lt.u32 %p1, %r0, 10;\n"
                            "@%p1 call (%r9), triple, (%r0);"),
            each([](uint32_t lane) { return lane < 10 ? 3 * lane : 1; }));
}

TEST(Calls, ofFunctionsThatCallOthersHaveFramesOfTheirOwn) {
  std::string chain =
      std::string(triple) +
      ".func (.param .b32 r) outer(.param .b32 a, .param .b64 p) {\n"
      ".reg .b32 %x<4>; .reg .b64 %q<2>; .local .align 8 .b32 keep[2];\n"
      "ld.param.b32 %x1, [a]; st.local.b32 [keep+4], %x1;\n"
      "ld.param.b64 %q1, [p]; mov.b64 {%x3, _}, %q1;\n"
      "call (%x2), triple, (%x1); ld.local.b32 %x1, [keep+4];\n"
      "add.u32 %x2, %x2, %x1; add.u32 %x2, %x2, %x3;\n"
      "st.param.b32 [r], %x2; ret; }\n";
  EXPECT_EQ(results(chain, ".local .b32 mine; st.local.b32 [mine], %r0;\n"
                           "call (%r8), outer, (%r0, 100);\n"
                           "ld.local.b32 %r7, [mine];\n"
                           "add.u32 %r9, %r8, %r7;"),
            each([](uint32_t lane) { return 5 * lane + 100; }));
}

TEST(Calls, giveFramesAddresses) {
  // The address of a function's variable is taken, and used with an index.
  std::string function =
      ".func (.param .b32 r) f(.param .b32 a) { .reg .b32 %x<4>;\n"
      ".reg .b64 %q<4>; .local .align 4 .b32 list[4];\n"
      "ld.param.b32 %x1, [a]; mov.u64 %q1, list; st.local.b32 [%q1+8], %x1;\n"
      "cvta.local.u64 %q2, %q1; add.u64 %q2, %q2, 8; ld.b32 %x2, [%q2];\n"
      "st.param.b32 [r], %x2; }\n";
  EXPECT_EQ(results(function,
                    ".local .b32 mine; st.local.b32 [mine], 50;\n"
                    "call (%r8), f, (%r0); ld.local.b32 %r7, [mine];\n"
                    "add.u32 %r9, %r8, %r7;"),
            each([](uint32_t lane) { return lane + 50; }));
}

TEST(Calls, passArrays) {
  std::string function =
      ".func (.param .align 8 .b8 r[16]) swap(.param .align 8 .b8 a[16]) {\n"
      ".reg .b64 %q<3>; ld.param.v2.b64 {%q1, %q2}, [a];\n"
      "st.param.v2.b64 [r], {%q2, %q1}; ret; }\n";
  EXPECT_EQ(results(function,
                    ".param .align 16 .b8 x[16]; .param .align 16 .b8 y[16];\n"
                    "mul.wide.u32 %d1, %r0, 1; add.u64 %d2, %d1, 1000;\n"
                    "st.param.v2.b64 [x], {%d1, %d2};\n"
                    "call (y), swap, (x); ld.param.b64 %d3, [y];\n"
                    "mov.b64 {%r9, _}, %d3;"),
            each([](uint32_t lane) { return lane + 1000; }));
}

TEST(Calls, mayBeRecursive) {
  EXPECT_EQ(results(factorial, "rem.u32 %r1, %r0, 9; add.u32 %r2, %r0, 77;\n"
                               "call (%r8), factorial, (%r1);\n"
                               "sub.u32 %r2, %r2, %r0; add.u32 %r9, %r8, %r2;"),
            each([](uint32_t lane) { return factorialOf(lane % 9) + 77; }));
}

// PTX ISA, "Control Flow Instructions: call": "a formal parameter may be a
// register", "in the .reg state space"
TEST(Calls, passParametersThatFunctionsHaveInRegisters) {
  std::string functions =
      ".func (.reg .b32 r) weigh(.reg .b16 h, .reg .b64 q, .reg .b32 a) {\n"
      ".reg .b32 %x<4>; cvt.u32.u16 %x1, h; cvt.u32.u64 %x2, q;\n"
      "mad.lo.u32 %x3, %x1, 100, %x2; add.u32 r, %x3, a; ret; }\n"
      // Its first statement is met again and again.
      ".func (.reg .b32 r, .reg .b32 left) halve(.reg .b32 n) {\n"
      ".reg .pred %p; mov.b32 r, 0;\n"
      "LOOP: setp.lt.u32 %p, n, 2; mov.b32 left, n; @%p ret;\n"
      "shr.u32 n, n, 1; add.u32 r, r, 1; bra LOOP; }\n";
  EXPECT_EQ(results(functions,
                    ".reg .b16 %h; mov.b16 %h, 7; mov.b64 %d1, 1000;\n"
                    ".param .b64 q; st.param.b64 [q], %d1;\n"
                    "call (%r8), weigh, (%h, q, %r0);\n"
                    "add.u32 %r1, %r0, 1; call (%r7, %r6), halve, (%r1);\n"
                    "mad.lo.u32 %r9, %r7, 10000, %r8; add.u32 %r9, %r9, %r6;"),
            each([](uint32_t lane) {
              auto width = static_cast<uint32_t>(std::bit_width(lane + 1));
              return 1700 + lane + (width - 1) * 10000 + 1;
            }));
}

TEST(Calls, keepRegisterParametersOfFunctionsThatCallThemselves) {
  std::string fibonacci =
      ".func (.reg .b32 r) fibonacci(.reg .b32 n) {\n"
      ".reg .pred %p; .reg .b32 %x<4>; mov.b32 r, n; setp.lt.u32 %p, n, 2;\n"
      "@%p ret; sub.u32 %x1, n, 1; call (%x2), fibonacci, (%x1);\n"
      "sub.u32 %x1, n, 2; call (%x3), fibonacci, (%x1);\n"
      "add.u32 r, %x2, %x3; ret; }\n";
  auto numbers = [](uint32_t n) {
    uint32_t a = 0, b = 1;
    for (; n; --n) {
      a = std::exchange(b, a + b);
    }
    return a;
  };
  EXPECT_EQ(results(fibonacci, "and.b32 %r1, %r0, 7;\n"
                               "call (%r9), fibonacci, (%r1);"),
            each([&](uint32_t lane) { return numbers(lane % 8); }));
}

TEST(Calls, passNoPredicates) {
  EXPECT_THAT(refusal(".func f(.reg .pred a) { ret; }\n",
                      ".reg .pred %p; call f, (%p);"),
              HasSubstr("a parameter of a function in a predicate or a vector "
                        "is not modelled"));
}

// The last lane's frames end where the memory of the threads does.
TEST(Calls, thatDoNotEndWriteNoArgumentsAfterTheStack) {
  EXPECT_EQ(rule(".func f(.param .align 8 .b8 a[2000]) {\n"
                 ".param .align 8 .b8 b[2000]; call f, (b); ret; }\n",
                 ".param .align 8 .b8 a[2000]; call f, (a);"),
            "stack-overflow");
}

TEST(Calls, thatDoNotEndAreFound) {
  EXPECT_EQ(rule(".func f() { call f, (); ret; }\n", "call f, ();"),
            "stack-overflow");
}

TEST(Calls, goToFunctionsInRegisters) {
  std::string functions =
      std::string(triple) +
      ".func (.param .b32 r) next(.param .b32 a) { .reg .b32 %x<3>;\n"
      "ld.param.b32 %x1, [a]; add.u32 %x2, %x1, 1; st.param.b32 [r], %x2; }\n"
      ".global .u64 table[2] = {triple, next};\n";
  std::string body =
      "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
      ".param .b32 a; .param .b32 b; st.param.b32 [a], %r0;\n"
      "and.b32 %r1, %r0, 1; mov.u64 %d1, table; mad.wide.u32 %d1, %r1, 8, "
      "%d1;\n"
      "ld.global.u64 %d2, [%d1]; call (b), %d2, (a), proto;\n"
      "ld.param.b32 %r9, [b];";
  EXPECT_EQ(results(functions, body),
            each([](uint32_t lane) { return lane % 2 ? lane + 1 : 3 * lane; }));
}

TEST(Calls, throughRegistersMustMeetAFunction) {
  std::string prototype = "proto: .callprototype _ ();\n";
  EXPECT_EQ(rule(triple, prototype + "mov.u64 %d1, 12345;\n"
                                     "call %d1, proto;"),
            "wild-call");
  // triple has a result and a parameter.
  EXPECT_EQ(rule(triple, prototype + "mov.u64 %d1, triple;\n"
                                     "call %d1, proto;"),
            "wild-call");
}

TEST(Calls, thatDoNotFitTheirFunctionAreRefused) {
  EXPECT_THAT(refusal(triple, "call triple, (%r0);"),
              HasSubstr("1 results and 1 parameters"));
  EXPECT_THAT(refusal(triple, ".param .b64 a; call (%r9), triple, (a);"),
              HasSubstr("'a' has not the size of parameter 'a'"));
  EXPECT_THAT(refusal(triple, "call (%r9), triple, (%d1);"),
              HasSubstr("does not fit type"));
  EXPECT_THAT(refusal(".extern .func (.param .b32 r) other(.param .b64 f, "
                      ".param .b64 a);\n",
                      "call (%r9), other, (%d1, %d2);"),
              HasSubstr("a call of 'other', which the module does not "
                        "define, is not modelled"));
}
