// A mapped file that is cut short raises SIGBUS where it is read next: for the
// files named here that is a line on standard error and exit code 1.
#ifndef CHEEMS_RUNTIME_PROCESS_FILEFAULT_H
#define CHEEMS_RUNTIME_PROCESS_FILEFAULT_H

#include <string>

namespace cheems::fault {

/// From here on; `program` starts the line. A fault anywhere else, and a SIGBUS
/// that was sent, do what they did before.
void install(const std::string &program);
/// Every mapping of this file counts, those of its code, too.
void watch(const std::string &path);

} // namespace cheems::fault

#endif
