//===- ResourcesTest.cpp --------------------------------------------------===//
#include "Module/Resources.h"

#include "PTX/Parser.h"

#include <gtest/gtest.h>

using namespace cheems::emulator;

namespace {

Kernel kernel(const std::string &directives, int live = 20) {
  auto module = ptx::parse(".version 8.3\n.target sm_90\n.address_size 64\n"
                           ".entry k() " +
                           directives + " { exit; }");
  Kernel result;
  applyDirectives(*module->functions.front(), live, result);
  return result;
}

} // namespace

// PTX ISA, "Performance-Tuning Directives: .maxntid" and ".reqntid"
TEST(Resources, limitThreads) {
  EXPECT_EQ(kernel("").maxThreads, 1024u);
  EXPECT_EQ(kernel(".maxntid 64, 2").maxThreads, 128u);
  EXPECT_EQ(kernel(".maxntid 64").requiredThreads.x, 0u);
  Kernel required = kernel(".reqntid 32, 4, 2");
  EXPECT_EQ(required.maxThreads, 256u);
  EXPECT_EQ(required.requiredThreads.x, 32u);
  EXPECT_EQ(required.requiredThreads.y, 4u);
  EXPECT_EQ(required.requiredThreads.z, 2u);
  EXPECT_THROW(kernel(".maxntid 2048"), Refusal);
}

// PTX ISA, "Cluster Dimension Directives"
TEST(Resources, requireClusters) {
  EXPECT_EQ(kernel("").requiredCluster.x, 0u);
  Kernel cluster = kernel(".explicitcluster .reqnctapercluster 2, 2");
  EXPECT_EQ(cluster.requiredCluster.x, 2u);
  EXPECT_EQ(cluster.requiredCluster.y, 2u);
  EXPECT_EQ(cluster.requiredCluster.z, 1u);
}

TEST(Resources, estimateRegistersInUnitsOfEight) {
  EXPECT_EQ(kernel(".maxntid 128", 1).registers, 16);
  EXPECT_EQ(kernel(".maxntid 128", 20).registers, 32);
  EXPECT_EQ(kernel(".maxntid 128", 100).registers, 112);
  EXPECT_EQ(kernel(".maxntid 128", 1000).registers, 255);
}

// PTX ISA, "Performance-Tuning Directives: .maxnreg" and ".minnctapersm"; the
// largest block must fit.
TEST(Resources, boundRegisters) {
  EXPECT_EQ(kernel(".maxntid 128 .maxnreg 64", 100).registers, 64);
  EXPECT_EQ(kernel(".maxnreg 24", 100).registers, 24);
  EXPECT_EQ(kernel("", 100).registers, 64);
  EXPECT_EQ(kernel(".maxntid 384", 200).registers, 168);
  EXPECT_EQ(kernel(".maxntid 256 .minnctapersm 4", 100).registers, 64);
  // what ptxas 13.0 gives where warps are no multiple of four
  EXPECT_EQ(kernel(".maxntid 160", 300).registers, 255);
  EXPECT_EQ(kernel(".maxntid 160 .minnctapersm 3", 200).registers, 128);
  EXPECT_EQ(kernel(".maxntid 288", 200).registers, 168);
  EXPECT_EQ(kernel(".maxntid 288 .minnctapersm 2", 200).registers, 96);
  EXPECT_EQ(kernel(".maxntid 416", 200).registers, 128);
}
