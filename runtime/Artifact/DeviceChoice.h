// Says where a model is to run, as a user writes it.
#ifndef CHEEMS_RUNTIME_ARTIFACT_DEVICECHOICE_H
#define CHEEMS_RUNTIME_ARTIFACT_DEVICECHOICE_H

#include <optional>
#include <string>

namespace cheems {

struct DeviceChoice {
  enum class Kind {
    automatic, ///< the device that decodes fastest by DeviceCost.h, of those
               ///< that the file has code for; never the software GPU
    cpu,
    cuda,
    none ///< the file is read, and runs nowhere: its code is not loaded
  };
  Kind kind = Kind::automatic;
  /// Which of the driver's GPUs; nothing: the first that the file has code
  /// for.
  std::optional<int> gpu;

  /// "auto", "cpu", "cuda" or "cuda:N". Throws Error (usage).
  static DeviceChoice parse(const std::string &text);
};

} // namespace cheems

#endif
