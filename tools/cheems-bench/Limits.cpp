#include "Limits.h"
#include "Peaks.h"
#include "runtime/Artifact/CpuFeatures.h"
#include "runtime/Error.h"
#include "runtime/Process/Interrupt.h"
#include "runtime/ThreadPool/Cores.h"
#include "runtime/ThreadPool/ThreadPool.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>
#include <sys/mman.h>
#include <unistd.h>

namespace cheems::bench {

namespace {

constexpr int64_t page = 4096;

/// Memory of its own pages.
class Buffer {
public:
  explicit Buffer(int64_t size) : size(static_cast<size_t>(size)) {
    data = mmap(nullptr, this->size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) {
      throw Error("cannot have " + std::to_string(size) +
                  " bytes to measure the read bandwidth with");
    }
    madvise(data, this->size, MADV_HUGEPAGE);
  }
  ~Buffer() { munmap(data, size); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  char *bytes() const { return static_cast<char *>(data); }

private:
  size_t size;
  void *data;
};

constexpr int64_t none = std::numeric_limits<int64_t>::max();

/// The number after `name` in a file of such lines, or with an empty name the
/// first one. It is `none` if the file has no such number.
int64_t numberIn(const std::string &path, const std::string &name) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string first;
    if (!name.empty()) {
      words >> first;
    }
    int64_t number = 0;
    if (first == name && words >> number) {
      return number;
    }
  }
  return none;
}

/// Seconds until every thread of the pool has done its part once; the median of
/// some rounds.
double secondsOf(ThreadPool &pool, int rounds,
                 const std::function<void(int64_t)> &part) {
  std::vector<double> seconds;
  for (int round = 0; round < rounds; ++round) {
    if (interrupt::requested()) {
      throw Error(Status::interrupted, "interrupted");
    }
    auto begin = std::chrono::steady_clock::now();
    pool.parallelFor(
        [](void *context, int64_t from, int64_t to, int64_t) {
          for (int64_t i = from; i < to; ++i) {
            (*static_cast<const std::function<void(int64_t)> *>(context))(i);
          }
        },
        const_cast<void *>(static_cast<const void *>(&part)), pool.threads());
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - begin;
    seconds.push_back(passed.count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[rounds / 2];
}

void measureRead(ThreadPool &pool, int rounds, Limits &limits) {
  int64_t threads = pool.threads();
  int64_t wanted = std::min(int64_t(1) << 30, freeBytes() / 2);
  int64_t part = (wanted / threads + page - 1) / page * page;
  if (part <= 0) {
    throw Error("no memory is free to measure the read bandwidth with");
  }
  limits.readBuffer = part * threads;
  Buffer buffer(limits.readBuffer + 2 * page); // what is prefetched is there
  // Written before it is read: untouched pages are all one page of zeros.
  std::memset(buffer.bytes(), 1, static_cast<size_t>(limits.readBuffer));
  double seconds = secondsOf(pool, rounds, [&](int64_t i) {
    readBytes(buffer.bytes() + i * part, part);
  });
  limits.readBandwidth = static_cast<double>(limits.readBuffer) / seconds;
}

/// Half of it, which is surely there, again and again.
void measureL2(ThreadPool &pool, int rounds, Limits &limits) {
  int64_t size = sysconf(_SC_LEVEL2_CACHE_SIZE), threads = pool.threads(),
          cores = std::min<int64_t>(threads, CoreLimits::host().physical),
          sharing = (threads + cores - 1) / cores,
          part = size / 2 / sharing / page * page;
  if (part <= 0) {
    return;
  }
  limits.l2Bytes = size * cores;
  Buffer buffer(part * threads + 2 * page);
  std::memset(buffer.bytes(), 1, static_cast<size_t>(part * threads));
  int64_t times = 1 << 8;
  auto run = [&] {
    return secondsOf(pool, rounds, [&](int64_t i) {
      for (int64_t time = 0; time < times; ++time) {
        readNearBytes(buffer.bytes() + i * part, part);
      }
    });
  };
  double seconds = run();
  while (seconds < 0.01) {
    times *= 4;
    seconds = run();
  }
  limits.l2Bandwidth = static_cast<double>(part * threads * times) / seconds;
}

/// Measures one region after another, as the loops of a layer follow each
/// other.
void measureRegion(ThreadPool &pool, int rounds, Limits &limits) {
  constexpr int times = 10000;
  std::vector<double> seconds;
  for (int round = 0; round < rounds; ++round) {
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) {
      pool.parallelFor([](void *, int64_t, int64_t, int64_t) {}, nullptr,
                       pool.threads());
    }
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - begin;
    seconds.push_back(passed.count() / times);
  }
  std::sort(seconds.begin(), seconds.end());
  limits.region = seconds[rounds / 2];
}

double measurePeak(ThreadPool &pool, int rounds, const ProductUnit &unit) {
  // It runs as many rounds as take some hundredths of a second.
  int64_t count = 1 << 14;
  auto run = [&] {
    return secondsOf(pool, rounds, [&](int64_t) { unit.loop(count); });
  };
  double seconds = run();
  while (seconds < 0.02) {
    count *= 4;
    seconds = run();
  }
  return static_cast<double>(count) * unit.operations * pool.threads() /
         seconds;
}

} // namespace

int64_t freeBytes() {
  const std::string group = "/sys/fs/cgroup/memory.", stat = group + "stat";
  int64_t limit = numberIn(group + "max", ""),
          used = numberIn(group + "current", ""),
          free = numberIn("/proc/meminfo", "MemAvailable:");
  free = free == none ? 0 : free * 1024;
  if (limit == none || used == none) {
    return free;
  }
  for (const char *files : {"active_file", "inactive_file"}) {
    int64_t cached = numberIn(stat, files); // given back when it is wanted
    used -= cached == none ? 0 : cached;
  }
  return std::clamp<int64_t>(limit - used, 0, free);
}

Limits measureLimits(int threads, int rounds) {
  const CpuFeatures &host = CpuFeatures::host();
  Limits limits;
  ThreadPool pool(threads);
  limits.threads = pool.threads();
  measureRead(pool, rounds, limits);
  measureL2(pool, rounds, limits);
  measureRegion(pool, rounds, limits);
  for (const ProductUnit &unit : productUnits()) {
    if (!host.firstMissing(unit.features) && host.permits(unit.features)) {
      limits.peaks[unit.name] = measurePeak(pool, rounds, unit);
    }
  }
  return limits;
}

std::string productUnitOf(const Variant &variant, const Metadata &metadata) {
  auto has = [&](const char *feature) {
    return std::find(variant.features.begin(), variant.features.end(),
                     feature) != variant.features.end();
  };
  const std::vector<ProductUnit> &units = productUnits();
  if (metadata.weights == "int8" || metadata.weights == "int4") {
    if (has("amx-int8")) {
      return units[5].name;
    }
    if (has("avx512vnni")) {
      return units[4].name;
    }
    if (has("avxvnni")) {
      return units[6].name;
    }
  }
  // f32 weights go to FMA everywhere.
  bool brain = metadata.weights == "bf16";
  if (brain && has("amx-bf16")) {
    return units[3].name;
  }
  if (brain && has("avx512bf16")) {
    return units[2].name;
  }
  return units[has("avx512f") ? 1 : 0].name;
}

std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown";
}

} // namespace cheems::bench
