// Random kernels of loads, stores and barriers, against a model that remembers
// every access of every byte.
#include "Check/Checker.h"
#include "Machine/Observer.h"
#include "Support/RunPTX.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

namespace {

constexpr int blocks = 2, threads = 64;
/// Two pages, so that accesses cross from one to the other.
constexpr uint64_t bufferBytes = 8192;

/// One instruction: thread t accesses `bytes` at first + place(t) * bytes, if
/// its warp is one of `warps`, its lane one of `lanes` and its block one of
/// `blockMask`.
struct Step {
  bool isBarrier, writes;
  unsigned bytes;
  uint64_t first;
  /// place(t) = t & mask xor turn, times the stride
  uint32_t mask, turn, stride;
  uint32_t warps, lanes, blockMask;

  bool acts(int block, int thread) const {
    return (blockMask >> block & 1) && (warps >> thread / 32 & 1) &&
           (lanes >> thread % 32 & 1);
  }
  uint64_t address(int thread) const {
    return first +
           uint64_t(((uint32_t(thread) & mask) ^ turn) * stride) * bytes;
  }
};

class Maker {
public:
  explicit Maker(uint32_t seed) : engine(seed) {}

  std::vector<Step> steps(bool manyBlocks) {
    std::vector<Step> result(3 + pick(6));
    for (Step &step : result) {
      step = {};
      step.isBarrier = pick(3) == 0;
      step.writes = pick(2) == 0;
      step.bytes = 1u << pick(5);
      // Few places near each other, at both ends of a page.
      step.first = (pick(2) ? 4096 - 256 : 0) + pick(24) * 16;
      step.mask = pick(3) == 0 ? (1u << pick(6)) - 1 : 63;
      step.turn = pick(2) ? pick(8) : 0;
      step.stride = pick(4) == 0 ? 1 + pick(3) : 1;
      step.warps = 1 + pick(3);
      step.lanes = pick(2) ? ~0u : static_cast<uint32_t>(engine());
      step.blockMask = manyBlocks ? 1 + pick(3) : 1;
    }
    return result;
  }

private:
  uint32_t pick(uint32_t count) {
    return static_cast<uint32_t>(engine() % count);
  }
  std::mt19937 engine;
};

/// Whether some seed of the machine may find a race.
bool hasRace(const std::vector<Step> &steps) {
  struct Access {
    int block, thread, epoch;
    size_t step;
    bool writes;
  };
  std::map<uint64_t, std::vector<Access>> bytes;
  int epoch = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step &step = steps[i];
    epoch += step.isBarrier;
    for (int block = 0; !step.isBarrier && block < blocks; ++block) {
      for (int thread = 0; thread < threads; ++thread) {
        for (unsigned b = 0; step.acts(block, thread) && b < step.bytes; ++b) {
          bytes[step.address(thread) + b].push_back(
              {block, thread, epoch, i, step.writes});
        }
      }
    }
  }
  for (const auto &[_, all] : bytes) {
    for (const Access &a : all) {
      for (const Access &b : all) {
        const bool isOrdered =
            a.block == b.block && (a.thread == b.thread || a.epoch != b.epoch);
        // If lanes of one store meet, one of them wins.
        const bool isOneStore = a.block == b.block && a.step == b.step &&
                                a.thread / 32 == b.thread / 32;
        if ((a.writes || b.writes) && !isOrdered && !isOneStore) {
          return true;
        }
      }
    }
  }
  return false;
}

std::string bodyOf(const std::vector<Step> &steps) {
  std::string body = "shr.u32 %r1, %t, 5; and.b32 %r2, %t, 31;\n";
  auto test = [&](const std::string &bits, const std::string &by,
                  const std::string &predicate) {
    body += "shr.b32 %r3, " + bits + ", " + by +
            "; and.b32 %r3, %r3, 1;"
            "setp.ne.u32 " +
            predicate + ", %r3, 0;";
  };
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step &step = steps[i];
    if (step.isBarrier) {
      body += "bar.sync 0;\n";
      continue;
    }
    body += "mov.u32 %r10, " + std::to_string(step.warps) + "; mov.u32 %r11, " +
            std::to_string(step.lanes) + "; mov.u32 %r12, " +
            std::to_string(step.blockMask) + ";";
    test("%r10", "%r1", "%p1");
    test("%r11", "%r2", "%p2");
    test("%r12", "%block", "%p3");
    body += "and.pred %p1, %p1, %p2; and.pred %p1, %p1, %p3;";
    body += "and.b32 %r4, %t, " + std::to_string(step.mask) +
            "; xor.b32 %r4, %r4, " + std::to_string(step.turn) +
            "; mul.lo.u32 %r4, %r4, " +
            std::to_string(step.stride * step.bytes) + "; add.u32 %r4, %r4, " +
            std::to_string(step.first) +
            "; cvt.u64.u32 %rd1, %r4;"
            "add.u64 %rd1, %out, %rd1;";
    // Threads write different values, whatever their width.
    body += "mov.u32 %r5, %thread; add.u32 %r5, %r5, " +
            std::to_string(128 * i) + ";";
    const std::string type = step.bytes == 1   ? ".u8"
                             : step.bytes == 2 ? ".u16"
                             : step.bytes == 4 ? ".u32"
                             : step.bytes == 8 ? ".v2.u32"
                                               : ".v4.u32";
    const std::string loads = step.bytes == 8    ? "{%r6, %r7}"
                              : step.bytes == 16 ? "{%r6, %r7, %r8, %r9}"
                                                 : "%r6",
                      stores = step.bytes == 8    ? "{%r5, %r5}"
                               : step.bytes == 16 ? "{%r5, %r5, %r5, %r5}"
                                                  : "%r5";
    body += step.writes ? "@%p1 st.global" + type + " [%rd1], " + stores + ";\n"
                        : "@%p1 ld.global" + type + " " + loads + ", [%rd1];\n";
  }
  return body + "ret;";
}

void compare(uint32_t first, uint32_t last, bool manyBlocks) {
  startChecking();
  int races = 0, others = 0;
  for (uint32_t number = first; number < last; ++number) {
    const auto steps = Maker(number).steps(manyBlocks);
    const bool expected = hasRace(steps);
    std::string rule;
    for (uint64_t seed = 1; seed <= 3 && rule.empty(); ++seed) {
      rule = findingOf(
          kernelPTX(bodyOf(steps)), std::vector<uint32_t>(bufferBytes / 4),
          {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .seed = seed});
    }
    EXPECT_EQ(rule, expected ? "race" : "") << "kernel " << number << "\n"
                                            << bodyOf(steps);
    ++(expected ? races : others);
  }
  setObserver(ObserverKind::checker, nullptr);
  EXPECT_GT(races, 20);
  EXPECT_GT(others, 20);
}

TEST(GlobalPattern, racesInABlockAreThoseOfTheModel) {
  compare(0, 400, /*manyBlocks=*/false);
}

TEST(GlobalPattern, racesOfBlocksAreThoseOfTheModel) {
  compare(1000, 1400, /*manyBlocks=*/true);
}

} // namespace
