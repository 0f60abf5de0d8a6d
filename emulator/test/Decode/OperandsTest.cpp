//===- OperandsTest.cpp ---------------------------------------------------===//
#include "Probe.h"

#include "Decode/Widths.h"

using namespace cheems::emulator;
using namespace cheems::emulator::test;
using testing::HasSubstr;

namespace {

using Width = cheems::emulator::Width;

/// Emits operand 0 as a source.
auto source(Type type, Width width = Width::exact) {
  return [=](Statement &statement) {
    statement.end(1);
    statement.emit(marked, Pipe::alu, {statement.source(0, type, width)});
  };
}
auto destination(Type type, Width width = Width::exact) {
  return [=](Statement &statement) {
    statement.end(1);
    statement.emit(marked, Pipe::alu, {statement.destination(0, type, width)});
  };
}

uint64_t immediate(const std::string &text, Type type) {
  Decoded decoded = decodeProbe("probe " + text + ";", source(type));
  Slot slot = decoded.slot(0, 0);
  switch (bits(type)) {
  case 32:
    EXPECT_EQ(decoded.constant<uint32_t>(slot, 31),
              decoded.constant<uint32_t>(slot, 0));
    return decoded.constant<uint32_t>(slot);
  case 64:
    return decoded.constant<uint64_t>(slot, 31);
  default:
    return decoded.constant<uint16_t>(slot, 31);
  }
}

} // namespace

// PTX ISA, "Integer Constants": they have 64 bits and are cut where they are
// used.
TEST(Immediates, areCutToTheirUse) {
  EXPECT_EQ(immediate("-1", Type::s32), 0xffffffffu);
  EXPECT_EQ(immediate("0x123456789", Type::b32), 0x23456789u);
  EXPECT_EQ(immediate("0x123456789", Type::u64), 0x123456789u);
  EXPECT_EQ(immediate("-2", Type::s16), 0xfffeu);
}

TEST(Immediates, ofBytesFillTheirElement) {
  EXPECT_EQ(immediate("0x1ff", Type::u8), 0xffu);
  EXPECT_EQ(immediate("0xff", Type::s8), 0xffffu);
  EXPECT_EQ(immediate("0x80", Type::b8), 0x80u);
}

// PTX ISA, "Floating-Point Constants"
TEST(Immediates, areConvertedToTheirFloatingPointType) {
  EXPECT_EQ(immediate("0f3f800000", Type::f32), 0x3f800000u);
  EXPECT_EQ(immediate("0f3f800000", Type::f64), 0x3ff0000000000000u);
  EXPECT_EQ(immediate("0d3ff8000000000000", Type::f32), 0x3fc00000u);
  EXPECT_EQ(immediate("2.5", Type::f32), 0x40200000u);
  EXPECT_EQ(immediate("2.5", Type::f64), 0x4004000000000000u);
  EXPECT_EQ(immediate("0f3f800000", Type::b32), 0x3f800000u);
  EXPECT_EQ(immediate("0d3ff8000000000000", Type::b64), 0x3ff8000000000000u);
}

TEST(Immediates, thatDoNotFitTheirTypeAreRefused) {
  EXPECT_THAT(refusal("probe 1;", source(Type::f32)),
              HasSubstr("an integer is used as '.f32'"));
  EXPECT_THAT(refusal("probe 0f3f800000;", source(Type::s32)),
              HasSubstr("a floating-point value is used as '.s32'"));
  EXPECT_THAT(refusal("probe 0f3f800000;", source(Type::b64)),
              HasSubstr("'.b64'"));
  EXPECT_THAT(refusal("probe 0f3f800000;", source(Type::f16)),
              HasSubstr("'.f16'"));
}

TEST(Immediates, areKnownWhenAModuleIsLoaded) {
  decodeProbe("probe 7, %r1, -3;", [](Statement &statement) {
    statement.end(3);
    EXPECT_TRUE(statement.isImmediate(0));
    EXPECT_FALSE(statement.isImmediate(1));
    EXPECT_EQ(statement.immediate(0), 7);
    EXPECT_EQ(statement.immediate(2), -3);
  });
  EXPECT_THAT(refusal("probe %r1;",
                      [](Statement &statement) {
                        statement.end(1);
                        statement.immediate(0);
                      }),
              HasSubstr("no integer constant"));
}

