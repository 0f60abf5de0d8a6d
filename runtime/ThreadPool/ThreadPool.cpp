#include "runtime/ThreadPool/ThreadPool.h"
#include "runtime/Error.h"
#include "runtime/ThreadPool/Cores.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <immintrin.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace cheems;

namespace {

// Regions of a step are microseconds apart, steps a sampled token apart; longer
// than this and the core is better given away.
constexpr std::chrono::microseconds spinTime{500};

thread_local ThreadPool *boundPool = nullptr;
// A nested call must keep its worker's number: scratch memory is indexed by it.
thread_local int64_t currentWorker = 0;
thread_local bool insideRegion = false;

// Handing a range over and hearing of its end takes about half of this.
constexpr std::chrono::microseconds smallestRange{1};

// A futex is the atomic's own 32-bit word; the kernel compares it with
// `expected` before it sleeps, so a change made after our last look is never
// slept through. Waking early is allowed: every caller loops.
static_assert(sizeof(std::atomic<uint32_t>) == 4 &&
                  std::atomic<uint32_t>::is_always_lock_free,
              "used as a futex");

void futexWait(std::atomic<uint32_t> &word, uint32_t expected) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

void futexWake(std::atomic<uint32_t> &word, int count) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

/// Spins until done() or spinTime has passed; says whether done() came true.
template <typename Done> bool spinUntil(bool spinning, Done done) {
  if (done()) {
    return true;
  }
  if (!spinning) {
    return false;
  }
  auto spin = [&] {
    for (int i = 0; i < 64; ++i) {
      _mm_pause();
      if (done()) {
        return true;
      }
    }
    return false;
  };
  if (spin()) { // most waits end here, without a look at the clock
    return true;
  }
  auto end = std::chrono::steady_clock::now() + spinTime;
  do {
    if (spin()) {
      return true;
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

/// floor(count * part / parts) without overflow.
int64_t cut(int64_t count, int64_t part, int64_t parts) {
  return count / parts * part + count % parts * part / parts;
}

} // namespace

int ThreadPool::defaultThreads(const CoreLimits &limits) {
  return std::min(limits.threads(), maxThreads);
}

int ThreadPool::chooseThreads(int threads, const CoreLimits &limits) {
  if (threads < 0 || threads > maxThreads) {
    throw Error(Status::usage, "threads must be between 1 and " +
                                   std::to_string(maxThreads) + ", not " +
                                   std::to_string(threads));
  }
  return threads == 0 ? defaultThreads(limits) : threads;
}

ThreadPool::ThreadPool(int threads) : ThreadPool(threads, Waiting::spinning) {}

ThreadPool::ThreadPool(int threads, Waiting waiting) : process(getpid()) {
  CoreLimits limits = CoreLimits::host();
  threadCount = chooseThreads(threads, limits);
  spinning = waiting == Waiting::spinning && threadCount <= limits.available();
  claims = std::vector<Claim>(threadCount);
  workers.reserve(threadCount - 1); // a worker knows its index in it
  start();
}

/// Throws only after what was started has ended.
void ThreadPool::start() {
  // Signals belong to the program's own threads, but a fault to the thread that
  // made it: where it is blocked, the process ends without its handler.
  sigset_t blocked, before;
  sigfillset(&blocked);
  for (int fault : {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP}) {
    sigdelset(&blocked, fault);
  }
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  int failure = 0;
  for (int number = 1; number < threadCount && failure == 0; ++number) {
    Worker &worker = workers.emplace_back(Worker{this, number, {}});
    failure = pthread_create(
        &worker.thread, nullptr,
        [](void *argument) -> void * {
          auto *worker = static_cast<Worker *>(argument);
          worker->pool->workerLoop(worker->number);
          return nullptr;
        },
        &worker);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failure != 0) {
    workers.pop_back(); // never ran
    stop();
    throw Error("cannot start " + std::to_string(threadCount) +
                " threads: " + std::strerror(failure) + "; ask for fewer");
  }
}

ThreadPool::~ThreadPool() {
  if (isOfThisProcess()) {
    stop();
  }
}

bool ThreadPool::isOfThisProcess() const { return getpid() == process; }

void ThreadPool::stop() {
  stopping.store(true, std::memory_order_relaxed);
  announce(epoch.load(std::memory_order_relaxed) + 1);
  for (const Worker &worker : workers) {
    pthread_join(worker.thread, nullptr);
  }
}

void ThreadPool::announce(uint32_t region) {
  // Sequentially consistent with the sleepers' increment: either we see the
  // sleeper, or it sees the new epoch.
  epoch.store(region, std::memory_order_seq_cst);
  if (sleepers.load(std::memory_order_seq_cst) != 0) {
    futexWake(epoch, maxThreads);
  }
}

/// True for one caller a range and region. A late worker asks for a region that
/// is over: its claim is at least as new then. Who succeeds holds the region
/// open, so it may read the job.
bool ThreadPool::claim(int worker, uint32_t region) {
  std::atomic<uint32_t> &last = claims[worker].region;
  uint32_t before = last.load(std::memory_order_relaxed);
  return static_cast<int32_t>(region - before) > 0 &&
         last.compare_exchange_strong(before, region, std::memory_order_acq_rel,
                                      std::memory_order_relaxed);
}

void ThreadPool::workerLoop(int worker) {
  insideRegion = true;
  for (uint32_t seen = 0;;) {
    auto announced = [&] {
      return epoch.load(std::memory_order_acquire) != seen;
    };
    if (!spinUntil(spinning, announced)) {
      sleepers.fetch_add(1, std::memory_order_seq_cst);
      while (epoch.load(std::memory_order_seq_cst) == seen) {
        futexWait(epoch, seen);
      }
      sleepers.fetch_sub(1, std::memory_order_relaxed);
    }
    seen = epoch.load(std::memory_order_acquire);
    if (stopping.load(std::memory_order_relaxed)) {
      return;
    }
    if (!claim(worker, seen)) {
      continue;
    }
    _mm_setcsr(job.floats);
    run(worker, worker);
    // The same pairing as in announce, with the caller's flag.
    if (pending.fetch_sub(1, std::memory_order_seq_cst) == 1 &&
        callerSleeps.load(std::memory_order_seq_cst) != 0) {
      futexWake(pending, 1);
    }
  }
}

void ThreadPool::call(const Job &region, int64_t begin, int64_t end, int worker,
                      int thread) {
  if (__builtin_expect(log == nullptr, 1)) {
    region.body(region.context, begin, end, worker);
    return;
  }
  uint64_t started = cycleCount();
  region.body(region.context, begin, end, worker);
  log->add(worker, {region.name, started, cycleCount(), begin, end, thread});
}

void ThreadPool::run(int worker, int thread) {
  currentWorker = worker;
  call(job, cut(job.count, worker, job.ranges),
       cut(job.count, worker + 1, job.ranges), worker, thread);
}

void ThreadPool::waitForRanges() {
  auto finished = [&] { return pending.load(std::memory_order_acquire) == 0; };
  if (spinUntil(spinning, finished)) {
    return;
  }
  callerSleeps.store(1, std::memory_order_seq_cst);
  for (uint32_t left; (left = pending.load(std::memory_order_seq_cst)) != 0;) {
    futexWait(pending, left);
  }
  callerSleeps.store(0, std::memory_order_relaxed);
}

void ThreadPool::keepSmallRegionsTogether() {
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now(), now = begin;
  uint64_t ticks = __rdtsc();
  while (now < begin + 20 * smallestRange) {
    now = Clock::now();
  }
  ticks = __rdtsc() - ticks;
  worthwhile = static_cast<double>(ticks) *
               std::chrono::duration<double>(smallestRange).count() /
               std::chrono::duration<double>(now - begin).count();
}

RegionCost &ThreadPool::costOf(cheems_parallel_body body, int64_t count) {
  auto address = reinterpret_cast<uintptr_t>(body); // functions are aligned
  RegionCost &cost =
      costs[(address >> 4 ^ address >> 12 ^ static_cast<uintptr_t>(count)) %
            costs.size()];
  if (!cost.isOf(body, count)) {
    cost = RegionCost(body, count);
  }
  return cost;
}

void ThreadPool::parallelFor(cheems_parallel_body body, void *context,
                             int64_t count, const char *name) {
  if (count <= 0) {
    return;
  }
  bool nested = insideRegion;
  insideRegion = true;
  if (nested) {
    body(context, 0, count, currentWorker);
    return;
  }
  if (count == 1 || threadCount == 1) {
    call({body, context, count, 1, name}, 0, count, 0, 0);
    insideRegion = false;
    return;
  }
  int ranges = static_cast<int>(std::min<int64_t>(count, threadCount));
  RegionCost *cost = worthwhile == 0 ? nullptr : &costOf(body, count);
  uint64_t started = 0;
  if (cost) {
    ranges = cost->ranges(ranges, worthwhile);
    if (cost->isDue()) {
      started = __rdtsc();
    } else {
      cost = nullptr;
    }
  }
  auto sinceStart = [&] { return static_cast<double>(__rdtsc() - started); };
  if (ranges == 1) {
    call({body, context, count, 1, name}, 0, count, 0, 0);
    if (cost) {
      double ticks = sinceStart();
      cost->add(1, count, ticks, ticks);
    }
    insideRegion = false;
    return;
  }
  uint32_t region = epoch.load(std::memory_order_relaxed) + 1;
  job = {body, context, count, ranges, name, _mm_getcsr()};
  for (int worker = ranges; worker < threadCount; ++worker) {
    claims[worker].region.store(region, std::memory_order_relaxed);
  }
  pending.store(ranges - 1, std::memory_order_relaxed);
  announce(region);
  run(0, 0);
  double own = cost ? sinceStart() : 0;
  for (int worker = 1; worker < ranges; ++worker) {
    if (claim(worker, region)) {
      run(worker, 0);
      pending.fetch_sub(1, std::memory_order_acq_rel);
    }
  }
  currentWorker = 0;
  insideRegion = false;
  waitForRanges();
  if (cost) {
    cost->add(ranges, cut(count, 1, ranges), own, sinceStart());
  }
}

ThreadPool::Binding::Binding(ThreadPool &pool) : previous(boundPool) {
  boundPool = &pool;
}
ThreadPool::Binding::~Binding() { boundPool = previous; }

extern "C" __attribute__((visibility("default"))) void
cheems_parallel_for(cheems_parallel_body body, void *context, int64_t count,
                    const char *name) {
  if (boundPool) {
    boundPool->parallelFor(body, context, count, name);
  } else if (count > 0) {
    body(context, 0, count, currentWorker);
  }
}
