// Threads that run tasks: whose turn it is, and what becomes of tasks whose
// client or server has gone.
#include "server/Api/WorkerPool.h"

#include <future>
#include <gtest/gtest.h>

using namespace cheems;
using namespace cheems::serve;
using Lane = WorkerPool::Lane;

namespace {

class WorkerPools : public ::testing::Test {
protected:
  WorkerPool::Task task(std::function<void()> run, std::string party = "",
                        Lane lane = Lane::quick) {
    WorkerPool::Task result;
    result.run = std::move(run);
    result.work = std::make_shared<Work>(std::chrono::minutes(1), nullptr);
    result.party = std::move(party);
    result.lane = lane;
    return result;
  }
  /// The only thread of a lane is busy until the returned promise has a value.
  std::shared_ptr<std::promise<void>> hold(WorkerPool &pool, Lane lane) {
    auto release = std::make_shared<std::promise<void>>();
    std::promise<void> running;
    pool.postFirst(
        [&running, release] {
          running.set_value();
          release->get_future().wait();
        },
        lane);
    running.get_future().wait();
    return release;
  }
  static void waitFor(WorkerPool &pool, Lane lane) {
    std::promise<void> last;
    WorkerPool::Task task;
    task.run = [&] { last.set_value(); };
    task.party = "the last one";
    task.lane = lane;
    EXPECT_TRUE(pool.post(task));
    last.get_future().wait();
  }
};

/// Until all that was posted has run.
void waitForAll(WorkerPool &pool) {
  while (pool.waiting().tasks > 0) {
    std::this_thread::yield();
  }
}

TEST_F(WorkerPools, RefuseAPartyThatHasTooManyTasksAndTakeOthers) {
  WorkerPool pool(1, 2);
  auto release = hold(pool, Lane::quick);
  int done = 0;
  auto count = [&] { ++done; };
  EXPECT_TRUE(pool.post(task(count, "a")));
  EXPECT_TRUE(pool.post(task(count, "a")));
  EXPECT_FALSE(pool.post(task(count, "a")));
  EXPECT_TRUE(pool.post(task(count, "b")));
  pool.postFirst(count);
  EXPECT_EQ(pool.waiting().tasks, 3u);
  release->set_value();
  waitForAll(pool);
  waitFor(pool, Lane::quick); // after the last one, on the only thread
  EXPECT_EQ(done, 4);
  EXPECT_EQ(pool.waiting().tasks, 0u);
}

TEST_F(WorkerPools, RunShortTasksWhileLongOnesTakeTheirTime) {
  WorkerPool pool(1, 100);
  auto release = hold(pool, Lane::slow);
  EXPECT_TRUE(pool.post(task([] {}, "a", Lane::slow)));
  waitFor(pool, Lane::quick); // and not for the long ones
  EXPECT_EQ(pool.waiting().tasks, 1u);
  EXPECT_GT(pool.waiting().oldestSeconds, 0);
  release->set_value();
  waitFor(pool, Lane::slow);
}

TEST_F(WorkerPools, GiveEachPartyItsTurn) {
  WorkerPool pool(1, 100);
  auto release = hold(pool, Lane::quick);
  std::string order;
  for (int i = 0; i < 5; ++i) {
    pool.post(task([&] { order += 'a'; }, "a"));
  }
  pool.post(task([&] { order += 'b'; }, "b"));
  pool.post(task([&] { order += 'c'; }, "c"));
  pool.post(task([&] { order += 'b'; }, "b"));
  release->set_value();
  waitForAll(pool);
  waitFor(pool, Lane::quick);
  EXPECT_EQ(order, "abcabaaa");
}

TEST_F(WorkerPools, LetATaskGoWhoseClientHasLeft) {
  WorkerPool pool(1, 100);
  auto release = hold(pool, Lane::quick);
  auto held = std::make_shared<int>(0);
  bool ran = false;
  WorkerPool::Task left = task([&ran, held] { ran = true; });
  std::shared_ptr<Work> work = left.work;
  pool.post(std::move(left));
  EXPECT_EQ(held.use_count(), 2);
  pool.forget(*work);
  EXPECT_EQ(held.use_count(), 1); // at once, and not when it has its turn
  release->set_value();
  waitFor(pool, Lane::quick);
  EXPECT_FALSE(ran);
}

TEST_F(WorkerPools, EndWhileTasksRunAndWait) {
  WorkerPool pool(1, 100);
  std::promise<void> running;
  bool stopped = false, ran = false;
  pool.post(task([&] {
    running.set_value();
    try {
      for (;;) {
        Work::check();
      }
    } catch (const WorkStopped &reason) {
      stopped = reason.reason == WorkStopped::Reason::cancelled;
    }
  }));
  running.get_future().wait();
  auto held = std::make_shared<int>(0); // such as what the pool is a part of
  pool.post(task([&ran, held] { ran = true; }));
  pool.stop();
  EXPECT_TRUE(stopped);
  EXPECT_FALSE(ran);
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_TRUE(pool.post(task([&] { ran = true; })));
  EXPECT_FALSE(ran);
  pool.postFirst([&] { ran = true; }); // an answer that is complete is given
  EXPECT_TRUE(ran);
}

TEST_F(WorkerPools, LetTasksThatWaitSayThatTheyWereCancelled) {
  WorkerPool pool(1, 100);
  auto release = hold(pool, Lane::quick);
  bool told = false;
  pool.post(task([&] {
    try {
      Work::check();
    } catch (const WorkStopped &) {
      told = true;
    }
  }));
  pool.cancel();
  release->set_value();
  waitFor(pool, Lane::quick);
  EXPECT_TRUE(told);
}

TEST(Work, LeavesSomeMemoryToAnswersUnderWay) {
  auto all = std::make_shared<Budget>(1600);
  auto reading = std::make_shared<BudgetShare>(all);
  BudgetShare answering(all);
  Work work(std::chrono::minutes(1), reading);
  Work::Scope scope(work);
  Work::take(1500);
  EXPECT_THROW(Work::take(1), WorkStopped);
  EXPECT_EQ(answering.grow(100), BudgetShare::Full::none);
  EXPECT_EQ(answering.grow(1), BudgetShare::Full::all);
  EXPECT_EQ(all->used(), 1600u);
}

TEST(Work, HasATimeAndAShareOfMemory) {
  auto all = std::make_shared<Budget>(100);
  auto share = std::make_shared<BudgetShare>(all, 60);
  auto reasonOf = [](const std::function<void()> &act) {
    try {
      act();
    } catch (const WorkStopped &stopped) {
      return std::optional(stopped.reason);
    }
    return std::optional<WorkStopped::Reason>();
  };
  Work work(std::chrono::minutes(1), share);
  {
    Work::Scope scope(work);
    EXPECT_EQ(reasonOf([] { Work::take(40); }), std::nullopt);
    {
      Work::Memory some(20);
    }
    EXPECT_EQ(share->bytes(), 40u);
    EXPECT_EQ(reasonOf([] { Work::take(21); }), WorkStopped::Reason::ownMemory);
    EXPECT_TRUE(all->take(55));
    EXPECT_EQ(reasonOf([] { Work::Memory more(6); }),
              WorkStopped::Reason::allMemory);
    EXPECT_EQ(share->bytes(), 40u);
  }
  EXPECT_EQ(reasonOf([] { Work::take(1000); }), std::nullopt); // for nobody
  share.reset();
  Work late(std::chrono::seconds(-1), nullptr);
  Work::Scope scope(late);
  EXPECT_EQ(reasonOf([] { Work::check(); }), WorkStopped::Reason::time);
}

} // namespace
