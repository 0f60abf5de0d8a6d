// The command line of cheems-compile.
#ifndef CHEEMS_TOOLS_CHEEMS_COMPILE_OPTIONS_H
#define CHEEMS_TOOLS_CHEEMS_COMPILE_OPTIONS_H

#include "cheems/Compiler/Backend.h"
#include "tools/Support/CommandLine.h"

#include <optional>
#include <string>
#include <vector>

namespace cheems {

class CommandLineOptions {
public:
  CompileOptions compile; ///< but for the stage, which backends know
  std::vector<std::string> plugins;
  std::string emit = "artefact";

  /// Throws Error (usage). False: the program's help or version was asked for,
  /// and is written.
  bool read(int argc, char **argv);
  /// Sets those options of named targets that have a short form here. Throws
  /// Error (usage) where --backend-option says one of them, too, and where no
  /// target reads one.
  void setBackendOptions(const BackendRegistry &backends);

private:
  void addTargets(CLI::App &app);
  void addFormats(CLI::App &app);
  void addChecks(CLI::App &app);
  void refuse() const;
  void take();

  // The parser's options end with read(), so a value says by itself that it
  // was given.
  std::optional<std::string> cpu, pipeline;
  std::optional<int64_t> groupExperts;
  std::string weights = "stored", state = "stored";
  std::vector<std::string> architectures;
  bool raceChecks = false;
  std::vector<std::string> backendOptions;
};

} // namespace cheems

#endif
