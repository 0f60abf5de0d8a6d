// Opening: order of the checks, the CPU, loading the very file that was
// checked.
#include "runtime/Artifact/Model.h"
#include "FakeArtifact.h"
#include "runtime/Error.h"
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace cheems;
using namespace cheems::test;
using testing::HasSubstr;

namespace {

struct Refusal {
  Status status;
  std::string message;
};

Refusal refusal(const std::string &path,
                const CpuFeatures &cpu = CpuFeatures::host()) {
  try {
    Model::open(path, ModelOptions{{}, cpu});
    return {Status::ok, ""};
  } catch (const Error &error) {
    return {error.status, error.what()};
  }
}

CpuFeatures smallCpu() {
  CpuRegisters registers;
  registers.leaf1edx = 1u << 26; // sse2
  return CpuFeatures(registers);
}

TEST(Model, openGivesEntriesTextsAndWeights) {
  TemporaryFile file(FakeArtifact().bytes());
  auto model = Model::open(file.path());
  EXPECT_NE(model->generalEntry(), nullptr);
  EXPECT_NE(model->decodeEntry(), nullptr);
  EXPECT_NE(model->generalEntry(), model->decodeEntry());
  EXPECT_EQ(model->config(), "{\"model_type\": \"fake\"}");
  EXPECT_EQ(model->chatTemplate(), "{{ messages }}");
  EXPECT_EQ(reinterpret_cast<uintptr_t>(model->parameters()) % 4096, 0u);
  EXPECT_EQ(static_cast<const float *>(model->parameters())[0], 0.5f);
  EXPECT_NO_THROW(model->verify());
}

TEST(Model, describeIsJsonWithFileAndMetadata) {
  TemporaryFile file(FakeArtifact().bytes());
  auto description =
      nlohmann::json::parse(Model::open(file.path())->describe());
  EXPECT_EQ(description["model_type"], "fake");
  EXPECT_EQ(description["file"]["variant"], "only");
  EXPECT_EQ(description["file"]["bytes"],
            std::filesystem::file_size(file.path()));
  EXPECT_EQ(description["file"]["sections"][0]["name"], "code");
}

TEST(Model, verifyNamesTheBadBlock) {
  std::string bytes = FakeArtifact().bytes();
  bytes[entryOf(bytes, CHEEMS_SECTION_WEIGHTS).offset + 3] ^= 1;
  TemporaryFile file(bytes);
  auto model = Model::open(file.path());
  try {
    model->verify();
    FAIL();
  } catch (const Error &error) {
    EXPECT_THAT(error.what(), HasSubstr("weights block 0"));
  }
}

TEST(Model, verifyCanBeInterrupted) {
  TemporaryFile file(FakeArtifact().bytes());
  auto model = Model::open(file.path());
  try {
    model->verify([] { return true; });
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.status, Status::interrupted);
  }
}

TEST(Model, pathsThatAreNoFilesAreRefused) {
  EXPECT_THAT(refusal("/nonexistent/x.cheems").message,
              HasSubstr("cannot open '/nonexistent/x.cheems'"));
  EXPECT_THAT(refusal("/tmp").message,
              HasSubstr("it is a folder; compile it first: cheems-compile"));
  TemporaryFile file("");
  EXPECT_THAT(refusal(file.path()).message, HasSubstr("empty"));
  std::string pipe = file.path() + ".pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(refusal(pipe).message, HasSubstr("not a regular file"));
}

TEST(Model, linksToAFileAreFine) {
  TemporaryFile file(FakeArtifact().bytes());
  std::string link = file.path() + ".link";
  std::filesystem::create_symlink(file.path(), link);
  EXPECT_EQ(refusal(link).message, "");
}

TEST(Model, missingCpuFeatureIsUnsupportedAndNamed) {
  FakeArtifact artifact;
  artifact.metadata["images"][0]["cpu"] = "x86-64-v3";
  artifact.metadata["images"][0]["features"] = {"sse2", "avx2"};
  TemporaryFile file(artifact.bytes());
  Refusal reason = refusal(file.path(), smallCpu());
  EXPECT_EQ(reason.status, Status::unsupported);
  EXPECT_THAT(reason.message, HasSubstr("no 'avx2'"));
}

/// CHEEMS_CPU for as long as this lives.
struct ForcedCpu {
  explicit ForcedCpu(const char *name) { setenv("CHEEMS_CPU", name, 1); }
  ~ForcedCpu() { unsetenv("CHEEMS_CPU"); }
};

TEST(Model, whatOnlyIsReadNeedsNoFeatureAndLoadsNoCode) {
  FakeArtifact artifact;
  artifact.metadata["images"][0]["variants"][0]["decode"] = "cheems_step_lost";
  artifact.metadata["images"][0]["features"] = {"sse2", "avx2"};
  TemporaryFile file(artifact.bytes());
  EXPECT_NE(refusal(file.path()).message, "");
  ModelOptions reading{{DeviceChoice::Kind::none, std::nullopt}, smallCpu()};
  auto model = Model::open(file.path(), reading);
  EXPECT_FALSE(model->canRun());
  EXPECT_EQ(model->whyNotHere(), refusal(file.path(), smallCpu()).message);
  EXPECT_EQ(model->deviceName(), "none");
  EXPECT_EQ(model->variant().name, "none");
  EXPECT_EQ(model->config(), "{\"model_type\": \"fake\"}");
}

