//===- Liveness.cpp - Which registers are needed where -------------------===//
#include "Layout.h"

#include <algorithm>
#include <span>

using namespace cheems::emulator;

namespace {

/// A straight run of statements.
struct Block {
  uint32_t begin, end;
  std::vector<uint32_t> successors;
};

/// Sets of registers by block, of those alone that more than one block uses, or
/// that a block reads before it writes them. All others are live within their
/// block only.
class BlockSets {
public:
  explicit BlockSets(const Flow &flow) : flow(flow) {
    split();
    number();
    solve();
  }

  std::vector<Block> blocks;

  template <typename F> void eachLiveIn(size_t block, F tell) const {
    each(in, block, tell);
  }
  template <typename F> void eachLiveOut(size_t block, F tell) const {
    each(out, block, tell);
  }

private:
  using Words = std::vector<uint64_t>;
  static constexpr uint32_t none = UINT32_MAX;

  void split() {
    size_t count = flow.nodes.size();
    std::vector<bool> starts(count + 1, false);
    starts[0] = true;
    for (size_t i = 0; i < count; ++i) {
      const Flow::Node &node = flow.nodes[i];
      for (uint32_t t = 0; t < node.targets; ++t) {
        starts[flow.targets[node.firstTarget + t]] = true;
      }
      if (node.targets || !node.fallsThrough) {
        starts[i + 1] = true;
      }
    }
    std::vector<uint32_t> blockOf(count + 1);
    for (uint32_t i = 0; i < count; ++i) {
      if (starts[i]) {
        blocks.push_back({i, i, {}});
      }
      blocks.back().end = i + 1;
      blockOf[i] = static_cast<uint32_t>(blocks.size()) - 1;
    }
    for (Block &block : blocks) {
      const Flow::Node &last = flow.nodes[block.end - 1];
      if (last.fallsThrough && block.end < count) {
        block.successors.push_back(blockOf[block.end]);
      }
      for (uint32_t t = 0; t < last.targets; ++t) {
        uint32_t target = flow.targets[last.firstTarget + t];
        if (target < count) {
          block.successors.push_back(blockOf[target]);
        }
      }
    }
  }

  std::span<const Flow::Use> usesOf(uint32_t node) const {
    return {flow.uses.data() + flow.nodes[node].firstUse,
            flow.nodes[node].uses};
  }

  /// Numbers the registers that sets are about.
  void number() {
    std::vector<uint32_t> seenIn(flow.registers.size(), none);
    std::vector<uint32_t> killedIn(flow.registers.size(), none);
    numbers.assign(flow.registers.size(), none);
    auto add = [&](uint32_t reg) {
      if (numbers[reg] == none) {
        numbers[reg] = static_cast<uint32_t>(registers.size());
        registers.push_back(reg);
      }
    };
    for (uint32_t b = 0; b < blocks.size(); ++b) {
      for (uint32_t i = blocks[b].begin; i < blocks[b].end; ++i) {
        for (const Flow::Use &use : usesOf(i)) {
          bool elsewhere = seenIn[use.reg] != none && seenIn[use.reg] != b;
          if (elsewhere || (use.reads && killedIn[use.reg] != b)) {
            add(use.reg);
          }
          seenIn[use.reg] = b;
        }
        for (const Flow::Use &use : usesOf(i)) {
          if (use.kills) {
            killedIn[use.reg] = b;
          }
        }
      }
    }
    words = (registers.size() + 63) / 64;
  }

  void solve() {
    Words reads(words * blocks.size()), kills(words * blocks.size());
    auto set = [&](Words &sets, size_t block, uint32_t reg, bool value) {
      if (uint32_t number = numbers[reg]; number != none) {
        uint64_t bit = uint64_t(1) << number % 64;
        uint64_t &word = sets[block * words + number / 64];
        word = value ? word | bit : word & ~bit;
      }
    };
    for (size_t b = 0; b < blocks.size(); ++b) {
      for (uint32_t i = blocks[b].end; i-- > blocks[b].begin;) {
        for (const Flow::Use &use : usesOf(i)) {
          if (use.kills) {
            set(kills, b, use.reg, true);
            set(reads, b, use.reg, false);
          }
        }
        for (const Flow::Use &use : usesOf(i)) {
          if (use.reads) {
            set(reads, b, use.reg, true);
          }
        }
      }
    }
    in = reads;
    out.assign(words * blocks.size(), 0);
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t b = blocks.size(); b-- > 0;) {
        uint64_t *outOf = out.data() + b * words;
        for (uint32_t successor : blocks[b].successors) {
          for (size_t w = 0; w < words; ++w) {
            outOf[w] |= in[successor * words + w];
          }
        }
        for (size_t w = 0; w < words; ++w) {
          uint64_t value =
              reads[b * words + w] | (outOf[w] & ~kills[b * words + w]);
          changed |= value != in[b * words + w];
          in[b * words + w] = value;
        }
      }
    }
  }

  template <typename F>
  void each(const Words &sets, size_t block, F tell) const {
    for (size_t w = 0; w < words; ++w) {
      for (uint64_t rest = sets[block * words + w]; rest; rest &= rest - 1) {
        tell(registers[w * 64 + __builtin_ctzll(rest)]);
      }
    }
  }

  const Flow &flow;
  std::vector<uint32_t> numbers;   ///< by register
  std::vector<uint32_t> registers; ///< by number
  size_t words = 0;                ///< of a set
  Words in, out;
};

