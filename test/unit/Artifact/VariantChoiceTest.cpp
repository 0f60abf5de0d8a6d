// Which variant runs on which machine.
#include "runtime/Artifact/VariantChoice.h"
#include "FakeArtifact.h"
#include "runtime/Artifact/Metadata.h"
#include "runtime/Error.h"
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems;
using namespace cheems::test;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

namespace {

/// Leaf 7's bits of the features that the fake variants need.
constexpr uint32_t avx2 = 1u << 5, avx512f = 1u << 16, avxvnni = 1u << 4,
                   avx512bf16 = 1u << 5, amxTile = 1u << 24;

struct Machine {
  uint32_t leaf7ebx, leaf7edx, leaf7eax1;
  const char *vendor;
};
constexpr Machine haswell{avx2, 0, 0, "GenuineIntel"},
    alderLake{avx2, 0, avxvnni, "GenuineIntel"},
    skylake{avx2 | avx512f, 0, 0, "GenuineIntel"},
    cooperLake{avx2 | avx512f, 0, avx512bf16, "GenuineIntel"},
    zen4{avx2 | avx512f, 0, avx512bf16, "AuthenticAMD"},
    sapphireRapids{avx2 | avx512f, amxTile, avxvnni | avx512bf16,
                   "GenuineIntel"};

int questions;
bool allow() { return ++questions != 0; }
bool refuse() { return ++questions == 0; }

CpuFeatures cpuOf(const Machine &machine, bool (*askForTiles)() = allow) {
  CpuRegisters registers;
  std::memcpy(registers.vendor.data(), machine.vendor, registers.vendor.size());
  registers.leaf1edx = 1u << 26; // sse2
  registers.leaf7ebx = machine.leaf7ebx;
  registers.leaf7edx = machine.leaf7edx;
  registers.leaf7eax1 = machine.leaf7eax1;
  registers.xcr0 = ~0ull;
  return CpuFeatures(registers, askForTiles);
}

json variant(const std::string &name, const json &features,
             const json &wants = json::array()) {
  json result = fakeMetadata()["images"][0]["variants"][0];
  result["name"] = name;
  result["features"] = features;
  result["wants"] = wants;
  return result;
}

/// Lists the variants as cheems-compile does, each by the feature that sets it
/// apart.
CpuImage parsed(const json &variants) {
  json metadata = fakeMetadata();
  metadata["images"][0]["variants"] = variants;
  Metadata data = Metadata::parse(metadata.dump(), 8, "m.cheems");
  return CpuImage::parse(data.images[0], "m.cheems");
}
json portable() {
  return {variant("amx", {"avx2", "avx512f", "avx512bf16", "amx-tile"}),
          variant("avx512bf16", {"avx2", "avx512f", "avx512bf16"},
                  {"fast-bf16-dot"}),
          variant("avx512", {"avx2", "avx512f"}), variant("avx2", {"avx2"})};
}

std::string chosen(const json &variants, const CpuFeatures &cpu,
                   const std::string &forced = "") {
  CpuImage image = parsed(variants);
  return chooseVariant(image, cpu, {forced, "CHEEMS_CPU", "unset CHEEMS_CPU"},
                       "m.cheems")
      .name;
}

std::string refusal(const json &variants, const CpuFeatures &cpu,
                    const std::string &forced = "") {
  try {
    return "chose " + chosen(variants, cpu, forced);
  } catch (const Error &error) {
    EXPECT_EQ(error.status, Status::unsupported);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
}

TEST(VariantChoice, theBestThatRunsIsTaken) {
  EXPECT_EQ(chosen(portable(), cpuOf(haswell)), "avx2");
  EXPECT_EQ(chosen(portable(), cpuOf(skylake)), "avx512");
  EXPECT_EQ(chosen(portable(), cpuOf(zen4)), "avx512bf16");
  EXPECT_EQ(chosen(portable(), cpuOf(sapphireRapids)), "amx");
}

TEST(VariantChoice, avxVnniIsTakenWithoutAvx512WhereThereIsCodeForIt) {
  json withQuantized = portable();
  withQuantized.insert(withQuantized.begin() + 3,
                       variant("avxvnni", {"avx2", "avxvnni"}));
  EXPECT_EQ(chosen(withQuantized, cpuOf(alderLake)), "avxvnni");
  EXPECT_EQ(chosen(withQuantized, cpuOf(haswell)), "avx2");
  EXPECT_EQ(chosen(withQuantized, cpuOf(skylake)), "avx512");
  EXPECT_EQ(chosen(withQuantized, cpuOf(sapphireRapids)), "amx");
  EXPECT_EQ(chosen(portable(), cpuOf(alderLake)), "avx2");
  EXPECT_THAT(refusal(withQuantized, cpuOf(haswell), "avxvnni"),
              HasSubstr("no 'avxvnni'"));
}

TEST(VariantChoice, whatAVariantWantsCountsUnlessItIsTheOnlyOne) {
  EXPECT_EQ(chosen(portable(), cpuOf(cooperLake)), "avx512");
  json one = json::array({portable()[1]});
  EXPECT_EQ(chosen(one, cpuOf(cooperLake)), "avx512bf16");
  // A want that no machine is known to meet is one that none meets.
  json unknown = {variant("new", {"avx2"}, {"moon-phase"}),
                  variant("old", {"avx2"})};
  EXPECT_EQ(chosen(unknown, cpuOf(zen4)), "old");
}

TEST(VariantChoice, aNameForcesOne) {
  for (const char *name : {"amx", "avx512bf16", "avx512", "avx2"}) {
    EXPECT_EQ(chosen(portable(), cpuOf(sapphireRapids), name), name);
  }
  EXPECT_EQ(chosen(portable(), cpuOf(cooperLake), "avx512bf16"), "avx512bf16");
}

TEST(VariantChoice, aNameThatCannotBeSaysWhy) {
  EXPECT_THAT(refusal(portable(), cpuOf(zen4), "amx"),
              AllOf(HasSubstr("'amx'"), HasSubstr("no 'amx-tile'")));
  EXPECT_THAT(refusal(portable(), cpuOf(haswell), "avx512bf16"),
              HasSubstr("no 'avx512f'"));
  EXPECT_THAT(refusal(portable(), cpuOf(zen4), "avx1024"),
              AllOf(HasSubstr("'avx1024'"),
                    HasSubstr("has amx, avx512bf16, avx512, avx2")));
  EXPECT_THAT(refusal(portable(), cpuOf(zen4), "AVX2"), HasSubstr("'AVX2'"));
}

TEST(VariantChoice, noneThatRunsNamesTheFeature) {
  EXPECT_THAT(refusal(json::array({portable()[2]}), cpuOf(haswell)),
              HasSubstr("no 'avx512f'"));
}

TEST(VariantChoice, tilesAreAskedForOnlyWhereTheyWouldBeUsed) {
  questions = 0;
  chosen(portable(), cpuOf(zen4));
  chosen(portable(), cpuOf(sapphireRapids), "avx512");
  EXPECT_EQ(questions, 0);
  chosen(portable(), cpuOf(sapphireRapids));
  EXPECT_EQ(questions, 1);
}

TEST(VariantChoice, tilesThatTheSystemRefusesAreNotThere) {
  CpuFeatures cpu = cpuOf(sapphireRapids, refuse);
  EXPECT_EQ(chosen(portable(), cpu), "avx512");
  EXPECT_EQ(chosen(portable(), cpu, "avx512bf16"), "avx512bf16");
  for (const std::string forced : {"amx", ""}) {
    EXPECT_THAT(refusal(json::array({portable()[0]}), cpu, forced),
                HasSubstr("does not let this process use 'amx-tile'"));
  }
}

} // namespace
