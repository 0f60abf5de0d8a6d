// What shells complete of the tools' command lines, made of their options.
#ifndef CHEEMS_TOOLS_SUPPORT_COMPLETION_H
#define CHEEMS_TOOLS_SUPPORT_COMPLETION_H

#include <CLI/CLI.hpp>
#include <string>

namespace cheems {

/// A script for "bash", "zsh" or "fish". Throws Error (usage) for another
/// shell.
std::string completionScript(const CLI::App &app, const std::string &shell);

} // namespace cheems

#endif
