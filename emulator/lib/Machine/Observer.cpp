//===- Observer.cpp - Observers that do nothing --------------------------===//
#include "Observer.h"

using namespace cheems::emulator;

BlockObserver::~BlockObserver() = default;
void BlockObserver::access(Warp &, const Access &) {}
void BlockObserver::fence(Warp &, const Instruction &, LaneMask,
                          const Fence &) {}
void BlockObserver::arrive(Warp &, const Instruction &, LaneMask,
                           const Meeting &) {}
void BlockObserver::leave(Warp &, const Instruction &, LaneMask,
                          const Meeting &) {}
void BlockObserver::startAsync(Warp &, const Instruction &,
                               const AsyncRange &) {}
void BlockObserver::endAsync(Warp &, const Instruction &, LaneMask, AsyncKind,
                             uint64_t, bool) {}
void BlockObserver::arriveAsync(Warp &, const Instruction &, LaneMask,
                                AsyncKind, uint64_t, uint64_t,
                                const Meeting &) {}
void BlockObserver::exit(Warp &, const Instruction &, LaneMask) {}

GridObserver::~GridObserver() = default;
void GridObserver::endBlock(BlockObserver &) {}
void GridObserver::endGrid(std::span<const uint64_t>) {}

namespace {
ObserverFactory factories[observerKinds];
} // namespace

void cheems::emulator::setObserver(ObserverKind kind, ObserverFactory factory) {
  factories[static_cast<int>(kind)] = factory;
}

ObserverFactory cheems::emulator::observerFactory(int kind) {
  return factories[kind];
}
