//===- CommandLine.h - Words, messages and exit codes -----------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_TOOLS_CHEEMS_PTX_RUN_COMMANDLINE_H
#define CHEEMS_EMULATOR_TOOLS_CHEEMS_PTX_RUN_COMMANDLINE_H

#include "Error.h"

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace cheems::ptxrun {

/// A usage error that also says where help is.
Error usage(const std::string &what);

/// Adds an option for a whole number within bounds: decimal digits, where
/// CLI11 would take a zero in front for octal.
template <typename Number>
void addNumber(CLI::App &app, const std::string &name, Number &target,
               int64_t least, int64_t most, const std::string &help);
/// Adds an option for a finite number.
void addNumber(CLI::App &app, const std::string &name,
               std::optional<double> &target, const std::string &help);

/// False where --help or --version has said all. Throws usage() on what `app`
/// does not know.
bool parse(CLI::App &app, int argc, char **argv);

/// Writes to standard output. A reader that has left ends the program without
/// a message, as SIGPIPE does.
void writeOutput(const std::string &text);
/// Writes a line to standard error, after the program's name.
void printMessage(const std::string &text);

} // namespace cheems::ptxrun

#endif