TEST(Registers, areTheSameSlotWhereverTheyStand) {
  Decoded decoded =
      decodeProbe("probe %r1, %r2, %r1;", [](Statement &statement) {
        statement.end(3);
        statement.emit(marked, Pipe::alu,
                       {statement.destination(0, Type::b32),
                        statement.source(1, Type::b32),
                        statement.source(2, Type::b32)});
      });
  EXPECT_EQ(decoded.slot(0, 0), decoded.slot(0, 2));
  EXPECT_NE(decoded.slot(0, 0), decoded.slot(0, 1));
  EXPECT_EQ(decoded.slot(0, 0).base(), Base::registers);
  EXPECT_EQ(decoded.slot(0, 0).offset() % 64, 0u);
  EXPECT_LE(decoded.slot(0, 1).offset() + 128, decoded.program().registerBytes);
}

// PTX ISA, "Type Checking": bits agree with all types of their size, integers
// with each other, floating-point types with themselves.
TEST(Registers, agreeWithTypesAsTheTableSays) {
  EXPECT_EQ(refusal("probe %r1;", source(Type::f32)), "");
  EXPECT_EQ(refusal("probe %r1;", source(Type::bf16x2)), "");
  EXPECT_EQ(refusal("probe %f1;", source(Type::b32)), "");
  EXPECT_EQ(refusal("probe %f1;", source(Type::f32)), "");
  EXPECT_EQ(refusal("probe %h1;", source(Type::bf16)), "");
  EXPECT_THAT(refusal("probe %f1;", source(Type::s32)),
              HasSubstr("'%f1' of type '.f32' does not fit type '.s32'"));
  EXPECT_THAT(refusal("probe %f1;", source(Type::f16x2)), HasSubstr("%f1"));
  EXPECT_EQ(refusal(".reg .s32 %s; probe %s;", source(Type::u32)), "");
  EXPECT_THAT(refusal(".reg .s32 %s; probe %s;", source(Type::f32)),
              HasSubstr("'%s'"));
  EXPECT_EQ(refusal(".reg .f16x2 %x; probe %x;", source(Type::f16x2)), "");
  EXPECT_THAT(refusal("probe %p1;", source(Type::b32)), HasSubstr("%p1"));
  EXPECT_THAT(refusal("probe %r1;", source(Type::pred)),
              HasSubstr("does not fit type '.pred'"));
}

TEST(Registers, ofOtherWidthsAreRefused) {
  EXPECT_THAT(refusal("probe %d1;", source(Type::b32)), HasSubstr("%d1"));
  EXPECT_THAT(refusal("probe %r1;", source(Type::b64)), HasSubstr("%r1"));
  EXPECT_THAT(refusal("probe %r1;", source(Type::b64, Width::relaxed)),
              HasSubstr("%r1"));
  EXPECT_THAT(refusal("probe %d1;", destination(Type::b32)), HasSubstr("%d1"));
  EXPECT_THAT(refusal("probe %h1;", destination(Type::b32, Width::relaxed)),
              HasSubstr("%h1"));
}

// PTX ISA, "Operand Size Exceeding Instruction-Type Size": a source is cut, a
// destination extended, by sign if the instruction's type is signed.
TEST(Registers, ofLargerWidthsAreConvertedWhereThatIsAllowed) {
  Decoded cut = decodeProbe("probe %d1;", source(Type::u16, Width::relaxed));
  EXPECT_EQ(cut.instruction(0).handler, widthHandler(16, 64, false));
  EXPECT_EQ(cut.slot(0, 0), cut.slot(1, 0));
  EXPECT_EQ(cut.instruction(1).handler, marked);
  EXPECT_EQ(cut.program().details[0].pipe, Pipe::none);

  Decoded zeros =
      decodeProbe("probe %d1;", destination(Type::b32, Width::relaxed));
  EXPECT_EQ(zeros.instruction(0).handler, marked);
  EXPECT_EQ(zeros.instruction(1).handler, widthHandler(64, 32, false));
  EXPECT_EQ(zeros.slot(0, 0), zeros.slot(1, 1));

  Decoded sign =
      decodeProbe("probe %r1;", destination(Type::s8, Width::relaxed));
  EXPECT_EQ(sign.instruction(1).handler, widthHandler(32, 16, true));
  EXPECT_NE(sign.instruction(1).handler, widthHandler(32, 16, false));
}

