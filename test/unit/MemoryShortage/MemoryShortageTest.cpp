// What runs out of memory ends by an exception and leaves everything as it was.
#include "../Artifact/FakeArtifact.h"
#include "FailingAllocations.h"
#include "runtime/Session/Session.h"
#include "runtime/ThreadPool/ThreadPool.h"
#include <csignal>
#include <gtest/gtest.h>
#include <memory>

using namespace cheems;
using namespace cheems::test;

namespace {

TEST(MemoryShortage, threadsThatStartLeaveNoSignalBlocked) {
  sigset_t none;
  sigemptyset(&none);
  withEverMoreMemory([] { ThreadPool pool(4); },
                     [&](int64_t blocks) {
                       sigset_t blocked;
                       pthread_sigmask(SIG_SETMASK, &none, &blocked);
                       EXPECT_EQ(sigismember(&blocked, SIGTERM), 0) << blocks;
                     });
}

TEST(MemoryShortage, aStepThatItsProfileHasNoRoomForIsMadeAllTheSame) {
  TemporaryFile file(FakeArtifact().bytes());
  auto model = Model::open(file.path());
  std::vector<float> first(fakeVocabulary), second(fakeVocabulary),
      logits(fakeVocabulary);
  std::shared_ptr<Profile> profile;
  std::unique_ptr<Session> session;
  auto start = [&](bool profiled) {
    SessionOptions options;
    options.threads = 1;
    profile = profiled ? std::make_shared<Profile>() : nullptr;
    options.profile = profile;
    session = std::make_unique<Session>(model, options);
  };
  start(false);
  session->decode(0, 4, first.data());
  session->decode(0, 5, second.data());
  start(true);
  int kept = 0, lost = 0;
  withEverMoreMemory([&] { session->decode(0, 4, logits.data()); },
                     [&](int64_t blocks) {
                       EXPECT_EQ(session->position(0), 1) << blocks;
                       EXPECT_EQ(logits, first) << blocks;
                       ++(profile->loss().empty() ? kept : lost);
                       session->decode(0, 5, logits.data());
                       EXPECT_EQ(logits, second) << blocks;
                       start(true);
                     });
  EXPECT_EQ(kept, 1); // the last, which had all its memory
  EXPECT_GT(lost, 0);
}

} // namespace
