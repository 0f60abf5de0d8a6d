// Says where a tool runs a model.
#ifndef CHEEMS_TOOLS_SUPPORT_DEVICEFLAGS_H
#define CHEEMS_TOOLS_SUPPORT_DEVICEFLAGS_H

#include <CLI/CLI.hpp>
#include <string>

namespace cheems {

struct DeviceFlags {
  std::string device = "auto"; ///< as DeviceChoice::parse takes it
  bool list = false;           ///< print what there is, and nothing else

  /// --device and --list-devices; `what` runs on it: "the model".
  void declare(CLI::App &app, const std::string &what,
               const std::string &group = "");
};

} // namespace cheems

#endif
