// Partition, nesting, sleeping, stress. The stress tests mean most under
// ThreadSanitizer.
#include "runtime/ThreadPool/ThreadPool.h"
#include "runtime/Error.h"
#include "runtime/ThreadPool/Cores.h"
#include "runtime/ThreadPool/Denormals.h"
#include <chrono>
#include <csignal>
#include <cstdio>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <pthread.h>
#include <sched.h>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace cheems;

namespace {

struct Range {
  int64_t begin, end, worker;
  std::thread::id thread;
};

/// Collects the ranges of one region; slot = worker, so no locking is needed.
struct Recorder {
  std::vector<Range> byWorker = std::vector<Range>(64, Range{-1, -1, -1, {}});
  static void body(void *context, int64_t begin, int64_t end, int64_t worker) {
    static_cast<Recorder *>(context)->byWorker[worker] = {
        begin, end, worker, std::this_thread::get_id()};
  }
  std::vector<Range> ranges() const {
    std::vector<Range> used;
    for (const Range &range : byWorker) {
      if (range.worker >= 0) {
        used.push_back(range);
      }
    }
    return used;
  }
};

void addTo(void *context, int64_t begin, int64_t end, int64_t) {
  auto *values = static_cast<std::vector<int64_t> *>(context);
  for (int64_t i = begin; i < end; ++i) {
    (*values)[i] += 1;
  }
}

TEST(ThreadPool, rangesAreConsecutiveAndCoverTheCount) {
  for (int threads : {1, 2, 3, 7}) {
    ThreadPool pool(threads);
    for (int64_t count : {1, 2, 3, 6, 7, 8, 100, 1001}) {
      Recorder recorder;
      pool.parallelFor(Recorder::body, &recorder, count);
      std::vector<Range> ranges = recorder.ranges();
      ASSERT_EQ(static_cast<int64_t>(ranges.size()),
                std::min<int64_t>(threads, count));
      int64_t next = 0;
      for (const Range &range : ranges) {
        EXPECT_EQ(range.begin, next);
        EXPECT_GT(range.end, range.begin);
        EXPECT_LE(range.end - range.begin,
                  count / static_cast<int64_t>(ranges.size()) + 1);
        next = range.end;
      }
      EXPECT_EQ(next, count);
    }
  }
}

TEST(ThreadPool, hugeCountsDoNotOverflow) {
  ThreadPool pool(3);
  Recorder recorder;
  int64_t count = INT64_MAX - 1;
  pool.parallelFor(Recorder::body, &recorder, count);
  std::vector<Range> ranges = recorder.ranges();
  ASSERT_EQ(ranges.size(), 3u);
  EXPECT_EQ(ranges[0].begin, 0);
  EXPECT_EQ(ranges[1].begin, ranges[0].end);
  EXPECT_EQ(ranges[2].begin, ranges[1].end);
  EXPECT_EQ(ranges[2].end, count);
}

TEST(ThreadPool, nothingToDoCallsNothing) {
  ThreadPool pool(2);
  Recorder recorder;
  pool.parallelFor(Recorder::body, &recorder, 0);
  pool.parallelFor(Recorder::body, &recorder, -5);
  EXPECT_TRUE(recorder.ranges().empty());
}

TEST(ThreadPool, oneItemRunsOnTheCaller) {
  ThreadPool pool(3);
  Recorder recorder;
  pool.parallelFor(Recorder::body, &recorder, 1);
  ASSERT_EQ(recorder.ranges().size(), 1u);
  EXPECT_EQ(recorder.ranges()[0].thread, std::this_thread::get_id());
  EXPECT_EQ(recorder.ranges()[0].worker, 0);
}

TEST(ThreadPool, aLogTellsWhoRanWhatAndWhen) {
  for (int threads : {1, 3}) {
    ThreadPool pool(threads);
    RegionLog log(threads, 100);
    std::vector<int64_t> values(50);
    pool.parallelFor(addTo, &values, 50, "before");
    pool.setLog(&log);
    for (int i = 0; i < 20; ++i) {
      uint64_t begin = cycleCount();
      pool.parallelFor(addTo, &values, 50, "add");
      uint64_t end = cycleCount();
      std::vector<RegionRecord> records;
      EXPECT_EQ(log.drain([&](const RegionRecord &record) {
        records.push_back(record);
      }),
                0);
      ASSERT_EQ(records.size(), static_cast<size_t>(threads));
      int64_t next = 0;
      for (const RegionRecord &record : records) {
        EXPECT_STREQ(record.name, "add");
        EXPECT_EQ(record.first, next);
        next = record.last;
        EXPECT_GE(record.thread, 0);
        EXPECT_LT(record.thread, threads);
        EXPECT_LE(begin, record.begin);
        EXPECT_LE(record.begin, record.end);
        EXPECT_LE(record.end, end);
      }
      EXPECT_EQ(next, 50);
    }
    pool.setLog(nullptr);
    pool.parallelFor(addTo, &values, 50, "after");
    log.drain([](const RegionRecord &record) { ADD_FAILURE() << record.name; });
  }
}

TEST(ThreadPool, aLogNamesTheThreadThatRanARange) {
  ThreadPool pool(2);
  RegionLog log(2, 10);
  pool.setLog(&log);
  std::atomic<int> arrived{0};
  auto wait = [](void *context, int64_t, int64_t, int64_t) {
    auto &arrived = *static_cast<std::atomic<int> *>(context);
    ++arrived;
    while (arrived != 2) { // each thread holds one range
      std::this_thread::yield();
    }
  };
  pool.parallelFor(wait, &arrived, 2);
  std::vector<int> threads;
  log.drain([&](const RegionRecord &record) {
    EXPECT_EQ(record.name, nullptr);
    threads.push_back(record.thread);
  });
  EXPECT_EQ(threads, (std::vector<int>{0, 1}));
}

TEST(ThreadPool, unboundCallsRunInline) {
  Recorder recorder;
  cheems_parallel_for(Recorder::body, &recorder, 10, nullptr);
  ASSERT_EQ(recorder.ranges().size(), 1u);
  EXPECT_EQ(recorder.ranges()[0].end, 10);
  EXPECT_EQ(recorder.ranges()[0].thread, std::this_thread::get_id());
}

TEST(ThreadPool, boundCallsUseThePoolUntilTheBindingEnds) {
  ThreadPool pool(2), inner(3);
  auto width = [] {
    Recorder recorder;
    cheems_parallel_for(Recorder::body, &recorder, 10, nullptr);
    return recorder.ranges().size();
  };
  {
    ThreadPool::Binding binding(pool);
    EXPECT_EQ(width(), 2u);
    {
      ThreadPool::Binding nested(inner);
      EXPECT_EQ(width(), 3u);
    }
    EXPECT_EQ(width(), 2u);
  }
  EXPECT_EQ(width(), 1u);
}

/// Whether half of the least normal float was zero, by worker.
void halve(void *context, int64_t, int64_t, int64_t worker) {
  volatile float least = 0x1p-126f;
  (*static_cast<std::vector<bool *> *>(context))[worker][0] = least * 0.5f == 0;
}

TEST(ThreadPool, regionsTreatDenormalsAsTheirCallerDoes) {
  constexpr int threads = 4;
  ThreadPool pool(threads);
  for (int i = 0; i < 100; ++i) {
    bool flushes = i % 3 == 1;
    bool zero[threads] = {};
    std::vector<bool *> places;
    for (bool &place : zero) {
      place = !flushes;
      places.push_back(&place);
    }
    {
      Denormals denormals(flushes);
      pool.parallelFor(halve, &places, threads);
    }
    for (bool was : zero) {
      EXPECT_EQ(was, flushes);
    }
    volatile float least = 0x1p-126f;
    EXPECT_NE(least * 0.5f, 0) << "the caller's own treatment is back";
  }
}

/// Every outer item runs a nested region, which must stay on its thread and
/// keep the worker's number.
void nestedBody(void *context, int64_t begin, int64_t end, int64_t worker) {
  for (int64_t i = begin; i < end; ++i) {
    Recorder recorder;
    cheems_parallel_for(Recorder::body, &recorder, 5, nullptr);
    std::vector<Range> ranges = recorder.ranges();
    bool inlineCall = ranges.size() == 1 && ranges[0].worker == worker &&
                      ranges[0].end == 5 &&
                      ranges[0].thread == std::this_thread::get_id();
    (*static_cast<std::vector<int64_t> *>(context))[i] += inlineCall;
  }
}

TEST(ThreadPool, nestedCallsRunInlineOnTheirWorker) {
  ThreadPool pool(4);
  ThreadPool::Binding binding(pool);
  for (int64_t count : {1, 16}) {
    std::vector<int64_t> good(count);
    cheems_parallel_for(nestedBody, &good, count, nullptr);
    EXPECT_EQ(std::accumulate(good.begin(), good.end(), int64_t(0)), count);
  }
}

TEST(ThreadPool, manyShortRegionsLoseNothing) {
  for (int threads : {2, 3, 8}) {
    ThreadPool pool(threads);
    std::vector<int64_t> values(37);
    const int regions = 3000;
    for (int region = 0; region < regions; ++region) {
      pool.parallelFor(addTo, &values, 1 + region % 37);
    }
    int64_t expected = 0;
    for (int region = 0; region < regions; ++region) {
      expected += 1 + region % 37;
    }
    EXPECT_EQ(std::accumulate(values.begin(), values.end(), int64_t(0)),
              expected)
        << threads;
  }
}

TEST(ThreadPool, sleepingWorkersWakeUp) {
  ThreadPool pool(2);
  std::vector<int64_t> values(10);
  for (int round = 0; round < 20; ++round) {
    // around the spin time, so that some rounds catch the worker on its way to
    // sleep
    std::this_thread::sleep_for(std::chrono::microseconds(round * 100));
    pool.parallelFor(addTo, &values, 10);
  }
  EXPECT_EQ(values, std::vector<int64_t>(10, 20));
}

TEST(ThreadPool, callerSleepsThroughASlowWorker) {
  ThreadPool pool(2);
  std::vector<int64_t> values(2);
  auto slow = [](void *context, int64_t begin, int64_t end, int64_t worker) {
    if (worker == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    addTo(context, begin, end, worker);
  };
  for (int round = 0; round < 10; ++round) {
    pool.parallelFor(slow, &values, 2);
    EXPECT_EQ(values[1], round + 1);
  }
}

TEST(ThreadPool, poolsOfDifferentThreadsAreIndependent) {
  std::vector<std::thread> sessions;
  std::vector<int64_t> totals(4);
  for (int session = 0; session < 4; ++session) {
    sessions.emplace_back([&totals, session] {
      ThreadPool pool(2);
      ThreadPool::Binding binding(pool);
      std::vector<int64_t> values(16);
      for (int region = 0; region < 500; ++region) {
        cheems_parallel_for(addTo, &values, 16, nullptr);
      }
      totals[session] =
          std::accumulate(values.begin(), values.end(), int64_t(0));
    });
  }
  for (std::thread &session : sessions) {
    session.join();
  }
  EXPECT_EQ(totals, std::vector<int64_t>(4, 16 * 500));
}

TEST(ThreadPool, startsAndStopsQuicklyManyTimes) {
  for (int round = 0; round < 100; ++round) {
    ThreadPool pool(1 + round % 5);
    std::vector<int64_t> values(8);
    if (round % 2) {
      pool.parallelFor(addTo, &values, 8);
      EXPECT_EQ(values, std::vector<int64_t>(8, 1));
    }
  }
}

TEST(ThreadPool, moreThreadsThanCoresDoNotSpin) {
  EXPECT_FALSE(ThreadPool(200).spins());
  EXPECT_EQ(ThreadPool(200).threads(), 200);
  EXPECT_GE(ThreadPool(0).threads(), 1);
  EXPECT_TRUE(ThreadPool(0).spins());
}

TEST(ThreadPool, SleepingOnesDoNotSpin) {
  ThreadPool pool(2, ThreadPool::Waiting::sleeping);
  EXPECT_FALSE(pool.spins());
  std::vector<int64_t> values(8);
  pool.parallelFor(addTo, &values, 8);
  EXPECT_EQ(values, std::vector<int64_t>(8, 1));
}

/// Ranges of a region of `count` iterations that take `time` each. Nothing else
/// is done in them that could take long under a sanitizer.
int rangesUsed(ThreadPool &pool, int64_t count,
               std::chrono::microseconds time) {
  struct Region {
    std::atomic<int> ranges;
    std::chrono::microseconds time;
  } region{{0}, time};
  pool.parallelFor(
      [](void *context, int64_t begin, int64_t end, int64_t) {
        auto *region = static_cast<Region *>(context);
        region->ranges.fetch_add(1, std::memory_order_relaxed);
        if (region->time.count() == 0) {
          return;
        }
        auto until =
            std::chrono::steady_clock::now() + (end - begin) * region->time;
        while (std::chrono::steady_clock::now() < until) {
        }
      },
      &region, count);
  return region.ranges;
}

TEST(ThreadPool, smallRegionsStayTogetherOnceTheyAreKnown) {
  using std::chrono::microseconds;
  ThreadPool pool(2);
  pool.keepSmallRegionsTogether();
  EXPECT_EQ(rangesUsed(pool, 4, microseconds(0)), 2); // nothing is known yet
  // A thread put aside in the middle looks like work, but not every time.
  auto ever = [&](int64_t count, microseconds time, int ranges) {
    for (int round = 0; round < 20000; ++round) {
      if (rangesUsed(pool, count, time) == ranges) {
        return true;
      }
    }
    return false;
  };
  EXPECT_TRUE(ever(4, microseconds(0), 1));
  // The same body with more to do: split from the second time on.
  rangesUsed(pool, 4, microseconds(50));
  EXPECT_EQ(rangesUsed(pool, 4, microseconds(50)), 2);
  EXPECT_TRUE(ever(4, microseconds(0), 1));
}

TEST(ThreadPool, impossibleCountsAreRefused) {
  for (int threads : {-1, ThreadPool::maxThreads + 1}) {
    try {
      ThreadPool pool(threads);
      FAIL() << threads;
    } catch (const Error &error) {
      EXPECT_EQ(error.status, Status::usage);
      EXPECT_NE(std::string(error.what()).find(std::to_string(threads)),
                std::string::npos);
    }
  }
}

TEST(ThreadPool, theDefaultIsPossibleOnTheLargestMachine) {
  CoreLimits limits;
  limits.logical = 4096;
  limits.physical = 2048;
  EXPECT_EQ(ThreadPool::defaultThreads(limits), ThreadPool::maxThreads);
  limits.quota = 7;
  EXPECT_EQ(ThreadPool::defaultThreads(limits), 7);
}

/// Whether this thread hears the signal.
bool hears(int signal) {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  return sigismember(&blocked, signal) == 0;
}

TEST(ThreadPool, threadsThatCannotBeStartedAreAnErrorAndBlockNoSignal) {
  pthread_attr_t before, huge; // a stack that no address space holds
  ASSERT_EQ(pthread_getattr_default_np(&before), 0);
  pthread_attr_init(&huge);
  ASSERT_EQ(pthread_attr_setstacksize(&huge, size_t(1) << 47), 0);
  ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
  std::string message;
  try {
    ThreadPool pool(3);
  } catch (const Error &error) {
    message = error.what();
  }
  pthread_setattr_default_np(&before);
  pthread_attr_destroy(&before);
  pthread_attr_destroy(&huge);
  EXPECT_EQ(message.find("cannot start 3 threads: "), 0u) << message;
  EXPECT_TRUE(hears(SIGTERM));
}

TEST(ThreadPool, workersHearTheirFaultsAndNoOtherSignal) {
  ThreadPool pool(2);
  struct Region {
    std::atomic<int> arrived{0};
    sigset_t blocked[2];
  } region;
  auto look = [](void *context, int64_t begin, int64_t, int64_t) {
    auto &region = *static_cast<Region *>(context);
    pthread_sigmask(SIG_SETMASK, nullptr, &region.blocked[begin]);
    ++region.arrived;
    while (region.arrived != 2) { // each thread holds one range
      std::this_thread::yield();
    }
  };
  pool.parallelFor(look, &region, 2);
  for (int fault : {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP}) {
    EXPECT_EQ(sigismember(&region.blocked[1], fault), 0) << fault;
  }
  for (int other : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
    EXPECT_EQ(sigismember(&region.blocked[1], other), 1) << other;
  }
  EXPECT_TRUE(hears(SIGTERM)); // the caller as before
}

TEST(ThreadPool, aForkedChildDestroysItWithoutItsThreads) {
  auto pool = std::make_unique<ThreadPool>(3);
  EXPECT_TRUE(pool->isOfThisProcess());
  pid_t child = fork();
  if (child == 0) {
    alarm(20); // waiting for threads that are not there would never end
    bool own = pool->isOfThisProcess();
    pool.reset();
    _exit(own ? 1 : 0);
  }
  int state = -1;
  ASSERT_EQ(waitpid(child, &state, 0), child);
  EXPECT_EQ(state, 0);
  std::vector<int64_t> values(10);
  pool->parallelFor(addTo, &values, 10); // the parent's goes on
  EXPECT_EQ(values, std::vector<int64_t>(10, 1));
}

/// Reported, not judged: shared machines are noisy.
TEST(ThreadPool, regionOverhead) {
  ThreadPool pool(2);
  std::vector<int64_t> values(2);
  const int regions = 20000;
  auto start = std::chrono::steady_clock::now();
  for (int region = 0; region < regions; ++region) {
    pool.parallelFor(addTo, &values, 2);
  }
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  EXPECT_EQ(values, std::vector<int64_t>(2, regions));
  std::printf("overhead of a region on 2 threads: %.0f ns\n",
              seconds / regions * 1e9);
}

} // namespace

/// One core for all: workers are mostly put aside, so the caller runs many of
/// their ranges. Each must still run once, under its own number.
TEST(ThreadPool, rangesRunOnceWhereWorkersAreLate) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &before)) {
      CPU_SET(cpu, &one);
      break;
    }
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  {
    ThreadPool pool(4);
    struct Counts {
      std::atomic<int> runs[4] = {};
      std::atomic<int> wrong{0};
    } counts;
    constexpr int regions = 3000;
    for (int region = 0; region < regions; ++region) {
      int64_t count = region % 2 ? 8 : 3; // four ranges, or three
      pool.parallelFor(
          [](void *context, int64_t begin, int64_t end, int64_t worker) {
            auto *counts = static_cast<Counts *>(context);
            ++counts->runs[worker];
            counts->wrong += begin != worker * (end - begin);
          },
          &counts, count);
    }
    EXPECT_EQ(counts.wrong, 0);
    for (int worker = 0; worker < 3; ++worker) {
      EXPECT_EQ(counts.runs[worker], regions);
    }
    EXPECT_EQ(counts.runs[3], regions / 2);
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}