TEST(Model, environmentForcesAVariant) {
  FakeArtifact artifact;
  nlohmann::json other = artifact.metadata["images"][0]["variants"][0];
  other["name"] = "other";
  artifact.metadata["images"][0]["variants"].push_back(other);
  TemporaryFile file(artifact.bytes());
  EXPECT_EQ(Model::open(file.path())->variant().name, "only");
  {
    ForcedCpu forced("other");
    auto model = Model::open(file.path());
    EXPECT_EQ(model->variant().name, "other");
    auto description = nlohmann::json::parse(model->describe());
    EXPECT_EQ(description["file"]["variant"], "other");
    EXPECT_EQ(description["images"][0]["variants"].size(), 2u);
  }
  {
    ForcedCpu forced("neither");
    Refusal reason = refusal(file.path());
    EXPECT_EQ(reason.status, Status::unsupported);
    EXPECT_THAT(reason.message, HasSubstr("has only, other"));
  }
  ForcedCpu empty("");
  EXPECT_EQ(Model::open(file.path())->variant().name, "only");
}

TEST(Model, firstVariantThatRunsIsChosen) {
  FakeArtifact artifact;
  nlohmann::json better = artifact.metadata["images"][0]["variants"][0];
  better["name"] = "better";
  better["features"] = {"avx512f"};
  better["general"] = "cheems_step_missing"; // must not even be looked up
  artifact.metadata["images"][0]["variants"] = {
      better, artifact.metadata["images"][0]["variants"][0]};
  TemporaryFile file(artifact.bytes());
  EXPECT_EQ(
      Model::open(file.path(), ModelOptions{{}, smallCpu()})->variant().name,
      "only");

  artifact.metadata["images"][0]["variants"].erase(1);
  TemporaryFile onlyBetter(artifact.bytes());
  Refusal reason = refusal(onlyBetter.path(), smallCpu());
  EXPECT_EQ(reason.status, Status::unsupported);
  EXPECT_THAT(reason.message, HasSubstr("no 'avx512f'"));
}

TEST(Model, corruptionIsFoundBeforeVersionAndVersionBeforeCpu) {
  FakeArtifact artifact;
  artifact.metadata["abi"] = 9;
  artifact.metadata["images"][0]["features"] = {"avx9000"};
  std::string bytes = artifact.bytes();
  EXPECT_THAT(refusal(TemporaryFile(bytes).path()).message,
              HasSubstr("ABI version 9"));
  bytes[0] ^= 1;
  EXPECT_THAT(refusal(TemporaryFile(bytes).path()).message,
              HasSubstr("section 'code'"));
}

TEST(Model, codeThatIsNoLibraryOrLacksEntriesIsRefused) {
  FakeArtifact artifact;
  artifact.metadata["images"][0]["variants"][0]["decode"] =
      "cheems_step_nowhere";
  EXPECT_THAT(refusal(TemporaryFile(artifact.bytes()).path()).message,
              HasSubstr("no entry 'cheems_step_nowhere'"));
  artifact.code = "not an ELF image";
  EXPECT_THAT(refusal(TemporaryFile(artifact.bytes()).path()).message,
              HasSubstr("cannot be loaded"));
}

TEST(Model, replacedFileIsLoadedAnewWhileTheOldOneStaysOpen) {
  FakeArtifact artifact;
  TemporaryFile file(artifact.bytes());
  auto old = Model::open(file.path());
  auto again = Model::open(file.path());
  EXPECT_EQ(old->generalEntry(),
            again->generalEntry()); // one file, one copy of its code

  artifact.weights[0] = 2.0f;
  std::string other = file.path() + ".new";
  std::ofstream(other, std::ios::binary) << artifact.bytes();
  std::filesystem::rename(other, file.path());
  again.reset(); // its descriptor's number is free to be used again
  auto fresh = Model::open(file.path());
  EXPECT_NE(old->generalEntry(), fresh->generalEntry());
  EXPECT_EQ(static_cast<const float *>(old->parameters())[0], 0.5f);
  EXPECT_EQ(static_cast<const float *>(fresh->parameters())[0], 2.0f);
}

TEST(Model, aFileWithoutCodeForThisProgramNamesWhatItHas) {
  FakeArtifact artifact;
  artifact.metadata["images"] = {
      {{"target", "abacus"}, {"section", "image.abacus"}}};
  artifact.texts.emplace_back("image.abacus", "beads");
  Refusal reason = refusal(TemporaryFile(artifact.bytes()).path());
  EXPECT_EQ(reason.status, Status::unsupported);
  EXPECT_THAT(reason.message, HasSubstr("compiled for abacus, but"));
  artifact.texts.pop_back();
  EXPECT_THAT(refusal(TemporaryFile(artifact.bytes()).path()).message,
              HasSubstr("no section 'image.abacus'"));
}

TEST(Model, aSecondImageLeavesTheFirstAsItIs) {
  FakeArtifact artifact;
  artifact.metadata["images"].push_back(
      {{"target", "abacus"}, {"section", "image.abacus"}, {"beads", 7}});
  artifact.texts.emplace_back("image.abacus", "beads");
  TemporaryFile file(artifact.bytes());
  EXPECT_EQ(Model::open(file.path())->variant().name, "only");
}

} // namespace
