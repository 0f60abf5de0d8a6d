// Options of cheems-compile that a command line takes for MODEL, where that is
// a model folder.
#ifndef CHEEMS_TOOLS_SUPPORT_COMPILEFLAGS_H
#define CHEEMS_TOOLS_SUPPORT_COMPILEFLAGS_H

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cheems {

struct CompileFlags {
  std::optional<std::string> weights, kv, others;
  std::optional<int64_t> groupExperts, maxContext;
  bool allowLinks = false;

  /// Those that every tool has.
  void declare(CLI::App &app);
  /// --weights and --group-experts, which may mean more elsewhere.
  void declareFormats(CLI::App &app);
  /// Returns the arguments that cheems-compile takes.
  std::vector<std::string> arguments() const;

  static const std::vector<std::string> &weightFormats();
  static constexpr const char *group =
      "A model folder (compiled once into the cache)";
};

} // namespace cheems

#endif
