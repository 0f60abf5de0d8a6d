// After start-up a step allocates nothing. A program of its own: it replaces
// operator new, which sanitizers do too.
#include "../Artifact/FakeArtifact.h"
#include "runtime/Session/Session.h"
#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>

using namespace cheems;
using namespace cheems::test;

static std::atomic<int64_t> allocations{0};

void *operator new(size_t bytes) {
  ++allocations;
  if (void *memory = std::malloc(bytes)) {
    return memory;
  }
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

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
    int64_t before = allocations;
    session.prefill(1, tokens.data(), 12, logits.data());
    for (int i = 0; i < 10; ++i) {
      session.decode(1, i, logits.data());
    }
    session.reset(1);
    EXPECT_EQ(allocations, before);
    EXPECT_GT(before, 0);
  }
}

} // namespace
