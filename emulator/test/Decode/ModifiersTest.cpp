//===- ModifiersTest.cpp --------------------------------------------------===//
#include "Probe.h"

using namespace cheems::emulator;
using namespace cheems::emulator::test;
using testing::HasSubstr;

TEST(Modifiers, areTakenOnce) {
  decodeProbe("probe.ftz.sat;", [](Statement &statement) {
    EXPECT_TRUE(statement.take("sat"));
    EXPECT_FALSE(statement.take("sat"));
    EXPECT_FALSE(statement.take("rn"));
    EXPECT_TRUE(statement.take("ftz"));
    statement.end(0);
  });
}

TEST(Modifiers, thatAreLeftAreRefusedWithTheirLine) {
  std::string message = refusal("\nprobe.ftz.f31;", [](Statement &statement) {
    statement.take("ftz");
    statement.end(0);
  });
  EXPECT_EQ(message, "ptx line " + std::to_string(bodyLine + 1) +
                         ": probe.ftz.f31: the modifier '.f31' is unknown or "
                         "does not fit here");
}

TEST(Modifiers, thatStandTwiceAreRefused) {
  EXPECT_THAT(refusal("probe.ftz.ftz;",
                      [](Statement &statement) {
                        statement.take("ftz");
                        statement.end(0);
                      }),
              HasSubstr("'.ftz'"));
}

TEST(Modifiers, areChosenFromAList) {
  decodeProbe("probe.rz.lo;", [](Statement &statement) {
    EXPECT_EQ(statement.takeAny({"hi", "lo", "wide"}), "lo");
    EXPECT_EQ(statement.takeAny({"hi", "lo", "wide"}), "");
    EXPECT_EQ(statement.takeOne({"rn", "rz"}), "rz");
    statement.end(0);
  });
}

TEST(Modifiers, thatExcludeEachOtherAreRefused) {
  EXPECT_THAT(
      refusal("probe.rn.rz;",
              [](Statement &statement) { statement.takeAny({"rn", "rz"}); }),
      HasSubstr("'.rn' and '.rz' exclude each other"));
}

TEST(Modifiers, thatMustBeThereAreNamed) {
  EXPECT_THAT(
      refusal("probe.rm;",
              [](Statement &statement) { statement.takeOne({"rn", "rz"}); }),
      HasSubstr("it must have one of .rn, .rz"));
}

TEST(Modifiers, areTypesInOrder) {
  decodeProbe("probe.rn.f16.u32;", [](Statement &statement) {
    EXPECT_EQ(statement.takeType({Type::f32, Type::f16}), Type::f16);
    EXPECT_EQ(statement.takeAnyType(), Type::u32);
    EXPECT_EQ(statement.takeAnyType(), std::nullopt);
    EXPECT_TRUE(statement.take("rn"));
    statement.end(0);
  });
}

TEST(Modifiers, thatAreWrongTypesAreRefused) {
  auto take = [](Statement &statement) { statement.takeType({Type::f32}); };
  EXPECT_THAT(refusal("probe.f64;", take), HasSubstr("'.f64' is not allowed"));
  EXPECT_THAT(refusal("probe.rn;", take), HasSubstr("has no type"));
}

TEST(Modifiers, areFoundByTheirBegin) {
  decodeProbe("probe.aligned.m16n8k16.L2::128B;", [](Statement &statement) {
    EXPECT_EQ(statement.takePrefix("m1"), "m16n8k16");
    EXPECT_EQ(statement.takePrefix("L2::"), "L2::128B");
    EXPECT_EQ(statement.takePrefix("L2::"), "");
    EXPECT_TRUE(statement.take("aligned"));
    statement.end(0);
  });
}

TEST(Modifiers, areFollowedByTheRightNumberOfOperands) {
  auto between = [](Statement &statement) { statement.end(2, 3); };
  EXPECT_EQ(refusal("probe %r1, %r2;", between), "");
  EXPECT_EQ(refusal("probe %r1, %r2, %r3;", between), "");
  EXPECT_THAT(refusal("probe %r1;", between),
              HasSubstr("1 operands instead of 2 to 3"));
  EXPECT_THAT(refusal("probe %r1, %r1, %r1, %r1;", between),
              HasSubstr("4 operands instead of 2 to 3"));
}

TEST(Modifiers, mustBeEndedBeforeSomethingIsEmitted) {
  EXPECT_THROW(decodeProbe("probe;",
                           [](Statement &statement) {
                             statement.emit(nothing, Pipe::alu, {});
                           }),
               std::logic_error);
}

TEST(Modifiers, ofUnknownOpcodesAreNotLookedAt) {
  EXPECT_THAT(refusal("frobnicate.b32 %r1;", [](Statement &) {}),
              HasSubstr("the opcode 'frobnicate' is unknown"));
}

TEST(Modifiers, comeWithTheGPUAndItsLimits) {
  decodeProbe("probe;", [](Statement &statement) {
    EXPECT_EQ(statement.architecture(), 90);
    EXPECT_EQ(statement.line(), bodyLine);
    statement.end(0);
    statement.communicates();
    statement.waitsForPrimary();
  });
  EXPECT_THAT(
      refusal("probe.x;",
              [](Statement &statement) { statement.notModelled("multicast"); }),
      HasSubstr("probe.x: multicast is not modelled"));
  EXPECT_THAT(
      refusal("probe.x;",
              [](Statement &statement) { statement.refuse("it is odd"); }),
      HasSubstr("probe.x: it is odd"));
}

TEST(Program, knowsWhatItsStatementsSaid) {
  Decoded plain =
      decodeProbe("probe;", [](Statement &statement) { statement.end(0); });
  EXPECT_FALSE(plain.program().communicates);
  EXPECT_FALSE(plain.program().waitsForPrimary);
  Decoded telling = decodeProbe("probe.x;", [](Statement &statement) {
    statement.take("x");
    statement.end(0);
    statement.communicates();
    statement.waitsForPrimary();
    statement.emit(marked, Pipe::mufu, {}, statement.keep(std::string("kept")));
  });
  EXPECT_TRUE(telling.program().communicates);
  EXPECT_TRUE(telling.program().waitsForPrimary);
  const Instruction &instruction = telling.instruction(0);
  EXPECT_EQ(instruction.handler, marked);
  EXPECT_EQ(instruction.line, bodyLine);
  EXPECT_EQ(instruction.as<std::string>(), "kept");
  const Detail &detail =
      telling.program().details[telling.program().index(instruction)];
  EXPECT_EQ(detail.pipe, Pipe::mufu);
  EXPECT_EQ(detail.text, "probe.x");
  EXPECT_EQ(telling.program().details.size(),
            telling.program().instructions.size());
}
