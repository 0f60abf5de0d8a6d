// MLIR's own options, which say what its passes print.
#ifndef CHEEMS_TOOLS_CHEEMS_COMPILE_PASSOPTIONS_H
#define CHEEMS_TOOLS_CHEEMS_COMPILE_PASSOPTIONS_H

#include <vector>

namespace cheems {

/// Takes the words that begin with --mlir- out of `words`, whose first is the
/// program, and hands them to MLIR. True if there are some; throws usage() on
/// what MLIR does not know.
bool takePassOptions(std::vector<char *> &words);

} // namespace cheems

#endif