TEST(Registers, ofFloatsAreNeverWiderThanAFloatingPointType) {
  std::string body = ".reg .f64 %w; probe %w;";
  EXPECT_THAT(refusal(body, source(Type::f32, Width::relaxed)),
              HasSubstr("%w"));
  EXPECT_EQ(refusal(body, source(Type::b32, Width::relaxed)), "");
}

TEST(Registers, holdABytesElementOf16Bits) {
  Decoded decoded = decodeProbe("probe %h1;", destination(Type::u8));
  EXPECT_EQ(decoded.instruction(1).handler, nothing); // the end's ret
  EXPECT_EQ(decoded.slot(0, 0).base(), Base::registers);
}

TEST(Registers, ofVectorsAreOneForEachComponent) {
  Decoded decoded =
      decodeProbe("probe %v, {%r1, %v.y, 5, %v.w};", [](Statement &statement) {
        statement.end(2);
        std::vector<Slot> slots =
            statement.destinations(statement.operand(0), Type::b32, 4);
        for (Slot slot :
             statement.sources(statement.operand(1), Type::b32, 4)) {
          slots.push_back(slot);
        }
        statement.emit(marked, Pipe::alu, slots);
      });
  EXPECT_EQ(decoded.slot(0, 1), decoded.slot(0, 5));
  EXPECT_EQ(decoded.slot(0, 3), decoded.slot(0, 7));
  EXPECT_NE(decoded.slot(0, 0), decoded.slot(0, 1));
  EXPECT_EQ(decoded.constant<uint32_t>(decoded.slot(0, 6)), 5u);
  auto three = [](Statement &statement) {
    statement.end(1);
    statement.sources(statement.operand(0), Type::b32, 3);
  };
  EXPECT_THAT(refusal("probe {%r1, %r2};", three),
              HasSubstr("2 elements instead of 3"));
  EXPECT_THAT(refusal("probe %v;", source(Type::b32)),
              HasSubstr("'%v' is a vector"));
}

TEST(Registers, thatNobodyWantsAreATemporary) {
  Decoded decoded = decodeProbe("probe _;", destination(Type::b32));
  EXPECT_EQ(decoded.slot(0, 0).base(), Base::registers);
  EXPECT_NE(refusal("probe _;", source(Type::b32)), "");
}

TEST(Registers, areTheOnlyDestinations) {
  for (const char *text : {"5", "%tid.x", "[%d1]", "{%r1, %r2}", "tile"}) {
    EXPECT_THAT(
        refusal(std::string("probe ") + text + ";", destination(Type::b32)),
        HasSubstr("no register"))
        << text;
  }
}

TEST(Registers, tellTheirBits) {
  decodeProbe("probe %h1, %d1, 5, %p1;", [](Statement &statement) {
    statement.end(4);
    EXPECT_EQ(statement.registerBits(statement.operand(0)), 16);
    EXPECT_EQ(statement.registerBits(statement.operand(1)), 64);
    EXPECT_EQ(statement.registerBits(statement.operand(2)), 0);
    EXPECT_EQ(statement.registerBits(statement.operand(3)), 1);
  });
}

