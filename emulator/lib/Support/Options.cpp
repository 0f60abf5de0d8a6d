//===- Options.cpp --------------------------------------------------------===//
#include "Options.h"

#include <charconv>
#include <cstdlib>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace cheems::emulator {
namespace {

std::optional<std::string_view> variable(const char *name) {
  const char *value = std::getenv(name);
  if (!value || !*value) {
    return std::nullopt;
  }
  return value;
}

[[noreturn]] void refuse(const char *name, std::string_view value,
                         const std::string &allowed) {
  throw std::invalid_argument(std::string(name) + " is '" + std::string(value) +
                              "', but must be " + allowed);
}

/// A whole number of [least, most]; with `units` it may end in K, M or G.
uint64_t number(const char *name, uint64_t fallback, uint64_t least,
                uint64_t most, bool units = false) {
  auto text = variable(name);
  if (!text) {
    return fallback;
  }
  uint64_t value = 0;
  auto [end, error] =
      std::from_chars(text->data(), text->data() + text->size(), value);
  std::string_view rest = text->substr(end - text->data());
  int shift = 0;
  if (units && rest.size() == 1) {
    shift = rest == "K" ? 10 : rest == "M" ? 20 : rest == "G" ? 30 : -1;
  } else if (!rest.empty()) {
    shift = -1;
  }
  if (error != std::errc() || shift < 0 || value > (most >> shift) ||
      (value << shift) < least) {
    refuse(name, *text,
           "a whole number of " + std::to_string(least) + " to " +
               std::to_string(most) +
               (units ? ", which may end in K, M or G" : ""));
  }
  return value << shift;
}

} // namespace

Options Options::fromEnvironment() {
  Options options;
  if (auto mode = variable("CHEEMS_EMULATOR_MODE")) {
    if (*mode != "early" && *mode != "late") {
      refuse("CHEEMS_EMULATOR_MODE", *mode, "early or late");
    }
    options.asynchrony = *mode == "late" ? Asynchrony::late : Asynchrony::early;
  }
  options.seed = number("CHEEMS_EMULATOR_SEED", options.seed, 0,
                        std::numeric_limits<uint64_t>::max());
  options.architecture =
      int(number("CHEEMS_EMULATOR_ARCH", options.architecture, 0, 1000));
  if (options.architecture != 80 && options.architecture != 90) {
    refuse("CHEEMS_EMULATOR_ARCH", std::getenv("CHEEMS_EMULATOR_ARCH"),
           "80 or 90");
  }
  options.multiprocessors = int(number(
      "CHEEMS_EMULATOR_SM", multiprocessorsOf(options.architecture), 1, 1024));
  options.threads = int(number("CHEEMS_EMULATOR_THREADS", 0, 1, 1024));
  options.memoryBytes =
      number("CHEEMS_EMULATOR_MEMORY", options.memoryBytes, uint64_t(1) << 20,
             uint64_t(1) << 42, /*units=*/true);
  if (auto drain = variable("CHEEMS_EMULATOR_WGMMA_DRAIN")) {
    if (*drain != "on" && *drain != "off") {
      refuse("CHEEMS_EMULATOR_WGMMA_DRAIN", *drain, "on or off");
    }
    options.implicitDrain = *drain == "on";
  }
  if (auto strict = variable("CHEEMS_EMULATOR_STRICT")) {
    if (*strict != "0" && *strict != "1") {
      refuse("CHEEMS_EMULATOR_STRICT", *strict, "1 or 0");
    }
    options.isStrict = *strict == "1";
  }
  if (auto cache = variable("CHEEMS_EMULATOR_CACHE")) {
    if (*cache != "cold" && *cache != "kept") {
      refuse("CHEEMS_EMULATOR_CACHE", *cache, "cold or kept");
    }
    options.coldCaches = *cache == "cold";
  }
  options.countsFile = variable("CHEEMS_EMULATOR_COUNTS").value_or("");
  options.reportFile = variable("CHEEMS_EMULATOR_REPORT").value_or("");
  return options;
}

} // namespace cheems::emulator
