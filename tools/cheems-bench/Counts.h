// What the steps of tests ask a card for, as the software GPU counts it.
#ifndef CHEEMS_TOOLS_CHEEMS_BENCH_COUNTS_H
#define CHEEMS_TOOLS_CHEEMS_BENCH_COUNTS_H

#include "Options.h"
#include <string>

namespace cheems::bench {

/// Before the driver is opened: makes the software GPU count.
void prepareCounts();

/// Tables for each model and test: of the whole prompt, or of one step of
/// generation. Throws Error: unsupported where another GPU runs the models.
std::string countSteps(const Options &options);

} // namespace cheems::bench

#endif
