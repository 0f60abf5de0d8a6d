//===- Report.h - Counts as a table and as JSON -----------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_COUNT_REPORT_H
#define CHEEMS_EMULATOR_COUNT_REPORT_H

#include "Counts.h"

#include <string>
#include <vector>

namespace cheems::emulator {

/// README.md says what each field is.
std::string countsAsJson(const CountedGPU &gpu,
                         const std::vector<StepCounts> &steps);

/// Three tables per step with a row per kernel: memory, warp instructions by
/// pipe, cycles by pipe (rounded).
std::string countsAsTable(const CountedGPU &gpu,
                          const std::vector<StepCounts> &steps);

/// Writes the file whole or not at all: tables if its name ends in .txt, else
/// JSON. Returns an error's text, or nothing.
std::string writeCounts(const std::string &path, const CountedGPU &gpu,
                        const std::vector<StepCounts> &steps);

} // namespace cheems::emulator

#endif
