// What runs out of memory ends by an exception and leaves everything as it was.
#include "../Artifact/FakeArtifact.h"
#include "FailingAllocations.h"
#include "runtime/Session/Session.h"
#include <csignal>
#include <gtest/gtest.h>

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

} // namespace
