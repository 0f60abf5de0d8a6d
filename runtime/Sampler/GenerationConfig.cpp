// Reads generation_config.json.
#include "runtime/Sampler/GenerationConfig.h"

#include "runtime/Error.h"
#include "runtime/Json/Json.h"

#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

namespace cheems {

namespace {

using Json = nlohmann::json;

[[noreturn]] void malformed(const std::string &field, const std::string &what) {
  throw Error("generation_config.json: " + field + " " + what);
}

const Json *find(const Json &file, const char *field) {
  auto found = file.find(field);
  return found == file.end() || found->is_null() ? nullptr : &*found;
}

bool readFlag(const Json &file, const char *field) {
  const Json *value = find(file, field);
  if (!value) {
    return false;
  }
  if (!value->is_boolean()) {
    malformed(field, "must be true or false");
  }
  return value->get<bool>();
}

double readNumber(const Json &file, const char *field, double fallback) {
  const Json *value = find(file, field);
  if (!value) {
    return fallback;
  }
  if (!value->is_number()) {
    malformed(field, "must be a number");
  }
  return value->get<double>();
}

/// Python and its tools write 50.0 as readily as 50.
int64_t readInteger(const Json &value, const std::string &field) {
  if (value.is_number_float()) {
    double number = value.get<double>();
    // from 2^53 on, a number may stand for its neighbours
    if (number == std::floor(number) && std::fabs(number) < 0x1p53) {
      return int64_t(number);
    }
  }
  bool fits =
      value.is_number_integer() &&
      (!value.is_number_unsigned() ||
       value.get<uint64_t>() <= uint64_t(std::numeric_limits<int64_t>::max()));
  if (!fits) {
    malformed(field, "must be an integer");
  }
  return value.get<int64_t>();
}

/// Nothing for -1, as many files spell "none".
std::optional<int32_t> readToken(const Json &value, const std::string &field) {
  int64_t token = readInteger(value, field);
  if (token == -1) {
    return std::nullopt;
  }
  if (token < 0 || token > std::numeric_limits<int32_t>::max()) {
    malformed(field, "is not a token id: " + std::to_string(token));
  }
  return int32_t(token);
}

std::optional<int32_t> readOptionalToken(const Json &file, const char *field) {
  const Json *value = find(file, field);
  return value ? readToken(*value, field) : std::nullopt;
}

void readEosTokens(const Json &file, GenerationConfig &config) {
  const std::string field = "eos_token_id";
  const Json *value = find(file, field.c_str());
  if (!value) {
    return;
  }
  auto add = [&](const Json &one, const std::string &where) {
    if (std::optional<int32_t> token = readToken(one, where)) {
      config.eosTokenIds.push_back(*token);
    } else {
      config.namesNone = true;
    }
  };
  if (!value->is_array()) {
    add(*value, field);
  } else {
    for (size_t i = 0; i < value->size(); ++i) {
      add((*value)[i], field + "[" + std::to_string(i) + "]");
    }
  }
  if (config.eosTokenIds.empty() && config.namesNone) {
    config.warnings.push_back("generation_config.json: eos_token_id is -1, so "
                              "no token ends a text");
  }
}

std::vector<std::string> readTexts(const Json &file, const char *field) {
  const Json *value = find(file, field);
  if (!value) {
    return {};
  }
  if (value->is_string()) {
    return {value->get<std::string>()};
  }
  std::vector<std::string> texts;
  if (value->is_array()) {
    for (const Json &one : *value) {
      if (one.is_string()) {
        texts.push_back(one.get<std::string>());
      }
    }
  }
  if (!value->is_array() || texts.size() != value->size()) {
    malformed(field, "must be a text or a list of texts");
  }
  return texts;
}

/// A field that changes the output unless it has this value.
struct Unfollowed {
  const char *field;
  Json neutral;
};

std::vector<std::string> unfollowedFields(const Json &file) {
  static const std::vector<Unfollowed> fields = {
      {"num_beams", 1},
      {"num_beam_groups", 1},
      {"penalty_alpha", 0},
      {"typical_p", 1},
      {"epsilon_cutoff", 0},
      {"eta_cutoff", 0},
      {"top_h", nullptr},
      {"no_repeat_ngram_size", 0},
      {"encoder_repetition_penalty", 1},
      {"bad_words_ids", nullptr},
      {"suppress_tokens", nullptr},
      {"begin_suppress_tokens", nullptr},
      {"min_length", 0},
      {"min_new_tokens", 0},
      {"forced_bos_token_id", nullptr},
      {"guidance_scale", 1},
      {"forced_eos_token_id", nullptr},
      {"sequence_bias", nullptr},
      {"watermarking_config", nullptr},
      {"exponential_decay_length_penalty", nullptr},
  };
  std::vector<std::string> warnings;
  for (const Unfollowed &each : fields) {
    const Json *value = find(file, each.field);
    if (value && !value->empty() && *value != each.neutral) {
      warnings.push_back("generation_config.json: " + std::string(each.field) +
                         " is not supported and has no effect");
    }
  }
  return warnings;
}

} // namespace

std::vector<int32_t>
GenerationConfig::eosTokensOr(const std::vector<int64_t> &others) const {
  return eosTokenIds.empty() && !namesNone
             ? std::vector<int32_t>(others.begin(), others.end())
             : eosTokenIds;
}

GenerationConfig parseGenerationConfig(std::string_view text) {
  Json file = parseJson<Json>(text);
  if (!file.is_object()) {
    throw Error("generation_config.json: must hold one JSON object");
  }
  GenerationConfig config;
  SamplingOptions &sampling = config.sampling;
  sampling.doSample = readFlag(file, "do_sample");
  sampling.temperature = readNumber(file, "temperature", 1);
  sampling.topP = readNumber(file, "top_p", 1);
  sampling.minP = readNumber(file, "min_p", 0);
  sampling.repeatPenalty = readNumber(file, "repetition_penalty", 1);
  const Json *topK = find(file, "top_k");
  sampling.topK = topK ? readInteger(*topK, "top_k") : 50;
  if (sampling.topK == -1) {
    sampling.topK = 0; // vLLM's way to keep all
  }
  try {
    validate(sampling,
             {"repetition_penalty", "temperature", "top_k", "top_p", "min_p"});
  } catch (const Error &error) {
    throw Error(std::string("generation_config.json: ") + error.what());
  }
  config.stopStrings = readTexts(file, "stop_strings");
  config.chatStopStrings = readTexts(file, "chat_stop_strings");
  config.bosTokenId = readOptionalToken(file, "bos_token_id");
  config.padTokenId = readOptionalToken(file, "pad_token_id");
  config.warnings = unfollowedFields(file);
  readEosTokens(file, config);
  return config;
}

} // namespace cheems
