#include "runtime/Artifact/DeviceChoice.h"
#include "runtime/Error.h"
#include <charconv>

using namespace cheems;

DeviceChoice DeviceChoice::parse(const std::string &text) {
  const std::string gpus = "cuda:";
  if (text == "auto") {
    return {};
  }
  if (text == "cpu") {
    return {Kind::cpu, std::nullopt};
  }
  if (text == "cuda") {
    return {Kind::cuda, std::nullopt};
  }
  if (text.rfind(gpus, 0) == 0) {
    const char *begin = text.data() + gpus.size(),
               *end = text.data() + text.size();
    int gpu = -1;
    auto [stop, error] = std::from_chars(begin, end, gpu);
    if (error == std::errc() && stop == end && gpu >= 0) {
      return {Kind::cuda, gpu};
    }
  }
  throw Error(Status::usage,
              "a device is auto, cpu, cuda or cuda:N, as --list-devices lists "
              "them, not '" +
                  text + "'");
}
