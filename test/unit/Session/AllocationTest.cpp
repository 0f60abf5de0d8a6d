// After start-up a step allocates nothing: of the session's own; compiled
// models are in test/Integration/CPU/Sameness.
#include "../Artifact/FakeArtifact.h"
#include "AllocationCount.h"
#include "runtime/Session/Session.h"
#include <gtest/gtest.h>

using namespace cheems;
using namespace cheems::test;

namespace {

TEST(Session, stepsAllocateNothing) {
  TemporaryFile file(FakeArtifact().bytes());
  auto model = Model::open(file.path());
  for (int threads : {1, 2}) {
    SessionOptions options;
    options.threads = threads;
    options.prefillChunk = 4;
    options.slots = 2;
    Session session(model, options);
    std::vector<int32_t> tokens(12, 3);
    std::vector<float> logits(fakeVocabulary);
    int64_t before = allocations();
    session.prefill(1, tokens, logits.data());
    for (int i = 0; i < 10; ++i) {
      session.decode(1, i, logits.data());
    }
    session.copy(1, 0);
    session.reset(1);
    EXPECT_EQ(allocations(), before);
    EXPECT_GT(before, 0);
  }
}

} // namespace
