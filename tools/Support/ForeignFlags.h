// Flags of llama.cpp that have no meaning here.
#ifndef CHEEMS_TOOLS_SUPPORT_FOREIGNFLAGS_H
#define CHEEMS_TOOLS_SUPPORT_FOREIGNFLAGS_H

#include <string>

namespace cheems {

/// Why there is no such flag and what to do about it; empty for any other word.
std::string reasonAgainst(const std::string &flag);

} // namespace cheems

#endif
