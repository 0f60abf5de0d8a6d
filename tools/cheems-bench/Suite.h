// All that a command line asks for, one after the other.
#ifndef CHEEMS_TOOLS_CHEEMS_BENCH_SUITE_H
#define CHEEMS_TOOLS_CHEEMS_BENCH_SUITE_H

#include "Options.h"
#include "Report.h"

namespace cheems::bench {

/// Throws Error, CompileFailed.
Report runSuite(const Options &options);

} // namespace cheems::bench

#endif
