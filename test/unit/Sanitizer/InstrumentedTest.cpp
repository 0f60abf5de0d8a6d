// Faults planted in a whole artefact: code from the real generator, memory from
// the real runtime. Built with AddressSanitizer it reports each; built without,
// the runtime refuses instrumented code.
#include "PlantedStep.h"
#include "runtime/Redzones.h"
#include "runtime/Session/Session.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cheems::test {
namespace {

const std::string
    kStoreToPool = "  memref.store %token, %pool[%c0, %i] : memref<?x?xi32>\n",
    kStoreToWorkspace =
        "  memref.store %token, %scratch[%c0, %i] : memref<?x16xi32>\n"
        "  %read = memref.load %scratch[%c0, %c0] : memref<?x16xi32>\n"
        "  memref.store %read, %pool[%c0, %c0] : memref<?x?xi32>\n",
    kLoadFromWeights =
        "  %v = memref.load %w[%i] : memref<2xf32>\n"
        "  memref.store %v, %logits[%c0, %c0] : memref<?x64xf32>\n";

void touch(const FakeArtifact &artefact, int32_t element) {
  TemporaryFile file(artefact.bytes());
  SessionOptions options;
  options.threads = 1; // and room for kContext rows, of which a step uses one
  Session session(Model::open(file.path()), options);
  std::vector<float> logits(kVocabulary);
  session.decode(0, element, logits.data());
}

class Instrumented : public testing::Test {
protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  /// Elements 0 to last may be touched; the next one is reported.
  void reportsPast(int32_t last, const std::string &access,
                   const std::string &kind) {
    FakeArtifact planted = plantedStep(access);
    touch(planted, 0);
    touch(planted, last);
    if (kAddressSanitizer) {
      EXPECT_DEATH(touch(planted, last + 1),
                   "ERROR: AddressSanitizer(.|\n)*" + kind);
    }
  }
};

TEST_F(Instrumented, storeOneElementPastAPool) {
  reportsPast(kContext - 1, kStoreToPool, "WRITE of size 4");
}

TEST_F(Instrumented, storeOneElementPastTheWorkspaceOfAStep) {
  reportsPast(kRowElements - 1, kStoreToWorkspace, "WRITE of size 4");
}

TEST_F(Instrumented, loadOneElementPastTheWeights) {
  reportsPast(1, kLoadFromWeights, "READ of size 4");
}

TEST_F(Instrumented, codeWithRaceChecksLoadsOnlyWhereTheyAreKnown) {
  TemporaryFile file(plantedStep(kStoreToPool, /*raceChecks=*/true).bytes());
  try {
    Model::open(file.path());
    FAIL() << "it was opened";
  } catch (const Error &error) {
    EXPECT_EQ(error.status, Status::unsupported);
    EXPECT_THAT(error.what(), testing::HasSubstr("ThreadSanitizer"));
    EXPECT_THAT(error.what(), testing::HasSubstr("without --race-checks"));
    EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr("\n")));
  }
}

TEST_F(Instrumented, codeLoadsOnlyWhereItsChecksAreKnown) {
  FakeArtifact checked;
  checked.metadata["images"][0]["sanitizer"] = "address";
  TemporaryFile file(checked.bytes());
  if (kAddressSanitizer) {
    EXPECT_NO_THROW(Model::open(file.path()));
    return;
  }
  try {
    Model::open(file.path());
    FAIL() << "it was opened";
  } catch (const Error &error) {
    EXPECT_EQ(error.status, Status::unsupported);
    EXPECT_THAT(error.what(), testing::HasSubstr("AddressSanitizer"));
    EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr("\n")));
  }
}

} // namespace
} // namespace cheems::test
