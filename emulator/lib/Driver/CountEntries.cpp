//===- CountEntries.cpp - Counts for the program itself -------------------===//
#include "Count/Counter.h"
#include "Count/Report.h"
#include "Functions.h"
#include "Process.h"

using namespace cheems::emulator;

/// What was counted since the last call, as one of Report.h's functions has it.
static const char *
take(std::string (*report)(const CountedCard &,
                           const std::vector<StepCounts> &)) {
  static std::string text;
  std::lock_guard guard(driver::process().lock);
  auto card = countedCard();
  if (!card) {
    return nullptr;
  }
  text = report(*card, takeCounts());
  startCounting(*driver::process().options);
  return text.c_str();
}

/// Of this library alone, for programs that know it (README.md): tables
/// of what was counted since the last call of either, in which all work has
/// ended. The text stays until the next call. Null where nobody counts.
extern "C" __attribute__((visibility("default"))) const char *
cheems_emulator_counts() {
  return take(countsAsTable);
}

/// The same in JSON.
extern "C" __attribute__((visibility("default"))) const char *
cheems_emulator_counts_json() {
  return take(countsAsJson);
}
