// What the command lines of the tools share.
#ifndef CHEEMS_TOOLS_SUPPORT_COMMANDLINE_H
#define CHEEMS_TOOLS_SUPPORT_COMMANDLINE_H

#include "runtime/Error.h"
#include "tools/Support/Numbers.h"
#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

namespace cheems {

/// An error (usage) that also says where help is.
Error usage(const std::string &what);

/// Gives `app` --version and the width of a help text's first column.
void prepare(CLI::App &app, int width);

/// Flags of several letters after one dash, which CLI11 does not know, and the
/// ones they stand for.
using Aliases = std::map<std::string, std::string>;

/// Parses the words after the program's name. False where --help or --version
/// has said all; throws usage() on what `app` does not know. Several letters
/// after one dash are one flag, never several.
bool parse(CLI::App &app, int argc, char **argv, const Aliases &aliases = {});

} // namespace cheems

#endif
