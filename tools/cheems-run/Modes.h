// What cheems-run can do, a function a mode.
#ifndef CHEEMS_TOOLS_CHEEMS_RUN_MODES_H
#define CHEEMS_TOOLS_CHEEMS_RUN_MODES_H

#include "Options.h"

namespace cheems::run {

/// Returns the exit code. Throws Error, OutputClosed, CompileFailed.
int runMode(const Options &options);
int generate(const Options &options);
/// --embedding.
int embed(const Options &options);

} // namespace cheems::run

#endif
