// What the steps of tests ask a GPU for, as the software GPU counts it.
#ifndef CHEEMS_TOOLS_CHEEMS_BENCH_COUNTS_H
#define CHEEMS_TOOLS_CHEEMS_BENCH_COUNTS_H

#include "Options.h"
#include <string>

namespace cheems::bench {

/// Before the driver is opened: makes the software GPU count.
void prepareCounts();

/// For each model and test, or each operation: tables, or with -o json a list.
/// They are of the whole prompt, or of one step of generation. Throws Error:
/// unsupported where another GPU or the CPU runs it.
std::string countSteps(const Options &options);

} // namespace cheems::bench

#endif
