// The command line of cheems-perplexity.
#ifndef CHEEMS_TOOLS_CHEEMS_PERPLEXITY_OPTIONS_H
#define CHEEMS_TOOLS_CHEEMS_PERPLEXITY_OPTIONS_H

#include "runtime/Artifact/DeviceChoice.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cheems::perplexity {

struct Options {
  std::string model, file;
  std::optional<std::string> base;           ///< the model to differ from
  int64_t context = 512;                     ///< tokens of a chunk
  int64_t chunks = 0;                        ///< at most; 0: all
  int threads = 0;                           ///< 0: the runtime's choice
  DeviceChoice device;                       ///< of the model
  std::vector<std::string> compileArguments; ///< where MODEL is a folder
};

/// Nothing where --help or --version has said all. Throws Error (usage).
std::optional<Options> parseOptions(int argc, char **argv);

} // namespace cheems::perplexity

#endif
