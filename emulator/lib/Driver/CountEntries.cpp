//===- CountEntries.cpp - What a program may ask beside the driver API ----===//
#include "Count/Counter.h"
#include "Count/Report.h"
#include "Process.h"
#include "cheems/emulator.h"

using namespace cheems::emulator;

/// What was counted since the last call, as one of Report.h's functions has it.
static const char *
take(std::string (*report)(const CountedGPU &,
                           const std::vector<StepCounts> &)) {
  static std::string text;
  std::lock_guard guard(driver::process().lock);
  auto gpu = countedGPU();
  if (!gpu) {
    return nullptr;
  }
  text = report(*gpu, takeCounts());
  startCounting(*driver::process().options);
  return text.c_str();
}

#define CHEEMS_EMULATOR_EXPORT extern "C" __attribute__((visibility("default")))

CHEEMS_EMULATOR_EXPORT const char *cheems_emulator_counts() {
  return take(countsAsTable);
}

CHEEMS_EMULATOR_EXPORT const char *cheems_emulator_counts_json() {
  return take(countsAsJson);
}

CHEEMS_EMULATOR_EXPORT uint64_t cheems_emulator_warnings() {
  std::lock_guard guard(driver::process().lock);
  return driver::process().warnings;
}
