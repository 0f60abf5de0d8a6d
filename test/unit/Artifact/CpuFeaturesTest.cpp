// Features count only when the processor has them and the operating system
// saves their registers.
#include "runtime/Artifact/CpuFeatures.h"
#include <gtest/gtest.h>

using namespace cheems;

namespace {

/// A machine with every feature bit and the given XCR0.
CpuFeatures machine(uint64_t xcr0) {
  CpuRegisters all;
  all.leaf1ecx = all.leaf1edx = all.leaf7ebx = all.leaf7ecx = all.leaf7edx =
      ~0u;
  all.leaf7eax1 = all.leaf7edx1 = all.extendedEcx = all.extendedEdx = ~0u;
  all.xcr0 = xcr0;
  return CpuFeatures(all);
}

TEST(CpuFeatures, registersTheSystemDoesNotSaveAreNotThere) {
  EXPECT_TRUE(machine(0x0).has("sse4.2"));
  EXPECT_FALSE(machine(0x3).has("avx2"));
  EXPECT_TRUE(machine(0x7).has("avx2"));
  EXPECT_TRUE(machine(0x7).has("fma"));
  EXPECT_FALSE(machine(0x7).has("avx512f"));
  EXPECT_TRUE(machine(0xe7).has("avx512bf16"));
  EXPECT_FALSE(machine(0xe7).has("amx-tile"));
  EXPECT_TRUE(machine(0x600e7).has("amx-bf16"));
}

TEST(CpuFeatures, bitsTheProcessorLacksAreNotThere) {
  CpuRegisters none;
  none.xcr0 = ~0ull;
  EXPECT_FALSE(CpuFeatures(none).has("sse2"));
  none.leaf7ebx = 1u << 5;
  EXPECT_TRUE(CpuFeatures(none).has("avx2"));
  EXPECT_FALSE(CpuFeatures(none).has("bmi2"));
}

TEST(CpuFeatures, tilesThatLinuxRefusesAreNotUsable) {
  CpuRegisters registers;
  registers.leaf7ebx = 1u << 5;             // avx2
  registers.leaf7edx = 1u << 22 | 1u << 24; // amx-bf16, amx-tile
  registers.xcr0 = 0x60007;
  using Names = std::vector<std::string>;
  EXPECT_EQ(CpuFeatures(registers, [] { return true; }).usable(),
            (Names{"amx-bf16", "amx-tile", "avx2"}));
  EXPECT_EQ(CpuFeatures(registers, [] { return false; }).usable(),
            Names{"avx2"});
}

TEST(CpuFeatures, avxVnniIsBit4OfEaxOfLeaf7Subleaf1) {
  CpuRegisters registers;
  registers.leaf7eax1 = 1u << 4;
  EXPECT_FALSE(CpuFeatures(registers).has("avxvnni")); // nothing saves ymm
  registers.xcr0 = 0x7;
  EXPECT_TRUE(CpuFeatures(registers).has("avxvnni"));
  EXPECT_FALSE(CpuFeatures(registers).has("avx512vnni"));
}

TEST(CpuFeatures, bf16DotsAreFastWhereIntelDidNotMakeThem) {
  CpuRegisters registers;
  registers.xcr0 = ~0ull;
  EXPECT_FALSE(CpuFeatures(registers).has("fast-bf16-dot"));
  registers.leaf7eax1 = 1u << 5;
  EXPECT_TRUE(CpuFeatures(registers).has("fast-bf16-dot"));
  registers.vendor = {'G', 'e', 'n', 'u', 'i', 'n',
                      'e', 'I', 'n', 't', 'e', 'l'};
  EXPECT_FALSE(CpuFeatures(registers).has("fast-bf16-dot"));
}

TEST(CpuFeatures, firstMissingIsNamedAndUnknownOnesAreMissing) {
  CpuFeatures small = machine(0x7);
  EXPECT_EQ(small.firstMissing({"avx2", "fma"}), std::nullopt);
  EXPECT_EQ(small.firstMissing({"avx2", "avx512f", "avx512bw"}), "avx512f");
  EXPECT_EQ(small.firstMissing({"avx9000"}), "avx9000");
}

TEST(CpuFeatures, thisMachineIs64Bit) {
  EXPECT_TRUE(CpuFeatures::host().has("sse2"));
}

} // namespace
