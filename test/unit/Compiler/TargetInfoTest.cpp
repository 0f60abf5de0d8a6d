// What --cpu stands for, and that the runtime knows whatever it can ask of a
// CPU.
#include "cheems/Target/CPU/TargetInfo.h"
#include "cheems/Import/Error.h"
#include "runtime/Artifact/CpuFeatures.h"
#include <gmock/gmock.h>

using namespace cheems;
using namespace cheems::cpu;
using cheems::cpu::MatmulUnit;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::vector<TargetInfo> variants(llvm::StringRef cpu,
                                 bool withQuantized = false) {
  auto found = TargetInfo::variants(cpu, withQuantized);
  EXPECT_TRUE(bool(found)) << llvm::toString(found.takeError());
  return found ? *found : std::vector<TargetInfo>();
}

std::vector<std::string> names(llvm::StringRef cpu,
                               bool withQuantized = false) {
  std::vector<std::string> result;
  for (const TargetInfo &variant : variants(cpu, withQuantized)) {
    result.push_back(variant.name);
  }
  return result;
}

TEST(TargetInfo, portableIsEveryVariantBestFirst) {
  std::vector<TargetInfo> all = variants("portable", /*withQuantized=*/true);
  EXPECT_THAT(names("portable", /*withQuantized=*/true),
              ElementsAre("amx", "avx512bf16", "avx512vnni", "avx512",
                          "avxvnni", "avx2"));
  EXPECT_THAT(names("portable"),
              ElementsAre("amx", "avx512bf16", "avx512", "avx2"));
  // The second but last stands beside those before it.
  EXPECT_EQ(all[3].has("avxvnni"), false);
  EXPECT_EQ(all[4].features.size(), all[5].features.size() + 1);
  all.erase(all.begin() + 4);
  for (size_t i = 1; i < all.size(); ++i) {
    for (const std::string &feature : all[i].features) {
      EXPECT_TRUE(all[i - 1].has(feature)) << all[i - 1].name << feature;
    }
    EXPECT_LT(all[i].features.size(), all[i - 1].features.size());
  }
}

TEST(TargetInfo, aCpuGetsTheBestVariantItHas) {
  for (auto [cpu, name] :
       {std::pair("x86-64-v3", "avx2"), std::pair("haswell", "avx2"),
        std::pair("znver3", "avx2"), std::pair("x86-64-v4", "avx512"),
        std::pair("icelake-server", "avx512"),
        std::pair("znver4", "avx512bf16"), std::pair("cooperlake", "avx512"),
        std::pair("sapphirerapids", "amx"), std::pair("amx", "amx"),
        std::pair("avx512bf16", "avx512bf16")}) {
    EXPECT_THAT(names(cpu), ElementsAre(name)) << cpu;
  }
  EXPECT_EQ(names("native").size(), 1u);
}

TEST(TargetInfo, codesAloneAskForVnni) {
  for (llvm::StringRef cpu : {"icelake-server", "cooperlake"}) {
    EXPECT_THAT(names(cpu, /*withQuantized=*/true), ElementsAre("avx512vnni"));
    EXPECT_THAT(names(cpu), ElementsAre("avx512"));
  }
  EXPECT_THAT(names("avx512vnni"), ElementsAre("avx512vnni"));
}

TEST(TargetInfo, codesAloneAskForVnniWithoutAvx512) {
  for (llvm::StringRef cpu : {"alderlake", "arrowlake", "sierraforest"}) {
    EXPECT_THAT(names(cpu, /*withQuantized=*/true), ElementsAre("avxvnni"));
    EXPECT_THAT(names(cpu), ElementsAre("avx2"));
  }
  EXPECT_THAT(names("avxvnni"), ElementsAre("avxvnni"));
  EXPECT_THAT(names("sapphirerapids", /*withQuantized=*/true),
              ElementsAre("amx"));
}

TEST(TargetInfo, aCpuBelowTheBaselineIsNamedWithWhatItLacks) {
  for (auto [cpu, reason] :
       {std::pair("nehalem", "lacks avx"), std::pair("i386-turbo", "not a")}) {
    auto found = TargetInfo::variants(cpu);
    ASSERT_FALSE(bool(found));
    llvm::Error error = found.takeError();
    EXPECT_TRUE(error.isA<UnsupportedError>());
    EXPECT_THAT(llvm::toString(std::move(error)), HasSubstr(reason));
  }
}

TEST(TargetInfo, descriptionFollowsTheFeatures) {
  std::vector<MatmulUnit> products;
  std::vector<int64_t> lanes;
  for (const TargetInfo &variant :
       variants("portable", /*withQuantized=*/true)) {
    products.push_back(variant.describe(false).products);
    lanes.push_back(variant.describe(false).lanes);
  }
  EXPECT_THAT(products, ElementsAre(MatmulUnit::AMX, MatmulUnit::DotBF16,
                                    MatmulUnit::DotI8, MatmulUnit::FMA,
                                    MatmulUnit::DotI8, MatmulUnit::FMA));
  EXPECT_THAT(lanes, ElementsAre(16, 16, 16, 16, 8, 8));
}

TEST(TargetInfo, theRuntimeKnowsEveryFeatureAndWant) {
  CpuRegisters every;
  every.leaf1ecx = every.leaf1edx = every.leaf7ebx = every.leaf7ecx =
      every.leaf7edx = every.leaf7eax1 = every.leaf7edx1 = every.extendedEcx =
          every.extendedEdx = ~0u;
  every.xcr0 = ~0ull;
  CpuFeatures cpu(every);
  for (const TargetInfo &variant :
       variants("portable", /*withQuantized=*/true)) {
    EXPECT_EQ(cpu.firstMissing(variant.features), std::nullopt);
    EXPECT_EQ(cpu.firstMissing(variant.wants), std::nullopt);
  }
}

} // namespace
