// A step with a fault planted in it, compiled by the real generator and wrapped
// into the stand-in artefact.
#ifndef CHEEMS_TEST_UNIT_SANITIZER_PLANTEDSTEP_H
#define CHEEMS_TEST_UNIT_SANITIZER_PLANTEDSTEP_H

#include "../Artifact/FakeArtifact.h"
#include <string>

namespace cheems::test {

/// These describe the model around the step: its vocabulary, context, and the
/// elements that a row has in the workspace.
constexpr int64_t kVocabulary = 64, kContext = 5, kRowElements = 16;

/// The artefact of a step that runs `access`, MLIR that may use %token, an i32,
/// and its index %i, %c0, %pool: memref<?x?xi32>, %scratch: memref<?x16xi32>,
/// %w: memref<2xf32> and %logits: memref<?x64xf32>. Throws std::runtime_error.
FakeArtifact plantedStep(const std::string &access, bool raceChecks = false);

} // namespace cheems::test

#endif
