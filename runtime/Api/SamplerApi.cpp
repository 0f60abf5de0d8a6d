// The C interface: choosing tokens.
#include "runtime/Api/Handles.h"
#include "runtime/Sampler/LogSoftmax.h"
#include "runtime/Sampler/Sampler.h"
#include <cmath>
#include <cstring>

using namespace cheems;
using namespace cheems::api;

struct cheems_sampler {
  Sampler sampler;
  int64_t vocabulary;
};

static SamplingOptions convert(const cheems_sampler_options &options,
                               int64_t vocabulary) {
  SamplingOptions converted;
  converted.doSample = options.temperature != 0;
  converted.temperature = options.temperature;
  converted.topK = options.top_k;
  converted.topP = options.top_p == 0 ? 1 : options.top_p;
  converted.minP = options.min_p;
  converted.repeatPenalty =
      options.repeat_penalty == 0 ? 1 : options.repeat_penalty;
  converted.presencePenalty = options.presence_penalty;
  converted.frequencyPenalty = options.frequency_penalty;
  if (options.repeat_last_n < 0 || options.logit_bias_count < 0) {
    throw Error(Status::usage,
                "repeat_last_n and logit_bias_count must not be negative");
  }
  converted.repeatLastN =
      options.repeat_last_n == 0 ? -1 : options.repeat_last_n;
  converted.seed = options.seed;
  if (options.logit_bias_count != 0) {
    need(options.logit_bias, "logit_bias");
  }
  for (int64_t i = 0; i < options.logit_bias_count; ++i) {
    const cheems_logit_bias &each = options.logit_bias[i];
    if (each.token < 0 || each.token >= vocabulary) {
      throw Error(Status::usage,
                  "logit_bias has token " + std::to_string(each.token) +
                      ", which is outside the vocabulary (0 to " +
                      std::to_string(vocabulary - 1) + ")");
    }
    converted.logitBias.add({each.token, each.bias});
  }
  validate(converted, {"repeat_penalty", "temperature", "top_k", "top_p",
                       "min_p", "presence_penalty", "frequency_penalty",
                       "repeat_last_n", "logit_bias"});
  return converted;
}

cheems_status cheems_model_sampler_options(const cheems_model *model,
                                           cheems_sampler_options *options) {
  return guard([&] {
    need(model, "model");
    need(options, "options");
    const SamplingOptions &defaults = model->text->generation().sampling;
    cheems_sampler_options result = {};
    result.size = checkSize(options->size, "cheems_sampler_options");
    result.temperature = defaults.greedy() ? 0 : defaults.temperature;
    result.top_k = defaults.topK;
    result.top_p = defaults.topP;
    result.min_p = defaults.minP;
    result.repeat_penalty = defaults.repeatPenalty;
    std::memset(options, 0, result.size);
    std::memcpy(options, &result, std::min(result.size, sizeof(result)));
  });
}

cheems_status cheems_sampler_create(const cheems_model *model,
                                    const cheems_sampler_options *given,
                                    cheems_sampler **sampler) {
  return guard([&] {
    need(model, "model");
    need(sampler, "sampler");
    int64_t vocabulary = model->model->metadata().vocabulary;
    SamplingOptions options =
        convert(adopt(given, "cheems_sampler_options"), vocabulary);
    *sampler = new cheems_sampler{Sampler(options), vocabulary};
  });
}

cheems_status cheems_sampler_clone(const cheems_sampler *sampler,
                                   cheems_sampler **copy) {
  return guard([&] {
    need(sampler, "sampler");
    need(copy, "copy");
    *copy = new cheems_sampler(*sampler);
  });
}

void cheems_sampler_destroy(cheems_sampler *sampler) { delete sampler; }

cheems_status cheems_sampler_accept(cheems_sampler *sampler,
                                    const int32_t *tokens, int64_t count) {
  return guard([&] {
    need(sampler, "sampler");
    if (count < 0) {
      throw Error(Status::usage, "count is negative");
    }
    if (count > 0) {
      need(tokens, "tokens");
    }
    for (int64_t i = 0; i < count; ++i) { // before one of them counts
      if (tokens[i] < 0 || tokens[i] >= sampler->vocabulary) {
        throw Error(Status::usage, "token " + std::to_string(tokens[i]) +
                                       " at index " + std::to_string(i) +
                                       " is outside the vocabulary (0 to " +
                                       std::to_string(sampler->vocabulary - 1) +
                                       ")");
      }
    }
    sampler->sampler.accept(tokens, static_cast<size_t>(count));
  });
}

cheems_status cheems_sampler_forget(cheems_sampler *sampler) {
  return guard([&] {
    need(sampler, "sampler");
    sampler->sampler.forget();
  });
}

cheems_status cheems_sampler_seed(cheems_sampler *sampler, uint64_t seed) {
  return guard([&] {
    need(sampler, "sampler");
    sampler->sampler.reseed(seed);
  });
}

cheems_status cheems_sampler_sample(cheems_sampler *sampler,
                                    const float *logits, const uint32_t *mask,
                                    int32_t *token) {
  return guard([&] {
    need(sampler, "sampler");
    need(logits, "logits");
    need(token, "token");
    *token = sampler->sampler.sample(
        logits, static_cast<size_t>(sampler->vocabulary), mask);
  });
}

cheems_status cheems_sampler_state_size(const cheems_sampler *sampler,
                                        size_t *size) {
  return guard([&] {
    need(sampler, "sampler");
    need(size, "size");
    *size = sampler->sampler.state().size();
  });
}

cheems_status cheems_sampler_state_get(const cheems_sampler *sampler,
                                       void *buffer, size_t capacity,
                                       size_t *size) {
  return guard([&] {
    need(sampler, "sampler");
    need(buffer, "buffer");
    std::string state = sampler->sampler.state();
    checkRoom(state.size(), capacity);
    std::memcpy(buffer, state.data(), state.size());
    if (size) {
      *size = state.size();
    }
  });
}

cheems_status cheems_sampler_state_set(cheems_sampler *sampler,
                                       const void *buffer, size_t size) {
  return guard([&] {
    need(sampler, "sampler");
    need(buffer, "buffer");
    sampler->sampler.setState({static_cast<const char *>(buffer), size});
  });
}

cheems_status cheems_logprobs(const cheems_model *model, const float *logits,
                              int32_t token, double *logprob, int64_t top_count,
                              int32_t *top_tokens, double *top_logprobs) {
  return guard([&] {
    need(model, "model");
    need(logits, "logits");
    int64_t vocabulary = model->model->metadata().vocabulary;
    if (logprob && (token < 0 || token >= vocabulary)) {
      throw Error(Status::usage, "token " + std::to_string(token) +
                                     " is outside the vocabulary (0 to " +
                                     std::to_string(vocabulary - 1) + ")");
    }
    if (top_count < 0 || top_count > vocabulary) {
      throw Error(Status::usage, "top_count must be between 0 and " +
                                     std::to_string(vocabulary) + ", not " +
                                     std::to_string(top_count));
    }
    if (top_count > 0) {
      need(top_tokens, "top_tokens");
      need(top_logprobs, "top_logprobs");
    }
    LogSoftmax row(logits, vocabulary);
    if (!std::isfinite(row.offset)) {
      throw Error("the logits have no finite sum: one is NaN or +inf, or all "
                  "are -inf");
    }
    if (logprob) {
      *logprob = row[token];
    }
    int64_t i = 0;
    for (int32_t each : row.top(static_cast<size_t>(top_count))) {
      top_tokens[i] = each;
      top_logprobs[i++] = row[each];
    }
  });
}
