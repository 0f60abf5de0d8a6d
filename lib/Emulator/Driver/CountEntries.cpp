//===- CountEntries.cpp - Counts for the program itself -------------------===//
#include "cheems/Emulator/Count/Counter.h"
#include "cheems/Emulator/Count/Report.h"
#include "cheems/Emulator/Driver/Functions.h"
#include "cheems/Emulator/Driver/Process.h"

/// Of this library alone, for programs that know it (docs/emulator.md): tables
/// of what was counted since the last call, in which all work has ended. The
/// text stays until the next call. Null where nobody counts.
extern "C" __attribute__((visibility("default"))) const char *
cheems_emulator_counts() {
  using namespace cheems::emulator;
  static std::string text;
  std::lock_guard guard(driver::process().lock);
  auto card = countedCard();
  if (!card) {
    return nullptr;
  }
  text = countsAsTable(*card, takeCounts());
  startCounting(*driver::process().options);
  return text.c_str();
}
