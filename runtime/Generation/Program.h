// What the mains of programs that run models share.
#ifndef CHEEMS_RUNTIME_GENERATION_PROGRAM_H
#define CHEEMS_RUNTIME_GENERATION_PROGRAM_H

#include <functional>
#include <string>

namespace cheems {

/// Runs `body` with signals handled, and turns what it throws into one line on
/// standard error, which starts with the program's `name`, and an exit code;
/// 130 becomes that of the signal that came. `thrift` says what needs less
/// memory.
int runProgram(const std::string &name, const std::string &thrift,
               const std::function<int()> &body);

} // namespace cheems

#endif
