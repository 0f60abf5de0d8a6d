// What the command lines of programs that run models share.
#ifndef CHEEMS_TOOLS_SUPPORT_COMMANDLINE_H
#define CHEEMS_TOOLS_SUPPORT_COMMANDLINE_H

#include "runtime/Error.h"
#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cheems {

/// An error (usage) that also says where help is.
Error usage(const std::string &what);

/// Throws usage() unless `value`, of the flag `name`, is absent or in [least,
/// most].
void checkNumber(const char *name, const std::optional<int64_t> &value,
                 int64_t least, int64_t most);

/// Gives `app` --version and the width of a help text's first column.
void prepare(CLI::App &app, int width);

/// Parses the words behind the program's name. False where --help or --version
/// has said all; throws usage() on what `app` does not know.
bool parse(CLI::App &app, std::vector<std::string> words);
bool parse(CLI::App &app, int argc, char **argv);

} // namespace cheems

#endif
