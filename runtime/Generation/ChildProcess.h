// Runs another program and waits for it.
#ifndef CHEEMS_RUNTIME_GENERATION_CHILDPROCESS_H
#define CHEEMS_RUNTIME_GENERATION_CHILDPROCESS_H

#include <string>
#include <vector>

namespace cheems {

/// Runs arguments[0], a path, with standard input empty and standard error
/// ours. Standard output is collected in `output` if that is not null, and
/// goes to our standard error otherwise. Ctrl-C reaches it. Returns its exit
/// code, 130 if SIGINT ended it. Throws Error if it cannot be started or
/// another signal ended it.
int runChild(const std::vector<std::string> &arguments,
             std::string *output = nullptr);

} // namespace cheems

#endif