/// 32-bit registers of the GPU that a value takes. Predicates have a file of
/// their own there.
int weight(const Flow::Register &reg) {
  return reg.bits == 1 ? 0 : std::max(1, reg.bits / 32);
}

/// Walks blocks backwards and keeps the set of live registers.
class Walk {
public:
  Walk(const Flow &flow, const BlockSets &sets)
      : flow(flow), sets(sets), live(flow.registers.size()) {}

  void begin(size_t block) {
    sets.eachLiveOut(block, [&](uint32_t reg) { add(reg); });
  }
  /// All statements of the block were stepped over.
  void end(size_t block) {
    sets.eachLiveIn(block, [&](uint32_t reg) { remove(reg); });
  }

  /// Turns the set after a statement into the set before it. `at` is called
  /// with the set without what the statement writes.
  template <typename F> void step(const Flow::Node &node, F at) {
    std::span<const Flow::Use> uses(flow.uses.data() + node.firstUse,
                                    node.uses);
    for (const Flow::Use &use : uses) {
      if (use.kills) {
        remove(use.reg);
      }
    }
    at();
    for (const Flow::Use &use : uses) {
      if (use.reads) {
        add(use.reg);
      }
    }
  }

  bool has(uint32_t reg) const { return live[reg]; }
  int weightOfAll() const { return total; }

private:
  void add(uint32_t reg) {
    total += live[reg] ? 0 : weight(flow.registers[reg]);
    live[reg] = true;
  }
  void remove(uint32_t reg) {
    total -= live[reg] ? weight(flow.registers[reg]) : 0;
    live[reg] = false;
  }

  const Flow &flow;
  const BlockSets &sets;
  std::vector<uint8_t> live;
  int total = 0;
};

} // namespace

Liveness cheems::emulator::analyse(const Flow &flow) {
  Liveness result;
  result.intervals.resize(flow.registers.size());
  if (flow.nodes.empty()) {
    return result;
  }
  auto extend = [&](uint32_t reg, uint32_t node) {
    Liveness::Interval &interval = result.intervals[reg];
    interval.first = std::min(interval.first, node);
    interval.last = std::max(interval.last, node);
  };
  for (uint32_t i = 0; i < flow.nodes.size(); ++i) {
    const Flow::Node &node = flow.nodes[i];
    for (uint32_t u = 0; u < node.uses; ++u) {
      extend(flow.uses[node.firstUse + u].reg, i);
    }
  }
  BlockSets sets(flow);
  Walk walk(flow, sets);
  for (size_t b = 0; b < sets.blocks.size(); ++b) {
    const auto &block = sets.blocks[b];
    sets.eachLiveIn(b, [&](uint32_t reg) { extend(reg, block.begin); });
    sets.eachLiveOut(b, [&](uint32_t reg) { extend(reg, block.end - 1); });
    walk.begin(b);
    result.peak = std::max(result.peak, walk.weightOfAll());
    for (uint32_t i = block.end; i-- > block.begin;) {
      walk.step(flow.nodes[i], [] {});
      result.peak = std::max(result.peak, walk.weightOfAll());
    }
    walk.end(b);
  }
  return result;
}

std::vector<uint32_t> cheems::emulator::liveAcross(const Flow &flow,
                                                   uint32_t node) {
  std::vector<uint32_t> result;
  BlockSets sets(flow);
  for (size_t b = 0; b < sets.blocks.size(); ++b) {
    const auto &block = sets.blocks[b];
    if (node < block.begin || node >= block.end) {
      continue;
    }
    Walk walk(flow, sets);
    walk.begin(b);
    for (uint32_t i = block.end; i-- > node;) {
      walk.step(flow.nodes[i], [&] {
        for (uint32_t reg = 0; i == node && reg < flow.registers.size();
             ++reg) {
          if (walk.has(reg)) {
            result.push_back(reg);
          }
        }
      });
    }
  }
  return result;
}
