// Ranges of the sampling options.
#include "runtime/Sampler/SamplingOptions.h"

#include "runtime/Error.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

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
  require(options.repeatPenalty > 0 && std::isfinite(options.repeatPenalty),
          names.repeatPenalty, "above 0", options.repeatPenalty);
  // the penalty is applied in f32, where a tiny one would be a division by zero
  float repeat = float(options.repeatPenalty);
  require(repeat > 0 && std::isfinite(repeat), names.repeatPenalty,
          "between 1.5e-45 and 3.4e38", options.repeatPenalty);
  for (auto [penalty, name] :
       {std::pair{options.presencePenalty, names.presencePenalty},
        {options.frequencyPenalty, names.frequencyPenalty}}) {
    require(std::isfinite(penalty), name, "a finite number", penalty);
    require(std::isfinite(float(penalty)), name, "between -3.4e38 and 3.4e38",
            penalty);
  }
  require(options.repeatLastN >= -1, names.repeatLastN,
          "-1 (all), 0 (off) or above", double(options.repeatLastN));
  for (const LogitBias &each : options.logitBias) {
    require(each.token >= 0, names.logitBias,
            "of a token id that is 0 or above", each.token);
    require(each.bias < std::numeric_limits<float>::infinity(), names.logitBias,
            "a finite number or -infinity", each.bias);
  }
  require(options.temperature >= 0 && std::isfinite(options.temperature),
          names.temperature, "0 (greedy) or above", options.temperature);
  require(options.topK >= 0, names.topK, "0 (off) or above",
          double(options.topK));
  require(options.topP >= 0 && options.topP <= 1, names.topP, "between 0 and 1",
          options.topP);
  require(options.minP >= 0 && options.minP <= 1, names.minP, "between 0 and 1",
          options.minP);
}

} // namespace cheems
