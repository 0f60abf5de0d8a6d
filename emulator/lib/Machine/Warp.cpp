//===- Warp.cpp - How a warp runs ----------------------------------------===//
#include "Warp.h"

#include "Block.h"

#include <algorithm>

using namespace cheems::emulator;

namespace {

/// How often a group may branch back before another one that could run does.
constexpr int patience = 1 << 14;

} // namespace

Warp::Warp(Block &block, uint32_t index, LaneMask threads)
    : block(block), index(index),
      instructions(block.program().instructions.data()), segment(instructions),
      liveLanes(threads) {
  BlockStorage &storage = *block.storage;
  bases[size_t(Base::registers)] =
      storage.registers.data() + size_t(index) * block.program().registerBytes;
  // nobody writes to these
  bases[size_t(Base::constants)] =
      const_cast<std::byte *>(block.program().constants.data());
  bases[size_t(Base::block)] =
      reinterpret_cast<std::byte *>(&storage.blockValues);
  bases[size_t(Base::warp)] =
      reinterpret_cast<std::byte *>(&storage.warpValues[index]);
  groups[0].mask = threads;
}

bool Warp::isAwake() const {
  return std::any_of(begin(), end(),
                     [](const Group &group) { return group.isAwake(); });
}

std::byte *Warp::local(int lane) {
  const uint64_t bytes = block.program().localBytes;
  std::vector<std::byte> &local = block.storage->local;
  if (local.empty()) {
    local.resize(block.warps.size() * warpLanes * bytes);
  }
  return local.data() + (index * warpLanes + lane) * bytes;
}

bool Warp::run(int64_t quantum) {
  int64_t *const executions = block.storage->executions.data();
  const uint64_t polled = polls;
  bool ran = false;
  while (quantum > 0) {
    if (groupCount != 1 || groups[0].state != Group::State::ready) {
      if (!pick()) {
        return ran;
      }
    }
    ran = true;
    const uint32_t first = groups[running].pc;
    const LaneMask mask = groups[running].mask;
    const Instruction *at = instructions + first;
    const Instruction *const limit =
        at + std::min<int64_t>(quantum, meetingPoint(first) - first);
    segment = at;
    const int loops = backward;
    Step step = Step::next;
    do {
      if (LaneMask active = mask & predicate(at->guard)) {
        step = at->handler(*this, *at, active);
      }
      ++at;
    } while (step == Step::next && at != limit);
    --quantum;
    at -= step == Step::converge;
    const uint32_t last = static_cast<uint32_t>(at - instructions);
    ++executions[first];
    --executions[last];
    executed += last - first;
    quantum -= last - first;
    segment = at;

    Group &group = groups[running];
    switch (step) {
    case Step::next:
      group.pc = last;
      absorb(running);
      break;
    case Step::moved:
      if (backward > loops && polls != polled) {
        giveWay();
        return true;
      }
      if (backward > patience) {
        giveWay();
      }
      break;
    case Step::yield:
      group.pc = last;
      absorb(running);
      giveWay();
      return true;
    case Step::wait:
      group.pc = last - 1;
      group.state = Group::State::waits;
      backward = 0;
      preferred = -1;
      break;
    case Step::converge:
      group.pc = last;
      group.state = Group::State::converges;
      backward = 0;
      preferred = -1;
      break;
    }
  }
  return true;
}

uint32_t Warp::meetingPoint(uint32_t pc) const {
  uint32_t next = static_cast<uint32_t>(block.program().instructions.size());
  for (int i = 0; groupCount != 1 && i < groupCount; ++i) {
    if (groups[i].pc > pc && groups[i].state != Group::State::waits) {
      next = std::min(next, groups[i].pc);
    }
  }
  return next;
}

bool Warp::pick() {
  for (int i = 0; i < groupCount; ++i) {
    Group &group = groups[i];
    if (group.state == Group::State::waits && group.isAwake()) {
      group.state = Group::State::ready;
      ++group.pc;
    }
  }
  int best = -1;
  for (int i = 0; i < groupCount; ++i) {
    const Group &group = groups[i];
    if (group.state == Group::State::ready &&
        (best < 0 || group.depth > groups[best].depth ||
         (group.depth == groups[best].depth && group.pc < groups[best].pc))) {
      best = i;
    }
  }
  if (preferred >= 0) {
    if (groups[preferred].state == Group::State::ready) {
      best = preferred;
    } else {
      preferred = -1;
    }
  }
  if (best < 0) {
    return false;
  }
  if (best != running) {
    backward = 0;
  }
  running = best;
  absorb(running);
  return true;
}

void Warp::absorb(int group) {
  if (groupCount == 1) {
    return;
  }
  for (int i = 0; i < groupCount; ++i) {
    if (i != group && groups[i].pc == groups[group].pc &&
        groups[i].state != Group::State::waits &&
        groups[group].state != Group::State::waits) {
      Group &kept = groups[group];
      kept.mask |= groups[i].mask;
      kept.depth = std::max(kept.depth, groups[i].depth);
      kept.state = Group::State::ready;
      if (i == running) {
        running = group;
      }
      preferred = -1;
      backward = 0;
      if (group == groupCount - 1) {
        group = i; // the last one takes the place of the removed one
      }
      remove(i--);
    }
  }
}

void Warp::remove(int group) {
  const int last = --groupCount;
  if (preferred == group) {
    preferred = -1;
  }
  if (group != last) {
    groups[group] = groups[last];
    if (running == last) {
      running = group;
    }
    if (preferred == last) {
      preferred = group;
    }
  }
}

void Warp::goOn(uint32_t others) {
  for (int i = 0; i < groupCount; ++i) {
    if (others >> i & 1) {
      groups[i].state = Group::State::ready;
      ++groups[i].pc;
    }
  }
}

void Warp::waitWith(uint32_t others, const uint64_t &word) {
  for (int i = 0; i < groupCount; ++i) {
    if (others >> i & 1) {
      groups[i].state = Group::State::waits;
      groups[i].word = &word;
      groups[i].old = word;
    }
  }
}

void Warp::giveWay() {
  backward = 0;
  preferred = -1;
  // the next one in the order of the text, and the first after the last
  uint32_t best = ~0u;
  for (int i = 0; groupCount != 1 && i < groupCount; ++i) {
    const uint32_t distance = groups[i].pc - groups[running].pc - 1;
    if (i != running && groups[i].isAwake() && distance <= best) {
      best = distance;
      preferred = i;
    }
  }
}
