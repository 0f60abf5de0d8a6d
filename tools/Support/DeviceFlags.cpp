#include "DeviceFlags.h"

namespace cheems {

void DeviceFlags::declare(CLI::App &app, const std::string &what,
                          const std::string &group) {
  auto *chosen = app.add_option(
      "--device", device,
      "where " + what +
          " runs: cpu, cuda, cuda:N, or auto (the default): a GPU that the "
          "file has code for, else the CPU");
  auto *listed =
      app.add_flag("--list-devices", list, "print the devices of this machine");
  if (!group.empty()) {
    chosen->group(group);
    listed->group(group);
  }
}

} // namespace cheems
