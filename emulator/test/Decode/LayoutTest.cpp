//===- LayoutTest.cpp -----------------------------------------------------===//
#include "Decode/Layout.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace cheems::emulator;

namespace {

constexpr int sizes[] = {1, 16, 32, 64, 128};
uint32_t bytesOf(int bits) { return bits == 1 ? 4 : bits * 4; }

/// Adds a statement.
void node(Flow &flow, std::vector<Flow::Use> uses, bool fallsThrough = true,
          std::vector<uint32_t> targets = {}) {
  flow.nodes.push_back({static_cast<uint32_t>(flow.uses.size()),
                        static_cast<uint32_t>(uses.size()),
                        static_cast<uint32_t>(flow.targets.size()),
                        static_cast<uint32_t>(targets.size()), fallsThrough});
  flow.uses.insert(flow.uses.end(), uses.begin(), uses.end());
  flow.targets.insert(flow.targets.end(), targets.begin(), targets.end());
}
Flow::Use reads(uint32_t reg) { return {reg, true, false}; }
Flow::Use writes(uint32_t reg) { return {reg, false, true}; }
Flow::Use mayWrite(uint32_t reg) { return {reg, false, false}; }

Layout layout(const Flow &flow) { return place(flow, analyse(flow)); }

/// A random function: statements that read and write some registers, some of
/// them only maybe, with branches to random places.
Flow randomFlow(std::mt19937 &random) {
  auto below = [&](uint32_t limit) {
    return std::uniform_int_distribution<uint32_t>(0, limit - 1)(random);
  };
  Flow flow;
  uint32_t registers = 2 + below(24), nodes = 1 + below(40);
  for (uint32_t i = 0; i < registers; ++i) {
    flow.registers.push_back(
        {static_cast<uint8_t>(sizes[below(5)]), below(10) == 0});
  }
  for (uint32_t i = 0; i < nodes; ++i) {
    std::vector<Flow::Use> uses;
    for (uint32_t u = below(4); u-- > 0;) {
      switch (uint32_t reg = below(registers); below(3)) {
      case 0:
        uses.push_back(reads(reg));
        break;
      case 1:
        uses.push_back(writes(reg));
        break;
      default:
        uses.push_back(mayWrite(reg));
      }
    }
    std::vector<uint32_t> targets;
    for (uint32_t t = below(5) == 0 ? 1 + below(3) : 0; t-- > 0;) {
      targets.push_back(below(nodes + 1));
    }
    node(flow, uses, below(6) != 0, targets);
  }
  return flow;
}

/// Follows a random path of one thread, with registers at their places, and
/// tells whether a read finds what was last written to its register.
void follow(const Flow &flow, const Layout &layout, std::mt19937 &random) {
  auto coin = [&] { return random() & 1; };
  std::map<uint32_t, uint32_t> written;                // register -> value
  std::map<std::pair<int, uint32_t>, uint32_t> memory; // size, offset -> value
  uint32_t value = 0;
  uint32_t at = 0;
  for (int steps = 0; steps < 300 && at < flow.nodes.size(); ++steps) {
    const Flow::Node &node = flow.nodes[at];
    auto uses = [&](auto tell) {
      for (uint32_t u = 0; u < node.uses; ++u) {
        const Flow::Use &use = flow.uses[node.firstUse + u];
        tell(use, std::pair(int(flow.registers[use.reg].bits),
                            layout.offsets[use.reg]));
      }
    };
    // Destinations first: that a handler has read all sources before it writes
    // is not asked for, unless they are the same register.
    std::map<uint32_t, uint32_t> before = written;
    auto memoryBefore = memory;
    uses([&](const Flow::Use &use, auto where) {
      if (use.kills || (!use.reads && coin())) {
        written[use.reg] = memory[where] = ++value;
      }
    });
    uses([&](const Flow::Use &use, auto where) {
      bool isWritten = before[use.reg] != written[use.reg];
      if (use.reads && before.count(use.reg) && before[use.reg]) {
        EXPECT_EQ((isWritten ? memoryBefore : memory)[where], before[use.reg])
            << "register " << use.reg << " at statement " << at;
      }
    });
    std::vector<uint32_t> next;
    for (uint32_t t = 0; t < node.targets; ++t) {
      next.push_back(flow.targets[node.firstTarget + t]);
    }
    if (node.fallsThrough) {
      next.push_back(at + 1);
    }
    if (next.empty()) {
      return;
    }
    at = next[random() % next.size()];
  }
}

} // namespace

