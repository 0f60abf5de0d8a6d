// How a server ends.
#include "server/Http/Shutdown.h"
#include "HttpFixture.h"
#include "server/Http/ForcedEnd.h"
#include <csignal>
#include <sys/wait.h>

using namespace cheems::test;

namespace {

class Shutdowns : public HttpFixture {
protected:
  ~Shutdowns() override {
    if (waiting.joinable()) {
      waiting.join();
    }
    shutdown.reset();
  }

  /// Waits for a signal in a thread.
  void arm(milliseconds grace) {
    start();
    shutdown = std::make_unique<Shutdown>(*listener);
    waiting = std::thread([this, grace] {
      signal = shutdown->wait(*gate, {grace, [this] { drained = true; },
                                      [this] { aborted = true; }});
    });
  }
  void finish() {
    waiting.join();
    shutdown.reset();
  }
  void untilDraining() {
    for (int i = 0; i < 500 && !drained; ++i) {
      std::this_thread::sleep_for(milliseconds(20));
    }
    ASSERT_TRUE(drained);
  }

  std::unique_ptr<Shutdown> shutdown;
  std::thread waiting;
  std::atomic<bool> drained{false}, aborted{false};
  std::atomic<int> signal{-1};
};

} // namespace

TEST_F(Shutdowns, ASignalEndsAnIdleServer) {
  arm(milliseconds(60000));
  Client idle = connect();
  kill(getpid(), SIGTERM);
  finish();
  EXPECT_EQ(signal, SIGTERM);
  EXPECT_TRUE(drained);
  EXPECT_FALSE(aborted);
}

TEST_F(Shutdowns, WhatIsBeingAnsweredIsFinished) {
  arm(milliseconds(60000));
  Client busy = connect(), other = connect();
  busy.send(post("/hold", "x"));
  other.send(get("/echo"));
  EXPECT_EQ(other.receive().status, 200);
  SseWriter writer(handler->wait().responder);
  writer.begin();
  shutdown->request();
  untilDraining();
  // one that is connected already is told, and let go
  other.send(get("/health"));
  Received refused = other.receive();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.fields["connection"], "close");
  EXPECT_THROW(
      {
        for (int i = 0; i < 500; ++i) { // the port is closed by another thread
          connect();
          std::this_thread::sleep_for(milliseconds(20));
        }
      },
      std::system_error);
  writer.event("last");
  writer.done();
  EXPECT_EQ(busy.receive().body, "data: last\n\ndata: [DONE]\n\n");
  finish();
  EXPECT_FALSE(aborted);
}

TEST_F(Shutdowns, WhatTakesTooLongIsEndedWithAnErrorEvent) {
  limits.streamInterval = milliseconds(60000); // the second event waits
  arm(milliseconds(100));
  Client stream = connect(), whole = connect();
  stream.send(post("/hold", "x"));
  SseWriter writer(handler->wait().responder);
  writer.begin();
  writer.event("begun");
  writer.event("more");
  whole.send(post("/hold", "y"));
  handler->wait(1);
  shutdown->request();
  Received ended = stream.receive();
  EXPECT_TRUE(ended.whole);
  EXPECT_EQ(ended.body.rfind("data: begun\n\ndata: more\n\n", 0), 0u);
  EXPECT_NE(ended.body.find("event: error\n"), std::string::npos);
  EXPECT_NE(ended.body.find("shutting_down"), std::string::npos);
  EXPECT_EQ(whole.receive().status, 503);
  EXPECT_TRUE(handler->dropped(2));
  finish();
  EXPECT_TRUE(aborted);
  for (const auto &line : records()) {
    EXPECT_EQ(line["end"], "aborted");
  }
}

TEST_F(Shutdowns, ASecondSignalEndsTheProcessAtOnce) {
  // in a process that runs nothing but this, as threads do not survive a fork
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        arm(milliseconds(60000));
        Client busy = connect();
        busy.send(post("/hold", "x"));
        handler->wait();
        kill(getpid(), SIGTERM);
        untilDraining();
        kill(getpid(), SIGINT);
        std::this_thread::sleep_for(std::chrono::seconds(20));
        std::_Exit(1);
      },
      ::testing::ExitedWithCode(128 + SIGINT), "");
}

TEST(ForcedEnd, EndsAProcessThatDoesNotEnd) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        ForcedEnd end;
        end.after(milliseconds(100), 7);
        std::this_thread::sleep_for(std::chrono::seconds(20));
        std::_Exit(1);
      },
      ::testing::ExitedWithCode(7), "");
}

TEST(ForcedEnd, LeavesOneAloneThatHasEndedInTime) {
  {
    ForcedEnd end;
    end.after(std::chrono::seconds(60), 7);
  }
  {
    ForcedEnd neverAsked;
  }
}
