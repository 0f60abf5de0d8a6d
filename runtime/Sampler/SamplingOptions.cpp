// Ranges of the sampling options.
#include "runtime/Sampler/SamplingOptions.h"

#include "runtime/Error.h"

#include <charconv>
#include <cmath>
#include <string>

namespace cheems {

namespace {

/// The shortest text that is this number and no other.
std::string spelled(double value) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

// Written so that NaN, for which every comparison is false, is refused.
void require(bool holds, const char *option, const char *range, double value) {
  if (!holds) {
    throw Error(Status::usage, std::string(option) + " must be " + range +
                                   ", not " + spelled(value));
  }
}

} // namespace

void validate(const SamplingOptions &options, const OptionNames &names) {
  // the penalty is applied in f32, where a tiny one would be a division by zero
  float penalty = float(options.repeatPenalty);
  require(penalty > 0 && std::isfinite(penalty), names.repeatPenalty, "above 0",
          options.repeatPenalty);
  require(options.temperature >= 0 && std::isfinite(options.temperature),
          names.temperature, "0 (greedy) or above", options.temperature);
  require(options.topK >= 0, names.topK, "0 (off) or above",
          double(options.topK));
  require(options.topP > 0 && options.topP <= 1, names.topP,
          "above 0 and at most 1", options.topP);
  require(options.minP >= 0 && options.minP <= 1, names.minP, "between 0 and 1",
          options.minP);
}

} // namespace cheems
