// Accesses whose bytes are kept together, in parts, or in lists. Each kernel
// that is refused has a twin that differs by a barrier, and passes.
#include "Check/Checker.h"
#include "Machine/Observer.h"
#include "Support/OneKernel.h"

#include <gtest/gtest.h>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

namespace {

/// %r1: shared memory; %r2: this thread's word of it; %r9: its number.
const std::string begin =
    "mov.u32 %r1, sv; mov.u32 %r9, %tid.x; shl.b32 %r2, %r9, 2;"
    "add.u32 %r2, %r1, %r2; setp.eq.u32 %p1, %r9, 0;"
    "shl.b32 %r8, %r9, 4; add.u32 %r8, %r1, %r8;"
    "st.shared.v4.u32 [%r8], {0, 0, 0, 0}; bar.sync 0;\n";

/// The finding of the body in one of some seeds.
std::string broken(const std::string &body, uint32_t threads) {
  startChecking();
  std::string rule;
  for (uint64_t seed = 1; seed <= 8 && rule.empty(); ++seed) {
    RunOptions options;
    options.block = {threads, 1, 1};
    options.seed = seed;
    try {
      run(begin + body, std::vector<uint32_t>(256, 7), 1024, options);
    } catch (const Finding &finding) {
      rule = finding.rule;
    }
  }
  setObserver(ObserverKind::checker, nullptr);
  return rule;
}

/// Expects that two parts of a kernel race without a barrier between them, and
/// do not with one.
void expectOrderMatters(const std::string &first, const std::string &second,
                        uint32_t threads) {
  EXPECT_EQ(broken(first + second, threads), "race");
  EXPECT_EQ(broken(first + "bar.sync 0;" + second, threads), "");
}

TEST(SharedPattern, eachByteOfAGranuleHasItsWriter) {
  // 2 bytes a lane, then the neighbour's.
  const std::string own = "shl.b32 %r3, %r9, 1; add.u32 %r3, %r1, %r3;",
                    next = "add.u32 %r4, %r9, 1; and.b32 %r4, %r4, 31;"
                           "shl.b32 %r4, %r4, 1; add.u32 %r4, %r1, %r4;";
  const std::string write = own + next + "st.shared.u16 [%r3], 5;";
  EXPECT_EQ(broken(write + "ld.shared.u16 %h1, [%r3];", 32), "");
  expectOrderMatters(write, "ld.shared.u16 %h1, [%r4];", 32);
  expectOrderMatters(own + next + "ld.shared.u16 %h1, [%r3];",
                     "st.shared.u16 [%r4], 5;", 32);
}

TEST(SharedPattern, eightBytesOfALaneAreItsOwn) {
  const std::string write = "shl.b32 %r3, %r9, 3; add.u32 %r3, %r1, %r3;"
                            "st.shared.v2.u32 [%r3], {%r9, %r9};";
  EXPECT_EQ(broken(write + "ld.shared.u32 %r4, [%r3+4];", 32), "");
  expectOrderMatters(write, "ld.shared.u32 %r4, [%r2];", 32);
}

TEST(SharedPattern, aGranuleInPartsBecomesWholeAgain) {
  // Words, bytes of one of them, then 16 bytes at once.
  const std::string parts = "st.shared.u32 [%r2], %r9; bar.sync 0;"
                            "add.u32 %r3, %r1, %r9; cvt.u16.u32 %h1, %r9;"
                            "st.shared.u8 [%r3], %h1;";
  const std::string whole = "st.shared.v4.u32 [%r8], {%r9, %r9, %r9, %r9};";
  expectOrderMatters(parts, whole, 64);
  expectOrderMatters(parts + "bar.sync 0;" + whole, "ld.shared.u32 %r4, [%r2];",
                     64);
  EXPECT_EQ(broken(parts + "bar.sync 0;" + whole + "ld.shared.u32 %r4, [%r8];" +
                       "bar.sync 0;" + parts,
                   64),
            "");
}

TEST(SharedPattern, everyOfManyReadersCounts) {
  // Warps 0 to 6 read one word each; the last warp's first thread writes it.
  for (int missing = 0; missing < 7; ++missing) {
    const std::string number = std::to_string(missing);
    const std::string body =
        "shr.u32 %r3, %r9, 5; setp.lt.u32 %p2, %r3, 7;"
        "setp.eq.u32 %p3, %r9, 224; setp.eq.u32 %p4, %r3, " +
        number +
        ";\n@%p2 ld.shared.u32 %r4, [%r1]; @%p2 ld.shared.v4.u32 {%r4, %r5, "
        "%r6, %r7}, [%r1];\n";
    const std::string write = "@%p3 st.shared.u32 [%r1], 9;";
    // All but one of the readers arrive.
    EXPECT_EQ(broken(body + "@!%p4 bar.sync 1, 224;\n" + write, 256), "race");
    EXPECT_EQ(broken(body + "bar.sync 1, 256;\n" + write, 256), "");
  }
}

TEST(SharedPattern, eachOfManyLanesThatReadOnePlaceCounts) {
  // One of them writes before or after.
  for (int lane : {0, 5, 31}) {
    const std::string members = "setp.ne.u32 %p2, %r9, " +
                                std::to_string(lane) + "; not.pred %p3, %p2;\n";
    const std::string read = "ld.shared.u32 %r4, [%r1];",
                      write = "@%p3 st.shared.u32 [%r1], 9;";
    expectOrderMatters(members + read, write, 32);
    expectOrderMatters(members + write, read, 32);
    EXPECT_EQ(broken(members + "@%p2 " + read + "@%p3 " + read + write, 32),
              "race");
    EXPECT_EQ(broken(members + "@%p3 " + read + write, 32), "");
  }
}

TEST(SharedPattern, lanesThatReadTheSameAgainReadNoMore) {
  // Eight words, each of which four lanes read. The first lane of each has
  // written it, and the others have not.
  const std::string place = "and.b32 %r3, %r9, 7; shl.b32 %r3, %r3, 2;"
                            "add.u32 %r3, %r1, %r3; setp.lt.u32 %p2, %r9, 8;",
                    write = "@%p2 st.shared.u32 [%r2], %r9;";
  expectOrderMatters(place + write, "ld.shared.u32 %r4, [%r3];", 32);
  EXPECT_EQ(broken(place + write + "@%p2 ld.shared.u32 %r4, [%r3];", 32), "");
  // A lane that writes a word races only with the lanes that read this word.
  const std::string lanes = "setp.eq.u32 %p3, %r9, 9; and.b32 %r5, %r9, 7;"
                            "setp.ne.u32 %p4, %r5, 1;";
  EXPECT_EQ(broken(place + lanes +
                       "@%p3 st.shared.u32 [%r3], 5;"
                       "@%p4 ld.shared.u32 %r4, [%r3];",
                   32),
            "");
  expectOrderMatters(place + lanes + "@%p3 st.shared.u32 [%r3], 5;",
                     "ld.shared.u32 %r4, [%r3];", 32);
}

TEST(SharedPattern, aLaneThatKnowsMoreIsAlone) {
  // Thread 0 alone waits for the other warp's arrival at an mbarrier.
  const std::string wait =
      "setp.ge.u32 %p2, %r9, 32; setp.eq.u32 %p3, %r9, 32;"
      "@%p1 mbarrier.init.shared.b64 [%r1+1024], 1; bar.sync 0;\n"
      "@%p3 st.shared.u32 [%r1+2048], 9;"
      "@%p3 mbarrier.arrive.shared.b64 _, [%r1+1024];\n"
      "@!%p1 bra OTHERS;\nWAIT: mbarrier.test_wait.parity.shared.b64 %p5, "
      "[%r1+1024], 0; @!%p5 bra WAIT;\n";
  const std::string read = "ld.shared.u32 %r6, [%r1+2048];\n";
  const std::string init =
      "@%p1 st.shared.u32 [%r1+2048], 0; bar.sync 0;" + wait;
  EXPECT_EQ(broken(init + read + "OTHERS:", 64), "");
  EXPECT_EQ(broken(init + "OTHERS: @!%p2 " + read, 64), "race");
}

TEST(SharedPattern, longKernelsForgetWhatIsOver) {
  // More executions that write than are remembered, and a race at their end.
  const std::string loop =
      "mov.u32 %r5, 0;\nTURN: st.shared.u32 [%r2], %r5; bar.sync 0;"
      "xor.b32 %r3, %r2, 128; ld.shared.u32 %r4, [%r3]; bar.sync 0;"
      "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 20000; @%p2 bra TURN;\n";
  EXPECT_EQ(broken(loop, 64), "");
  EXPECT_EQ(
      broken(loop + "st.shared.u32 [%r2], 5; ld.shared.u32 %r4, [%r3];", 64),
      "race");
}

} // namespace
