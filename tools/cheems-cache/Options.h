// The command line of cheems-cache.
#ifndef CHEEMS_TOOLS_CHEEMS_CACHE_OPTIONS_H
#define CHEEMS_TOOLS_CHEEMS_CACHE_OPTIONS_H

#include <optional>
#include <string>

namespace cheems::cache {

struct Options {
  bool remove = false; ///< else list
  bool all = false;
  std::string model; ///< to remove: a key or its beginning, or a model folder
};

/// Nothing where --help or --version has said all. Throws Error (usage).
std::optional<Options> parseOptions(int argc, char **argv);

} // namespace cheems::cache

#endif
