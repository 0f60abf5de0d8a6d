// What a run of tests tells on standard error.
#ifndef CHEEMS_TOOLS_CHEEMS_BENCH_PROGRESS_H
#define CHEEMS_TOOLS_CHEEMS_BENCH_PROGRESS_H

#include "runtime/Generation/ProgressLine.h"

namespace cheems::bench {

/// One line that stays, on standard error.
void say(const std::string &text);

} // namespace cheems::bench

#endif
