//===- Counter.h - Counts of all grids that run -----------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_COUNT_COUNTER_H
#define CHEEMS_EMULATOR_COUNT_COUNTER_H

#include "Counts.h"
#include "Support/Options.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace cheems::emulator {

/// From now on each grid that starts is counted, until takeCounts. A grid that
/// ends by a finding counts as a launch of nothing.
void startCounting(const Options &options);

/// The GPU that is counted for; nothing if nobody counts.
std::optional<CountedGPU> countedGPU();

/// Copies that the host asks for. Without effect if nobody counts.
void countCopy(CopyDirection direction, uint64_t bytes);

/// What follows belongs to another step. What the cache holds stays in it, but
/// is written back. No grid may be running. A step in which nothing happened
/// is no step.
void nextStep();

/// All steps since startCounting, which ends.
std::vector<StepCounts> takeCounts();

} // namespace cheems::emulator

#endif