TEST(Predicates, areNegatedBySlot) {
  Decoded decoded =
      decodeProbe("probe %p1, !%p1, 1, 0;", [](Statement &statement) {
        statement.end(4);
        statement.emit(marked, Pipe::alu,
                       {statement.predicate(0), statement.predicate(1),
                        statement.predicate(2), statement.predicate(3),
                        statement.allLanesPredicate()});
      });
  EXPECT_EQ(decoded.slot(0, 0).negate(), decoded.slot(0, 1));
  EXPECT_TRUE(decoded.slot(0, 1).negated());
  EXPECT_EQ(decoded.constant<LaneMask>(decoded.slot(0, 2)), allLanes);
  EXPECT_EQ(decoded.constant<LaneMask>(decoded.slot(0, 3)), 0u);
  EXPECT_EQ(decoded.slot(0, 2), decoded.slot(0, 4));
}

TEST(Predicates, guardAllInstructionsOfAStatement) {
  Decoded decoded = decodeProbe("@!%p1 probe %d1; probe %d1;",
                                destination(Type::b32, Width::relaxed));
  EXPECT_TRUE(decoded.instruction(0).guard.negated());
  EXPECT_EQ(decoded.instruction(0).guard, decoded.instruction(1).guard);
  EXPECT_EQ(decoded.constant<LaneMask>(decoded.instruction(2).guard), allLanes);
}

TEST(Predicates, thatAreTheGuardChangeAfterTheStatement) {
  Decoded decoded = decodeProbe("@%p1 probe %p1;", [](Statement &statement) {
    statement.end(1);
    Slot result = statement.predicateDestination(0);
    statement.emit(marked, Pipe::alu, {result});
    statement.emit(marked, Pipe::alu, {result});
  });
  EXPECT_NE(decoded.slot(0, 0), decoded.instruction(0).guard);
  EXPECT_EQ(decoded.instruction(2).handler, copyPredicate);
  EXPECT_EQ(decoded.slot(2, 0), decoded.instruction(0).guard);
  EXPECT_EQ(decoded.slot(2, 1), decoded.slot(0, 0));
}

TEST(Predicates, standAfterABar) {
  decodeProbe("probe %p1|%p2, %p3;", [](Statement &statement) {
    statement.end(2);
    auto [first, second] = statement.pair(statement.operand(0));
    EXPECT_NE(statement.predicate(*first), statement.predicate(*second));
    auto [one, none] = statement.pair(statement.operand(1));
    EXPECT_EQ(one, &statement.operand(1));
    EXPECT_EQ(none, nullptr);
  });
}

TEST(Operands, areAddressesOfVariables) {
  Decoded decoded = decodeProbe(
      "probe counter, tile+8, dynamic, stack, p;", [](Statement &statement) {
        statement.end(5);
        statement.emit(
            marked, Pipe::alu,
            {statement.source(0, Type::u64), statement.source(1, Type::u32),
             statement.source(2, Type::b64), statement.source(3, Type::u64),
             statement.source(4, Type::u64)});
      });
  EXPECT_EQ(decoded.constant<uint64_t>(decoded.slot(0, 0)), globalAddress);
  EXPECT_EQ(decoded.constant<uint32_t>(decoded.slot(0, 1)), 8u);
  EXPECT_EQ(decoded.constant<uint64_t>(decoded.slot(0, 2)), 128u);
  EXPECT_EQ(decoded.constant<uint64_t>(decoded.slot(0, 3)), 0u);
  EXPECT_EQ(decoded.constant<uint64_t>(decoded.slot(0, 4)), 8u);
  EXPECT_EQ(decoded.program().sharedBytes, 128u);
  EXPECT_EQ(decoded.program().parameterBytes, 16u);
  EXPECT_GE(decoded.program().localBytes, 24u);
  EXPECT_THAT(refusal("probe counter;", source(Type::u32)),
              HasSubstr("64 bits"));
  EXPECT_THAT(refusal("probe tile;", source(Type::f32)), HasSubstr("address"));
  EXPECT_THAT(refusal("probe tile;", source(Type::u16)), HasSubstr("address"));
}

TEST(Operands, areNeitherNegatedNorPartsOfOthers) {
  EXPECT_NE(refusal("probe [%d1];", source(Type::b64)), "");
  EXPECT_NE(refusal("probe {%r1, %r2};", source(Type::b32)), "");
}
