// Options that name a file to read, where that may be standard input.
#ifndef CHEEMS_TOOLS_SUPPORT_STANDARDINPUT_H
#define CHEEMS_TOOLS_SUPPORT_STANDARDINPUT_H

#include <string>
#include <utility>
#include <vector>

namespace cheems {

/// The name of an option, and the file that it names.
using InputFiles = std::vector<std::pair<std::string, std::string>>;

/// Throws usage() where two of them would read standard input: the second one
/// would find nothing. "-" is standard input, and so is /dev/stdin, if what is
/// there can be read only once.
void checkStandardInput(const InputFiles &files);

} // namespace cheems

#endif
