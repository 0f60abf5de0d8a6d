// Sampling options in llama.cpp's words.
#ifndef CHEEMS_SERVER_API_SETTINGS_H
#define CHEEMS_SERVER_API_SETTINGS_H

#include "runtime/Sampler/SamplingOptions.h"
#include "server/Api/Json.h"

namespace cheems::serve {

inline Json settingsJson(const SamplingOptions &options) {
  return {{"seed", options.seed},
          {"temperature", options.greedy() ? 0 : options.temperature},
          {"top_k", options.topK},
          {"top_p", options.topP},
          {"min_p", options.minP},
          {"repeat_last_n", options.repeatLastN},
          {"repeat_penalty", options.repeatPenalty},
          {"presence_penalty", options.presencePenalty},
          {"frequency_penalty", options.frequencyPenalty}};
}

} // namespace cheems::serve

#endif
