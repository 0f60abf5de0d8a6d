// Threads that run tasks, and what becomes of tasks when they end.
#include "runtime/Serve/Api/WorkerPool.h"

#include <future>
#include <gtest/gtest.h>

using namespace cheems::serve;

namespace {

TEST(WorkerPool, aFullOneRefusesAllButWhatEndsARequest) {
  WorkerPool pool(1, 1);
  std::promise<void> running, release;
  pool.postAnyway([&] {
    running.set_value();
    release.get_future().wait();
  });
  running.get_future().wait(); // the only thread is busy
  int done = 0;
  EXPECT_TRUE(pool.post([&] { ++done; }));
  EXPECT_FALSE(pool.post([&] { ++done; }));
  pool.postAnyway([&] { ++done; });
  release.set_value();
  pool.stop();
  EXPECT_EQ(done, 2);
}

TEST(WorkerPool, oneThatHasEndedRunsTasksWhereTheyArePosted) {
  WorkerPool pool(2, 0);
  pool.stop();
  std::vector<std::thread::id> threads;
  pool.postAnyway([&] {
    threads.push_back(std::this_thread::get_id());
    EXPECT_TRUE(
        pool.post([&] { threads.push_back(std::this_thread::get_id()); }));
  });
  EXPECT_EQ(threads, std::vector(2, std::this_thread::get_id()));
}

} // namespace
