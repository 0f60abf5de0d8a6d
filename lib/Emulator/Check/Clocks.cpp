//===- Clocks.cpp - Which accesses come before which ---------------------===//
#include "cheems/Emulator/Check/Clocks.h"

#include <algorithm>

using namespace cheems::emulator;

namespace {

void joinClocks(std::vector<Clock> &to, const std::vector<Clock> &from) {
  if (to.size() < from.size()) {
    to.resize(from.size());
  }
  for (size_t i = 0; i < from.size(); ++i) {
    to[i] = std::max(to[i], from[i]);
  }
}

void raise(std::vector<Clock> &clocks, size_t thread, Clock clock) {
  if (clocks.size() <= thread) {
    clocks.resize(thread + 1);
  }
  clocks[thread] = std::max(clocks[thread], clock);
}

} // namespace

void Knowledge::join(const Knowledge &other) {
  joinClocks(ordered, other.ordered);
  joinClocks(fenced, other.fenced);
}

Known cheems::emulator::join(const Known &a, const Known &b) {
  if (!b || a == b) {
    return a;
  }
  if (!a) {
    return b;
  }
  auto both = std::make_shared<Knowledge>(*a);
  both->join(*b);
  return both;
}

Clocks::Clocks(size_t threads)
    : own(threads, 1), ownFenced(threads), known(threads) {}

void Clocks::release(size_t thread, Knowledge &to, bool isJoined) {
  if (known[thread] && !isJoined) {
    to.join(*known[thread]);
  }
  raise(to.ordered, thread, own[thread]);
  if (ownFenced[thread]) {
    raise(to.fenced, thread, ownFenced[thread]);
  }
}

void Clocks::acquire(size_t thread, const Known &from) {
  Known &mine = known[thread];
  if (lastAcquire.before != mine || lastAcquire.from != from ||
      !lastAcquire.after) {
    lastAcquire = {mine, from, join(mine, from)};
  }
  mine = lastAcquire.after;
}

void Clocks::fenceProxies(size_t thread) {
  ownFenced[thread] = own[thread]++;
  Known &mine = known[thread];
  if (!mine) {
    return;
  }
  if (lastFence.before != mine) {
    auto after = std::make_shared<Knowledge>(*mine);
    joinClocks(after->fenced, after->ordered);
    lastFence = {mine, nullptr, after};
  }
  mine = lastFence.after;
}
