#include "Report.h"
#include "runtime/Json/Json.h"
#include <cstdio>
#include <nlohmann/json.hpp>

namespace cheems::run {

static const char *nameOf(Stop stop) {
  switch (stop) {
  case Stop::length:
    return "length";
  case Stop::endOfText:
    return "end_of_text";
  case Stop::stopString:
    return "stop_string";
  case Stop::contextFull:
    return "context_full";
  case Stop::interrupted:
    return "interrupted";
  }
  return ""; // not reached: all reasons are above
}

std::string report(const std::string &text, const std::vector<int32_t> &ids,
                   Stop stop, const Statistics &statistics,
                   const SamplingOptions &sampling) {
  nlohmann::ordered_json json = {
      {"text", text},
      {"ids", ids},
      {"stop", nameOf(stop)},
      {"prompt_tokens", statistics.promptTokens},
      {"generated_tokens", statistics.generatedTokens},
      {"prompt_seconds", statistics.promptSeconds},
      {"generation_seconds", statistics.generationSeconds}};
  if (!sampling.greedy()) {
    json["seed"] = sampling.seed;
  }
  return printJson(json) + "\n";
}

std::string report(const std::vector<float> &embedding) {
  std::string text = "[";
  char number[32];
  for (float each : embedding) { // nine digits tell a float
    std::snprintf(number, sizeof(number), "%s%.9g", text.size() > 1 ? "," : "",
                  static_cast<double>(each));
    text += number;
  }
  return text + "]\n";
}

} // namespace cheems::run
