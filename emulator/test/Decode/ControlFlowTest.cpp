//===- ControlFlowTest.cpp ------------------------------------------------===//
#include "Probe.h"

using namespace cheems::emulator;
using namespace cheems::emulator::test;

TEST(ControlFlow, endsWithAReturn) {
  Decoded decoded = decode("write %r1;");
  ASSERT_EQ(decoded.program().instructions.size(), 2u);
  EXPECT_EQ(decoded.program().details[1].text, "ret");
  EXPECT_EQ(decode("").program().instructions.size(), 1u);
}

TEST(ControlFlow, goesToInstructionsNotToStatements) {
  // A statement may be several instructions.
  probe = [](Statement &statement) {
    statement.end(0);
    statement.emit(nothing, Pipe::alu, {});
    statement.emit(nothing, Pipe::alu, {});
    statement.emit(nothing, Pipe::alu, {});
  };
  Decoded decoded = decode(
      "bra BEHIND;\nBACK: probe; bra BACK;\nBEHIND: exit;\nbra END;\nEND:");
  EXPECT_EQ(decoded.instruction(0).payload, 5u); // after 1 + 3 + 1
  EXPECT_EQ(decoded.instruction(4).payload, 1u);
  EXPECT_EQ(decoded.instruction(6).payload, 7u); // the end's return
}

TEST(ControlFlow, goesThroughLists) {
  probe = [](Statement &statement) {
    statement.end(1);
    statement.decoder.emitBranches(statement, marked,
                                   std::array{statement.source(0, Type::u32)},
                                   statement.syntax.targets);
  };
  ptx::Instruction jump;
  Decoded decoded;
  decoded.syntax = ptx::parse(around("probe %r1; ONE: exit; TWO: exit;"));
  ptx::Function &kernel = *decoded.syntax->functions.back();
  kernel.statements[0].targets = {{"TWO", 2}, {"ONE", 1}, {"TWO", 2}};
  Decoder decoder(*decoded.syntax, decoded.symbols, table(), 90);
  decoded.result = decoder.decode(kernel);
  EXPECT_EQ(decoded.instruction(0).as<BranchTargets>().instructions,
            (std::vector<uint32_t>{2, 1, 2}));
}

TEST(ControlFlow, keepsValuesOverLoops) {
  // %r1 is needed in each round, so %r2 must not take its place.
  Decoded decoded = decode("write %r1; LOOP: read %r1; write %r2; read %r2;\n"
                           "@%p1 bra LOOP; exit;");
  EXPECT_NE(decoded.slot(0, 0), decoded.slot(2, 0));
  EXPECT_EQ(decode("write %r1; read %r1; write %r2; read %r2; exit;")
                .program()
                .registerBytes,
            128u);
}

TEST(ControlFlow, knowsThatAGuardedWriteLeavesTheOldValue) {
  // Lanes without %p1 read what they wrote a round before.
  Decoded guarded = decode("LOOP: write %r2; read %r2;\n"
                           "@%p1 write %r1; read %r1; bra LOOP;");
  EXPECT_NE(guarded.slot(0, 0), guarded.slot(2, 0));
  Decoded whole = decode("LOOP: write %r2; read %r2;\n"
                         "write %r1; read %r1; bra LOOP;");
  EXPECT_EQ(whole.slot(0, 0), whole.slot(2, 0));
}

TEST(ControlFlow, doesNotGoOnAfterAnExit) {
  // Without the exit %r1 would be live all along.
  Decoded decoded = decode("@%p1 bra OTHER;\n"
                           "write %r1; read %r1; exit;\n"
                           "OTHER: write %r2; read %r2; exit;");
  EXPECT_EQ(decoded.slot(1, 0), decoded.slot(4, 0));
}

TEST(ControlFlow, keepsRegistersOfNestedScopesApart) {
  Decoded decoded = decode("write %r1; { .reg .b32 %r1; write %r1; read %r1; } "
                           "read %r1;");
  EXPECT_NE(decoded.slot(0, 0), decoded.slot(1, 0));
  EXPECT_EQ(decoded.slot(1, 0), decoded.slot(2, 0));
  EXPECT_EQ(decoded.slot(0, 0), decoded.slot(3, 0));
}

TEST(ControlFlow, keepsRegistersOfFunctionsApart) {
  std::string function =
      ".func f() { .reg .b32 %x; write %x; read %x; ret; }\n";
  Decoded decoded = decode("read.b64 f; write %r1; read %r1;", function);
  Slot inner, outer;
  const auto &instructions = decoded.program().instructions;
  outer = instructions[1].slots[0];
  inner = instructions[4].slots[0];
  EXPECT_EQ(decoded.program().details[4].text, "write");
  EXPECT_NE(inner, outer);
}

TEST(ControlFlow, countsWhatIsLiveAtOnce) {
  EXPECT_EQ(decode("write %r1; write %r2; read %r1, %r2;").result.registers, 2);
  EXPECT_EQ(
      decode("write %r1; read %r1; write %r2; read %r2;").result.registers, 1);
  EXPECT_EQ(decode("write.b64 %d1; write %r2; read.b64 %d1; read %r2;")
                .result.registers,
            3);
}