TEST(Layout, givesPlacesAgainWhenTheirValuesAreDead) {
  Flow flow;
  flow.registers = {{32}, {32}, {32}};
  node(flow, {writes(0)});
  node(flow, {reads(0)});
  node(flow, {writes(1)});
  node(flow, {reads(1), writes(2)});
  node(flow, {reads(2)});
  Layout result = layout(flow);
  EXPECT_EQ(result.offsets[0], result.offsets[1]);
  EXPECT_NE(result.offsets[1], result.offsets[2]); // of one statement
  EXPECT_EQ(result.bytes, 256u);
  EXPECT_EQ(place(flow, analyse(flow), false).bytes, 384u);
}

TEST(Layout, keepsPinnedRegistersApart) {
  Flow flow;
  flow.registers = {{32, true}, {32}};
  node(flow, {writes(0)});
  node(flow, {reads(0)});
  node(flow, {writes(1)});
  node(flow, {reads(1)});
  Layout result = layout(flow);
  EXPECT_NE(result.offsets[0], result.offsets[1]);
}

TEST(Layout, keepsSizesApart) {
  Flow flow;
  for (int bits : sizes) {
    flow.registers.push_back({static_cast<uint8_t>(bits)});
  }
  for (uint32_t reg = 0; reg < 5; ++reg) {
    node(flow, {writes(reg)});
    node(flow, {reads(reg)});
  }
  Layout result = layout(flow);
  for (uint32_t reg = 1; reg < 5; ++reg) {
    EXPECT_GE(result.offsets[reg],
              result.offsets[reg - 1] + bytesOf(sizes[reg - 1]));
    EXPECT_EQ(result.offsets[reg] % 64, 0u);
  }
  EXPECT_EQ(result.bytes, 64u + 64 + 128 + 256 + 512);
}

TEST(Layout, keepsValuesThatALoopNeedsAgain) {
  Flow flow;
  flow.registers = {{32}, {32}, {32}};
  node(flow, {writes(0)});
  node(flow, {reads(0)}); // 1: the loop
  node(flow, {writes(1)});
  node(flow, {reads(1)}, true, {1});
  node(flow, {writes(2)});
  Liveness liveness = analyse(flow);
  EXPECT_EQ(liveness.intervals[0].last, 3u);
  Layout result = layout(flow);
  EXPECT_NE(result.offsets[0], result.offsets[1]);
  EXPECT_EQ(result.offsets[0], result.offsets[2]);
}

TEST(Layout, knowsWhatACallMustKeep) {
  Flow flow;
  flow.registers = {{32}, {32}, {64}, {1}};
  node(flow, {writes(0), writes(1), writes(3)});
  node(flow, {reads(0), writes(2)}); // 1
  node(flow, {reads(2), reads(1)}, true, {1});
  EXPECT_EQ(liveAcross(flow, 1), (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(liveAcross(flow, 0), std::vector<uint32_t>{});
}

TEST(Layout, ofNothingIsNothing) {
  Flow flow;
  EXPECT_EQ(layout(flow).bytes, 0u);
  EXPECT_EQ(analyse(flow).peak, 0);
}

TEST(Layout, givesEachThreadItsValues) {
  std::mt19937 random(1);
  uint64_t with = 0, without = 0;
  for (int i = 0; i < 500; ++i) {
    Flow flow = randomFlow(random);
    Liveness liveness = analyse(flow);
    Layout reuse = place(flow, liveness), apart = place(flow, liveness, false);
    with += reuse.bytes;
    without += apart.bytes;
    for (int path = 0; path < 8; ++path) {
      follow(flow, reuse, random);
    }
    for (uint32_t a = 0; a < flow.registers.size(); ++a) {
      for (uint32_t b = 0; b < a; ++b) {
        if (flow.registers[a].bits != flow.registers[b].bits &&
            !liveness.intervals[a].empty() && !liveness.intervals[b].empty()) {
          EXPECT_TRUE(reuse.offsets[a] >=
                          reuse.offsets[b] + bytesOf(flow.registers[b].bits) ||
                      reuse.offsets[b] >=
                          reuse.offsets[a] + bytesOf(flow.registers[a].bits));
        }
      }
    }
    ASSERT_FALSE(HasFailure()) << "function " << i;
  }
  EXPECT_LT(with, without);
}
