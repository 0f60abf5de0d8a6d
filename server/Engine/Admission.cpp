#include "server/Engine/Admission.h"
#include "runtime/Error.h"
#include <algorithm>

namespace cheems::serve {

namespace {

using Kind = GenerationFault::Kind;

GenerationFault invalid(const std::string &message,
                        const std::string &parameter = "") {
  return {Kind::invalid, message, parameter};
}

std::string number(int64_t value) { return std::to_string(value); }

} // namespace

std::optional<GenerationFault> faultOf(const AdmissionRules &rules,
                                       const GenerationRequest &request) {
  auto size = static_cast<int64_t>(request.prompt.size());
  if (size == 0) {
    return invalid("the prompt is empty", "prompt");
  }
  for (int64_t i = 0; i < size; ++i) {
    int32_t token = request.prompt[static_cast<size_t>(i)];
    if (token < 0 || token >= rules.vocabulary) {
      return invalid("token " + number(token) + " at index " + number(i) +
                         " of the prompt is outside the vocabulary (0 to " +
                         number(rules.vocabulary - 1) + ")",
                     "prompt");
    }
  }
  bool generates = !request.embedding && request.maxTokens != 0;
  if (size > rules.context || (generates && size == rules.context)) {
    return GenerationFault{Kind::contextLength,
                           "the prompt has " + number(size) + " tokens" +
                               (generates ? ", and one is to come," : "") +
                               " but the context is " + number(rules.context),
                           "prompt"};
  }
  if (request.choices < 1) {
    return invalid("there must be at least one choice", "n");
  }
  if (request.maxTokens && *request.maxTokens < 0) {
    return invalid("max_tokens must not be negative", "max_tokens");
  }
  if (request.topLogprobs && *request.topLogprobs < 0) {
    return invalid("the number of log-probabilities must not be negative",
                   "top_logprobs");
  }
  if (request.slot && (*request.slot < 0 || *request.slot >= rules.slots)) {
    return invalid("slot " + number(*request.slot) +
                       " does not exist; slots go from 0 to " +
                       number(rules.slots - 1),
                   "id_slot");
  }
  for (const LogitBias &bias : request.sampling.logitBias) {
    if (bias.token < 0 || bias.token >= rules.vocabulary) {
      return invalid("logit_bias has token " + number(bias.token) +
                         ", which is outside the vocabulary (0 to " +
                         number(rules.vocabulary - 1) + ")",
                     "logit_bias");
    }
  }
  if (request.grammar && !rules.constraints) {
    return invalid("this server has no grammars");
  }
  return std::nullopt;
}

std::shared_ptr<Job> admit(const AdmissionRules &rules,
                           GenerationRequest request,
                           std::shared_ptr<GenerationSink> sink,
                           GenerationFault &fault) {
  if (std::optional<GenerationFault> found = faultOf(rules, request)) {
    fault = *found;
    return nullptr;
  }
  auto job = std::make_shared<Job>();
  try {
    job->sampler = Sampler(request.sampling);
    if (request.grammar) {
      job->constraint = rules.constraints(request.grammar, request.thinksFirst);
    }
  } catch (const std::exception &error) {
    fault = invalid(error.what());
    return nullptr;
  }
  int64_t room = rules.context - static_cast<int64_t>(request.prompt.size());
  job->rules.limit = std::min(room, request.maxTokens.value_or(room));
  job->rules.limit = request.embedding ? 0 : job->rules.limit;
  if (!request.ignoreEos) {
    job->rules.endTokens = rules.endTokens;
  }
  job->rules.stopStrings = request.stopStrings;
  job->rules.topLogprobs = request.topLogprobs;
  job->rules.showSpecial = request.showSpecial;
  job->rules.shownTokens = request.shownTokens;
  job->rules.memory = request.memory;
  job->request = std::move(request);
  job->sink = std::move(sink);
  job->ticket = std::make_shared<GenerationTicket>();
  job->came = Clock::now();
  return job;
}

} // namespace cheems::serve
