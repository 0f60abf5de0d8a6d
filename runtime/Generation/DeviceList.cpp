#include "runtime/Generation/DeviceList.h"
#include "runtime/CUDA/Device.h"
#include "runtime/ThreadPool/Cores.h"
#include <cstdio>

using namespace cheems;

namespace {

std::string gibibytes(int64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f GiB",
                static_cast<double>(bytes) / (1 << 30));
  return text;
}

} // namespace

std::string
cheems::deviceList(const std::function<void(const std::string &)> &notify) {
  int cores = CoreLimits::host().threads();
  std::string lines = "cpu     " + std::to_string(cores) +
                      (cores == 1 ? " core\n" : " cores\n");
  try {
    for (const cuda::DeviceInfo &device : cuda::listDevices()) {
      lines += "cuda:" + std::to_string(device.index) + "  " + device.name +
               (device.software ? ", the software GPU: --device auto does not "
                                  "take it"
                                : "") +
               ", compute capability " + std::to_string(device.major) + "." +
               std::to_string(device.minor) + ", " +
               gibibytes(device.memoryBytes) + "\n";
    }
  } catch (const Error &error) {
    notify(error.what());
  }
  return lines;
}
