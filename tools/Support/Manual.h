// Manual pages of the tools, made of their options.
#ifndef CHEEMS_TOOLS_SUPPORT_MANUAL_H
#define CHEEMS_TOOLS_SUPPORT_MANUAL_H

#include <CLI/CLI.hpp>
#include <string>

namespace cheems {

/// The page of section 1, in man(7)'s macros.
std::string manualPage(const CLI::App &app);

} // namespace cheems

#endif
