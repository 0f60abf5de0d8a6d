// Flags of llama.cpp that have another name here, or no meaning.
#ifndef CHEEMS_TOOLS_SUPPORT_FOREIGNFLAGS_H
#define CHEEMS_TOOLS_SUPPORT_FOREIGNFLAGS_H

#include <CLI/CLI.hpp>
#include <string>

namespace cheems {

/// Why `app` has no such flag and what to do about it; empty for a word that is
/// no flag of llama.cpp.
std::string reasonAgainst(const CLI::App &app, const std::string &flag);

} // namespace cheems

#endif
