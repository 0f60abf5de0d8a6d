// The threads a session computes on. Workers spin for a moment after each
// region and then sleep. A range whose worker has not come yet when the caller
// is done with its own is run by the caller: on a busy machine a region never
// waits for a thread that the system does not run.
#ifndef CHEEMS_RUNTIME_THREADPOOL_THREADPOOL_H
#define CHEEMS_RUNTIME_THREADPOOL_THREADPOOL_H

#include "cheems/abi.h"
#include "runtime/Profile/RegionLog.h"
#include "runtime/ThreadPool/RegionCost.h"
#include <array>
#include <atomic>
#include <cstdint>
#include <pthread.h>
#include <sys/types.h>
#include <vector>

namespace cheems {

struct CoreLimits;

/// One thread at a time may call parallelFor; it takes part as worker 0. Any
/// thread may destroy the pool when none does. A forked child has the pool
/// without its threads, and may only destroy it.
class ThreadPool {
public:
  static constexpr int maxThreads = 1024;

  /// CoreLimits::threads(), at most maxThreads.
  static int defaultThreads(const CoreLimits &limits);
  /// `threads`; 0 means defaultThreads(). Throws Error (usage) where a pool
  /// cannot have so many.
  static int chooseThreads(int threads, const CoreLimits &limits);

  /// `threads` counts the caller, as chooseThreads() of this machine takes it.
  /// More than CoreLimits::available() never spin.
  explicit ThreadPool(int threads = 0);
  /// How its threads wait for a region: `sleeping` is for those whose CPUs
  /// others need between regions.
  enum class Waiting { spinning, sleeping };
  ThreadPool(int threads, Waiting waiting);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  int threads() const { return threadCount; }
  bool spins() const { return spinning; }
  /// Whether this process started the threads: after a fork, the child did not.
  bool isOfThisProcess() const;

  /// Runs body over [0, count): worker w stands for the range from count*w/n to
  /// count*(w+1)/n, n = min(threads, count), whichever thread runs it. Calls
  /// from inside a body run on the worker that makes them. Floats are treated
  /// everywhere as on the calling thread (MXCSR).
  void parallelFor(cheems_parallel_body body, void *context, int64_t count,
                   const char *name = nullptr);

  /// From now on n is such that a range is worth the handing over, judged by
  /// the time that the region took before. Takes some microseconds.
  void keepSmallRegionsTogether();

  /// From now on regions that are not nested are written to `target`, which
  /// has room for threads() ranges; null ends that. Not while a region runs.
  void setLog(RegionLog *target) { log = target; }

  /// While one lives, cheems_parallel_for on this thread uses the pool; without
  /// one it runs inline.
  class Binding {
  public:
    explicit Binding(ThreadPool &pool);
    ~Binding();
    Binding(const Binding &) = delete;
    Binding &operator=(const Binding &) = delete;

  private:
    ThreadPool *previous;
  };

private:
  struct Job {
    cheems_parallel_body body = nullptr;
    void *context = nullptr;
    int64_t count = 0;
    int64_t ranges = 0;
    const char *name = nullptr;
    unsigned floats = 0; ///< MXCSR
  };
  /// The last region whose range of this worker was taken.
  struct alignas(64) Claim {
    std::atomic<uint32_t> region{0};
  };

  /// Not a std::thread: that of a forked child could be neither joined nor
  /// destroyed.
  struct Worker {
    ThreadPool *pool;
    int number;
    pthread_t thread;
  };

  void start();
  RegionCost &costOf(cheems_parallel_body body, int64_t count);
  bool claim(int worker, uint32_t region);
  void run(int worker, int thread);
  void call(const Job &region, int64_t begin, int64_t end, int worker,
            int thread);
  void workerLoop(int worker);
  void announce(uint32_t region);
  void waitForRanges();
  void stop();

  int threadCount;
  bool spinning;
  double worthwhile = 0;             ///< ticks that a range should take; 0: any
  std::array<RegionCost, 512> costs; ///< of those that hash there last
  // Written by the caller between regions, read by those who have claimed a
  // range: until they are done the caller waits.
  Job job;
  RegionLog *log = nullptr;
  std::vector<Worker> workers; ///< that were started
  pid_t process;               ///< that started them
  std::vector<Claim> claims;
  std::atomic<bool> stopping{false};
  // On lines of their own: each side spins on one and writes another.
  alignas(64) std::atomic<uint32_t> epoch{0}; ///< regions announced
  alignas(64) std::atomic<uint32_t> pending{
      0}; ///< ranges of the announced region that are not finished
  alignas(64) std::atomic<uint32_t> sleepers{0};
  std::atomic<uint32_t> callerSleeps{0};
};

} // namespace cheems

#endif
