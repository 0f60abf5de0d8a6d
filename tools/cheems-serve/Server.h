// The program as a whole: from a command line to the last answer.
#ifndef CHEEMS_TOOLS_CHEEMS_SERVE_SERVER_H
#define CHEEMS_TOOLS_CHEEMS_SERVE_SERVER_H

#include "Options.h"

namespace cheems::serve {

/// Serves until a signal comes. Throws Error, CompileFailed.
int serve(const Options &options);

} // namespace cheems::serve

#endif
