// Runs another program and waits for it.
#ifndef CHEEMS_RUNTIME_GENERATION_CHILDPROCESS_H
#define CHEEMS_RUNTIME_GENERATION_CHILDPROCESS_H

#include <cstdint>
#include <string>
#include <vector>

namespace cheems {

/// What a program took.
struct ChildCost {
  double seconds = 0;    ///< from its start to its end
  int64_t peakBytes = 0; ///< of memory in use at once
};

/// Runs arguments[0], a path, with standard input empty and standard error
/// ours. Standard output is collected in `output` if that is not null, and
/// goes to our standard error otherwise. A signal that interrupts us reaches it
/// as SIGINT, one that ends us as SIGTERM. Returns its exit code, 130 if one of
/// these ended it alone. Throws Error: interrupted, if it cannot be started or
/// another signal ended it, and where SIGCHLD is ignored, so that its end
/// cannot be known. `cost` receives what it took, unless null.
int runChild(const std::vector<std::string> &arguments,
             std::string *output = nullptr, ChildCost *cost = nullptr);

} // namespace cheems

#endif
