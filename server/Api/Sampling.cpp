#include "server/Api/Sampling.h"

#include "server/Api/ApiError.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <random>

namespace cheems::serve {

SamplingOptions defaultSampling(const Context &context) {
  if (context.options.sampling) {
    return *context.options.sampling;
  }
  // as vLLM, which reads the values and not do_sample
  SamplingOptions options = context.text.generation().sampling;
  options.doSample = true;
  return options;
}

/// One that comes back whole from readers of JSON that know doubles alone.
static uint64_t drawnSeed() {
  std::random_device device;
  return (uint64_t(device()) << 32 | device()) >> 11;
}

/// A bias as llama.cpp has it: a number, or false for "never".
static float biasOf(const Json &value) {
  if (value.is_boolean() && !value.get<bool>()) {
    return -std::numeric_limits<float>::infinity();
  }
  if (!value.is_number()) {
    refuse("logit_bias", "a bias of logit_bias must be a number");
  }
  double bias = value.get<double>();
  if (bias > std::numeric_limits<float>::max()) {
    refuse("logit_bias", "a bias of logit_bias must be at most 3.4e38");
  }
  return float(bias);
}

static int32_t biasedToken(int64_t token, const Context &context) {
  if (token < 0 || token >= context.vocabulary()) {
    refuse("logit_bias", "logit_bias names token " + std::to_string(token) +
                             "; ids are below " +
                             std::to_string(context.vocabulary()));
  }
  return int32_t(token);
}

[[noreturn]] static void refuseBiases() {
  refuse("logit_bias", "the texts of logit_bias have more than " +
                           std::to_string(maximumBiases) + " tokens");
}

static std::vector<int32_t> biasedText(const Json &text,
                                       const Context &context) {
  try {
    return context.text.tokenizer().encode(
        text.get_ref<const std::string &>(), /*addSpecialTokens=*/false,
        /*parseSpecialTokens=*/true, maximumBiases);
  } catch (const TooManyTokens &) {
    refuseBiases();
  }
}

/// {"15": -100}, or llama.cpp's [[15, -1.5], ["Hello", false]].
static std::vector<LogitBias> readBiases(const Json &value,
                                         const Context &context) {
  std::vector<LogitBias> biases;
  if (value.is_object()) {
    for (const auto &[name, bias] : value.items()) {
      int64_t token = -1;
      auto [end, error] =
          std::from_chars(name.data(), name.data() + name.size(), token);
      if (error != std::errc() || end != name.data() + name.size()) {
        refuse("logit_bias", "the names of logit_bias must be token ids");
      }
      biases.push_back({biasedToken(token, context), biasOf(bias)});
    }
    return biases;
  }
  if (!value.is_array() || value.size() > size_t(maximumMembers)) {
    refuse("logit_bias", "logit_bias must be an object of token ids and "
                         "biases, or a list of pairs of them");
  }
  for (const Json &pair : value) {
    if (biases.size() > maximumBiases) {
      break;
    }
    bool isPair = pair.is_array() && pair.size() == 2;
    auto token = isPair ? wholeNumber(pair[0]) : std::nullopt;
    if (!isPair || !(token || pair[0].is_string())) {
      refuse("logit_bias", "an entry of logit_bias must be a token id or a "
                           "text, and a bias");
    }
    float bias = biasOf(pair[1]);
    if (!token) {
      for (int32_t each : biasedText(pair[0], context)) {
        biases.push_back({biasedToken(each, context), bias});
      }
    } else {
      biases.push_back({biasedToken(*token, context), bias});
    }
  }
  if (biases.size() > maximumBiases) {
    refuseBiases();
  }
  return biases;
}

static std::vector<std::string> readStops(const Json &value) {
  std::vector<std::string> stops;
  for (const Json &each : value.is_string() ? Json::array({value}) : value) {
    if (!each.is_string()) {
      refuse("stop", "stop must be a string or a list of strings");
    }
    stops.push_back(each.get<std::string>());
    if (stops.back().size() > maximumStopBytes) {
      refuse("stop", "a stop string has more than " +
                         std::to_string(maximumStopBytes) + " bytes");
    }
  }
  if (stops.size() > maximumStops) {
    refuse("stop", "there are more than " + std::to_string(maximumStops) +
                       " stop strings");
  }
  return stops;
}

/// What other servers draw by, and this one does not.
static void refuseOtherSampling(Fields &fields) {
  fields.onlyAs("typical_p", {1, 1.0, 0});
  fields.onlyAs("tfs_z", {1});
  fields.onlyAs("top_a", {0});
  fields.onlyAs("mirostat", {0});
  fields.onlyAs("dynatemp_range", {0});
  fields.onlyAs("xtc_probability", {0});
  fields.onlyAs("dry_multiplier", {0});
  fields.onlyAs("top_n_sigma", {-1, 0});
  fields.onlyAs("min_tokens", {0});
  fields.onlyAs("use_beam_search", {false});
  fields.onlyAs("length_penalty", {1});
  fields.onlyAs("early_stopping", {false});
  fields.onlyAs("include_stop_str_in_output", {false});
  fields.onlyAs("stop_token_ids", {Json::array()});
  fields.onlyAs("bad_words", {Json::array()});
  fields.onlyAs("allowed_token_ids", {});
  fields.onlyAs("truncate_prompt_tokens", {});
  fields.onlyAs("prompt_logprobs", {});
  fields.onlyAs("samplers", {});
  fields.onlyAs("lora", {Json::array()});
  fields.onlyAs("min_keep", {0});
  fields.onlyAs("n_keep", {0});
  fields.onlyAs("n_discard", {0});
  fields.onlyAs("n_indent", {0});
  fields.onlyAs("t_max_predict_ms", {0, -1});
  // they shape the samplers above, which are off
  fields.ignore({"mirostat_tau", "mirostat_eta", "dynatemp_exponent",
                 "xtc_threshold", "dry_base", "dry_allowed_length",
                 "dry_penalty_last_n", "dry_sequence_breakers"});
}

void readSampling(Fields &fields, const Context &context,
                  GenerationRequest &request) {
  SamplingOptions &options = request.sampling = defaultSampling(context);
  if (auto value = fields.number("temperature")) {
    options.temperature = *value;
    options.doSample = true;
  }
  options.topP = fields.number("top_p").value_or(options.topP);
  options.minP = fields.number("min_p").value_or(options.minP);
  if (auto value = fields.integer("top_k", -1)) {
    options.topK = std::max<int64_t>(*value, 0); // -1 is vLLM's "off"
  }
  OptionNames names;
  for (const char *name : {"repeat_penalty", "repetition_penalty"}) {
    if (auto value = fields.number(name)) {
      options.repeatPenalty = *value;
      names.repeatPenalty = name;
    }
  }
  options.presencePenalty =
      fields.number("presence_penalty").value_or(options.presencePenalty);
  options.frequencyPenalty =
      fields.number("frequency_penalty").value_or(options.frequencyPenalty);
  options.repeatLastN =
      fields.integer("repeat_last_n", -1).value_or(options.repeatLastN);
  auto seed = fields.integer("seed");
  options.seed = seed && *seed != -1 ? uint64_t(*seed) : drawnSeed();
  if (const Json *biases = fields.find("logit_bias")) {
    options.logitBias = readBiases(*biases, context);
  }
  names.topK = "top_k";
  names.topP = "top_p";
  names.minP = "min_p";
  names.presencePenalty = "presence_penalty";
  names.frequencyPenalty = "frequency_penalty";
  names.repeatLastN = "repeat_last_n";
  names.logitBias = "logit_bias";
  try {
    validate(options, names);
  } catch (const Error &error) {
    std::string message = error.what();
    std::string first = message.substr(0, message.find(' '));
    refuse(first == "a" ? "logit_bias" : first, message);
  }

  if (const Json *stop = fields.find("stop")) {
    if (!stop->is_string() && !stop->is_array()) {
      refuse("stop", "stop must be a string or a list of strings");
    }
    request.stopStrings = readStops(*stop);
  }
  const auto &others = context.text.generation().stopStrings;
  request.stopStrings.insert(request.stopStrings.end(), others.begin(),
                             others.end());
  request.ignoreEos = fields.flag("ignore_eos");
  request.cachePrompt = fields.boolean("cache_prompt").value_or(true);
  request.showSpecial = !fields.boolean("skip_special_tokens").value_or(true);
  if (auto slot = fields.integer("id_slot", -1); slot && *slot >= 0) {
    request.slot = slot;
  }
  refuseOtherSampling(fields);
}

std::shared_ptr<const Grammar>
grammarOf(const std::string &param,
          const std::function<std::shared_ptr<const Grammar>()> &make) {
  try {
    return make();
  } catch (const Error &error) {
    std::string message = error.what();
    bool isNamed = message.compare(0, param.size(), param) == 0;
    refuse(param, isNamed ? message : param + ": " + message);
  }
}

/// The schema of a response_format of the type json_schema: in an object of its
/// own, as OpenAI has it, or beside the type, as llama.cpp's server has it.
static const Json &schemaOf(Fields &fields, const std::string &where) {
  const Json *named = fields.find("json_schema");
  const Json *schema = fields.find("schema");
  fields.ignore({"name", "description", "strict"});
  fields.finish();
  if (schema && named) {
    refuse(where + "schema", where + "schema cannot be together with " + where +
                                 "json_schema; leave one out");
  }
  if (schema) {
    return *schema;
  }
  const std::string param = where + "json_schema";
  if (!named || !named->is_object()) {
    refuse(param, param + " must be {\"name\": NAME, \"schema\": SCHEMA}");
  }
  Fields inner(*named, param + ".");
  schema = inner.find("schema");
  if (!schema) {
    refuse(param + ".schema",
           param + ".schema is missing; " + param +
               " must be {\"name\": NAME, \"schema\": SCHEMA}");
  }
  inner.ignore({"name", "description", "strict"});
  inner.finish();
  return *schema;
}

/// OpenAI's response_format; llama.cpp's json_object may have a schema.
static std::shared_ptr<const Grammar> readFormat(const Json &format) {
  if (!format.is_object()) {
    refuse("response_format", "response_format must be an object");
  }
  const std::string where = "response_format.";
  Fields fields(format, where);
  std::string type = fields.text("type").value_or("");
  const Json *schema = nullptr;
  if (type == "json_schema") {
    schema = &schemaOf(fields, where);
  } else if (type == "json_object") {
    schema = fields.find("schema");
    fields.finish();
    if (!schema) {
      return jsonObjectGrammar();
    }
  } else if (type == "text") {
    fields.finish();
    return nullptr;
  } else {
    refuse(where + "type",
           where + "type must be text, json_object or json_schema");
  }
  return grammarOf("response_format",
                   [&] { return jsonSchemaGrammar(dumped(*schema)); });
}

std::shared_ptr<const Grammar> readGrammar(Fields &fields) {
  const Json *format = fields.find("response_format");
  const Json *schema = fields.find("json_schema");
  auto gbnf = fields.text("grammar");
  for (const char *name : {"guided_json", "guided_regex", "guided_choice",
                           "guided_grammar", "structured_outputs"}) {
    fields.onlyAs(name, {});
  }
  fields.onlyAs("grammar_lazy", {false});
  bool hasGbnf = gbnf && !gbnf->empty();
  if (int(format != nullptr) + int(schema != nullptr) + int(hasGbnf) > 1 &&
      !(format && format->is_object() &&
        format->value("type", Json()) == Json("text"))) {
    refuse("response_format", "only one of response_format, json_schema and "
                              "grammar may be given");
  }
  if (hasGbnf) {
    return grammarOf("grammar", [&] { return parseGbnf(*gbnf); });
  }
  if (schema) {
    return grammarOf("json_schema",
                     [&] { return jsonSchemaGrammar(dumped(*schema)); });
  }
  return format ? readFormat(*format) : nullptr;
}

void ignoreHarmless(Fields &fields) {
  fields.ignore({"model", "user", "store", "metadata", "service_tier",
                 "safety_identifier", "prompt_cache_key",
                 "prompt_cache_retention", "priority", "request_id",
                 "spaces_between_special_tokens", "api_key",
                 "stream_interval"});
  // an answer has more or other numbers where they are true
  for (const char *name :
       {"timings_per_token", "return_progress", "post_sampling_probs"}) {
    fields.onlyAs(name, {false});
  }
}

} // namespace cheems::serve
