// The command line of cheems-translate.
#ifndef CHEEMS_TOOLS_CHEEMS_TRANSLATE_OPTIONS_H
#define CHEEMS_TOOLS_CHEEMS_TRANSLATE_OPTIONS_H

#include <optional>
#include <string>

namespace cheems::translate {

enum class Form { LLVM, PTX, Cubin, Plan };

struct Options {
  std::string input = "-", output = "-"; ///< "-": the standard files
  Form form = Form::PTX;
  std::string architecture = "sm_90a";
  bool resources = false; ///< of kernels, on standard error
};

/// Nothing where --help or --version has said all. Throws Error (usage).
std::optional<Options> parseOptions(int argc, char **argv);

} // namespace cheems::translate

#endif
