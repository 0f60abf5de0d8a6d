// The command line of cheems-serve.
#ifndef CHEEMS_TOOLS_CHEEMS_SERVE_OPTIONS_H
#define CHEEMS_TOOLS_CHEEMS_SERVE_OPTIONS_H

#include "runtime/Artifact/DeviceChoice.h"
#include "server/Http/Limits.h"
#include "server/Http/Listener.h"
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cheems::serve {

struct Options {
  std::string model;
  std::vector<std::string> compileArguments; ///< where MODEL is a folder
  DeviceChoice device;

  Listener::Place place;
  Limits limits;
  std::optional<std::string> apiKeyFile;
  std::vector<std::string> corsOrigins;
  std::vector<std::string> allowedHosts; ///< names beside its own
  bool page = true;
  std::chrono::milliseconds grace{30'000};

  std::string alias; ///< what clients call the model; "": its file's name
  std::optional<std::string> chatTemplateFile, slotSavePath;
  int64_t slotFiles = 256;               ///< that clients may save
  int64_t slotBytes = int64_t{16} << 30; ///< of them together
  /// The memory of the process; nothing: what the machine and its cgroup have.
  std::optional<int64_t> memoryBytes;
  int64_t slots = 4;            ///< sequences at once
  int64_t context = 0;          ///< tokens of each; 0: the model's
  int64_t prefillChunk = 0;     ///< 0: the session's default
  int threads = 0;              ///< 0: the cores
  int64_t cacheBytes = 1 << 30; ///< of states that are kept
  /// It is at most one of so many parts of --memory, and was not asked for.
  static constexpr int64_t share = 4;
  bool cacheIsShare = false;
  bool cacheExact = false;   ///< only those that change no bit
  bool cacheIsolate = false; ///< only those of the same API key
  int64_t queueLength = 256; ///< requests that may wait
  double queueSeconds = 0;   ///< that one may wait; 0: any time
  double totalSeconds = 0;   ///< that one may take; 0: any time
};

/// Nothing where --help or --version has said all. Throws Error (usage).
std::optional<Options> parseOptions(int argc, char **argv);

} // namespace cheems::serve

#endif
