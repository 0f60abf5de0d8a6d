//===- NamesTest.cpp - Scopes, labels and special registers ---------------===//
// PTX ISA, "Statements", "Labels and Function Identifiers Used as Operands" and
// "Special Registers"
#include "Parse.h"

namespace cheems::emulator::ptx {
namespace {

using testing::HasSubstr;

size_t target(const Parsed &parsed, size_t index) {
  return std::get<LabelReference>(parsed.operand(index, 0).value).target;
}

TEST(PTXNames, AnInnerNameHidesAnOuterOne) {
  auto parsed = parseKernel(".reg .b32 x; mov.b32 x, 1; "
                            "{ .reg .b64 x; mov.b64 x, 2; } mov.b32 x, 3;");
  auto width = [&](size_t index) {
    return std::get<const Variable *>(parsed.operand(index, 0).value)
        ->type.width;
  };
  EXPECT_EQ(width(0), 32);
  EXPECT_EQ(width(1), 64);
  EXPECT_EQ(width(2), 32);
}

TEST(PTXNames, ANameIsUnknownOutsideOfItsBlock) {
  EXPECT_THAT(kernelRefusal("{ .reg .b32 x; } mov.b32 x, 1;"),
              HasSubstr("line 7: column 26: 'x' is not declared"));
  EXPECT_THAT(kernelRefusal("mov.b32 x, 1; .reg .b32 x;"),
              HasSubstr("'x' is not declared"));
}

TEST(PTXNames, ARegisterMayHideASpecialOne) {
  auto parsed = parseKernel(".reg .b32 %laneid; mov.b32 %r1, %laneid;");
  EXPECT_EQ(nameOf(parsed.operand(0, 1)), "%laneid");
}

TEST(PTXNames, ALabelIsTheIndexOfTheStatementAfterIt) {
  auto parsed = parseKernel("bra forward; back: ret; bra back; "
                            "forward: bra end; end:");
  EXPECT_EQ(target(parsed, 0), 3u);
  EXPECT_EQ(target(parsed, 2), 1u);
  EXPECT_EQ(target(parsed, 3), 4u) << "after the last statement";
}

TEST(PTXNames, LabelsBelongToTheirBlock) {
  auto parsed = parseKernel("{ bra a; a: ret; } { bra a; a: ret; } "
                            "{ { bra b; } } b: ret;");
  EXPECT_EQ(target(parsed, 0), 1u);
  EXPECT_EQ(target(parsed, 2), 3u);
  EXPECT_EQ(target(parsed, 4), 5u);
  EXPECT_THAT(kernelRefusal("bra a; { a: ret; }"),
              HasSubstr("'a' is no label that can be seen here"));
  EXPECT_THAT(kernelRefusal("a: { bra a; } { a: a: ret; }"),
              HasSubstr("'a' is declared twice"));
}

TEST(PTXNames, ABranchTakesTheLabelOfTheInnermostBlock) {
  auto parsed = parseKernel("a: ret; { bra a; a: ret; }");
  EXPECT_EQ(target(parsed, 1), 2u);
}

TEST(PTXNames, ALabelIsNoOperand) {
  EXPECT_THAT(kernelRefusal("a: mov.b32 %r1, a;"),
              HasSubstr("'a' is a label, which is no operand here"));
  EXPECT_THAT(kernelRefusal("bra %r1;"), HasSubstr("'%r1' is no label"));
  EXPECT_THAT(kernelRefusal("bra 3;"), HasSubstr("'3' stands where a label"));
}

TEST(PTXNames, KnowSpecialRegisters) {
  auto special = [](const std::string &name) {
    auto parsed = parseKernel("mov.u32 %r1, " + name + ";");
    return std::get<SpecialRegister>(parsed.operand(0, 1).value).name;
  };
  EXPECT_EQ(special("%tid.x"), "tid.x");
  EXPECT_EQ(special("%ntid.g"), "ntid.y") << "colours are components, too";
  EXPECT_EQ(special("%tid"), "tid") << "the whole vector";
  for (std::string name : {"laneid",
                           "warpid",
                           "nwarpid",
                           "ctaid.z",
                           "nctaid.w",
                           "smid",
                           "nsmid",
                           "gridid",
                           "is_explicit_cluster",
                           "clusterid.x",
                           "nclusterid.y",
                           "cluster_ctaid.z",
                           "cluster_nctaid.x",
                           "cluster_ctarank",
                           "cluster_nctarank",
                           "lanemask_eq",
                           "lanemask_le",
                           "lanemask_lt",
                           "lanemask_ge",
                           "lanemask_gt",
                           "clock",
                           "clock_hi",
                           "clock64",
                           "pm0",
                           "pm7",
                           "pm3_64",
                           "envreg0",
                           "envreg31",
                           "globaltimer",
                           "globaltimer_lo",
                           "globaltimer_hi",
                           "reserved_smem_offset_begin",
                           "reserved_smem_offset_end",
                           "reserved_smem_offset_cap",
                           "reserved_smem_offset_0",
                           "reserved_smem_offset_1",
                           "total_smem_size",
                           "aggr_smem_size",
                           "dynamic_smem_size",
                           "current_graph_exec"}) {
    EXPECT_EQ(special("%" + name), name);
  }
}

TEST(PTXNames, RefuseUnknownSpecialRegisters) {
  for (std::string name : {"%foo", "%pm8", "%envreg32", "%pm1_32", "tid"}) {
    EXPECT_THAT(kernelRefusal("mov.u32 %r1, " + name + ";"),
                HasSubstr("'" + name + "' is not declared"));
  }
  EXPECT_THAT(kernelRefusal("mov.u32 %r1, %tid.q;"),
              HasSubstr("'.q' is no component of '%tid'"));
  EXPECT_THAT(kernelRefusal("mov.u32 %r1, %laneid.x;"),
              HasSubstr("'.x' stands"));
}

} // namespace
} // namespace cheems::emulator::ptx
