//===- Report.h - Counts as a table and as JSON -----------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_COUNT_REPORT_H
#define CHEEMS_EMULATOR_COUNT_REPORT_H

#include "cheems/Emulator/Count/Counts.h"

#include <string>
#include <vector>

namespace cheems::emulator {

/// docs/emulator.md says what each field is.
std::string countsAsJson(const CountedCard &card,
                         const std::vector<StepCounts> &steps);

/// A table per step, a row per kernel.
std::string countsAsTable(const CountedCard &card,
                          const std::vector<StepCounts> &steps);

/// Writes the file whole or not at all. Returns an error's text, or nothing.
std::string writeCounts(const std::string &path, const CountedCard &card,
                        const std::vector<StepCounts> &steps);

} // namespace cheems::emulator

#endif
