//===- SpecialRegistersTest.cpp -------------------------------------------===//
#include "Decode/SpecialRegisters.h"

#include "Machine/Block.h"
#include "Machine/Warp.h"
#include "Probe.h"

using namespace cheems::emulator;
using namespace cheems::emulator::test;
using testing::HasSubstr;
using Kind = SpecialRegister::Kind;

// PTX ISA, "Special Registers"
TEST(SpecialRegisters, areSlotsOfTheBlockOrTheWarp) {
  auto at = [](const char *name) { return findSpecialRegister(name)->slot; };
  EXPECT_EQ(at("tid.x"), Slot(Base::warp, offsetof(WarpValues, tid)));
  EXPECT_EQ(at("tid.z"), Slot(Base::warp, offsetof(WarpValues, tid[2])));
  EXPECT_EQ(at("laneid"), Slot(Base::warp, offsetof(WarpValues, laneid)));
  EXPECT_EQ(at("lanemask_ge"),
            Slot(Base::warp, offsetof(WarpValues, lanemaskGe)));
  EXPECT_EQ(at("ctaid.y"), Slot(Base::block, offsetof(BlockValues, ctaid[1])));
  EXPECT_EQ(at("cluster_ctarank"),
            Slot(Base::block, offsetof(BlockValues, clusterCtarank)));
  EXPECT_EQ(at("cluster_nctaid.x"),
            Slot(Base::block, offsetof(BlockValues, clusterNctaid)));
}

// PTX ISA, "Special Registers: %tid": the fourth component is always zero.
TEST(SpecialRegisters, haveAFourthComponentOfZero) {
  for (const char *name : {"tid.w", "ntid.w", "ctaid.w", "clusterid.w"}) {
    EXPECT_EQ(findSpecialRegister(name)->slot,
              Slot(Base::block, offsetof(BlockValues, zero)))
        << name;
  }
}

TEST(SpecialRegisters, haveTheirWidths) {
  EXPECT_EQ(findSpecialRegister("gridid")->bits, 64);
  EXPECT_EQ(findSpecialRegister("clock64")->bits, 64);
  EXPECT_EQ(findSpecialRegister("globaltimer")->bits, 64);
  EXPECT_EQ(findSpecialRegister("clock")->bits, 32);
  EXPECT_EQ(findSpecialRegister("smid")->bits, 32);
  EXPECT_EQ(findSpecialRegister("is_explicit_cluster")->bits, 1);
}

TEST(SpecialRegisters, thatAreNotModelledAreKnown) {
  for (const char *name :
       {"pm0", "pm7_64", "envreg31", "reserved_smem_offset_begin",
        "aggr_smem_size", "current_graph_exec"}) {
    auto found = findSpecialRegister(name);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->kind, Kind::notModelled) << name;
  }
  for (const char *name : {"pm8", "envreg32", "tid", "tid.v", "", "lane"}) {
    EXPECT_FALSE(findSpecialRegister(name)) << name;
  }
}

TEST(SpecialRegisters, areOperands) {
  Decoded decoded =
      decodeProbe("probe %tid.y, %gridid, %tid;", [](Statement &statement) {
        statement.end(3);
        statement.emit(
            marked, Pipe::alu,
            {statement.source(0, Type::u32), statement.source(1, Type::b64)});
        statement.emit(marked, Pipe::alu,
                       statement.sources(statement.operand(2), Type::u32, 4));
      });
  EXPECT_EQ(decoded.slot(0, 0), Slot(Base::warp, offsetof(WarpValues, tid[1])));
  EXPECT_EQ(decoded.slot(0, 1),
            Slot(Base::block, offsetof(BlockValues, gridid)));
  EXPECT_EQ(decoded.slot(1, 2), Slot(Base::warp, offsetof(WarpValues, tid[2])));
  EXPECT_EQ(decoded.slot(1, 3), Slot(Base::block, offsetof(BlockValues, zero)));
}

TEST(SpecialRegisters, arePredicates) {
  Decoded decoded =
      decodeProbe("probe %is_explicit_cluster;", [](Statement &statement) {
        statement.end(1);
        statement.emit(marked, Pipe::alu, {statement.predicate(0)});
      });
  EXPECT_EQ(decoded.slot(0, 0),
            Slot(Base::block, offsetof(BlockValues, isExplicitCluster)));
}

TEST(SpecialRegisters, ofOtherWidthsAreRefused) {
  auto as = [](Type type) {
    return [type](Statement &statement) {
      statement.end(1);
      statement.source(0, type);
    };
  };
  EXPECT_THAT(refusal("probe %tid.x;", as(Type::u64)), HasSubstr("32 bits"));
  EXPECT_THAT(refusal("probe %tid.x;", as(Type::u16)), HasSubstr("32 bits"));
  EXPECT_THAT(refusal("probe %gridid;", as(Type::u32)), HasSubstr("64 bits"));
  EXPECT_THAT(refusal("probe %tid.x;", as(Type::f32)), HasSubstr("integer"));
  EXPECT_THAT(refusal("probe %envreg3;", as(Type::b32)),
              HasSubstr("'%envreg3' is not modelled"));
}
