#include "runtime/Executor/CUDA/Switches.h"
#include "runtime/Error.h"
#include <charconv>
#include <cstdlib>
#include <string>

using namespace cheems;
using namespace cheems::cuda;

namespace {

std::string valueOf(const char *variable) {
  const char *value = std::getenv(variable);
  return value ? value : "";
}

Error wrong(const char *variable, const std::string &value,
            const char *wanted) {
  return Error(Status::usage, std::string(variable) + " is '" + value +
                                  "', not " + wanted +
                                  "; correct it or unset it");
}

bool isOn(const char *variable) {
  std::string value = valueOf(variable);
  if (!value.empty() && value != "on" && value != "off") {
    throw wrong(variable, value, "on or off");
  }
  return value != "off";
}

std::optional<int> percent(const char *variable) {
  std::string value = valueOf(variable);
  if (value.empty()) {
    return std::nullopt;
  }
  int number = 0;
  const char *end = value.data() + value.size();
  auto [rest, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc() || rest != end || number < 0 || number > 100) {
    throw wrong(variable, value, "a number from 0 to 100");
  }
  return number;
}

} // namespace

Switches Switches::ofEnvironment() {
  Switches switches;
  switches.graphs = isOn("CHEEMS_CUDA_GRAPHS");
  switches.overlap = isOn("CHEEMS_CUDA_OVERLAP");
  switches.carveout = percent("CHEEMS_CUDA_CARVEOUT");
  return switches;
}
