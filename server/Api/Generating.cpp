#include "server/Api/Generating.h"

#include "server/Api/ApiError.h"
#include "server/Api/Sampling.h"

#include <functional>

namespace cheems::serve {

/// Names a client by the fields that may carry an API key. They name it whether
/// this server or a proxy before it asks for the key. The name is short however
/// much a client sends.
static std::string keyName(const HttpRequest &http) {
  std::string keys;
  for (const auto &[name, value] : http.fields) {
    if (name == "authorization" || name == "x-api-key") {
      keys.append(name).append(":").append(value).append("\n");
    }
  }
  return keys.empty() ? ""
                      : std::to_string(std::hash<std::string>()(keys)) + "." +
                            std::to_string(keys.size());
}

/// The key's name has no colon: a salt never leads to another key's states.
static std::string isolationOf(const Call &call, Fields &fields) {
  std::string name = call.context->options.isolate ? keyName(call.request) : "";
  if (auto salt = fields.text("cache_salt")) {
    if (salt->empty() || salt->size() > maximumSaltBytes) {
      refuse("cache_salt", "cache_salt must have 1 to " +
                               std::to_string(maximumSaltBytes) + " bytes");
    }
    name += ":" + *salt;
  }
  return name;
}

GenerationRequest namedRequest(const Call &call, Fields &fields,
                               const char *prefix) {
  GenerationRequest request;
  request.id = prefix + call.request.id;
  request.party = call.request.party;
  request.isolation = isolationOf(call, fields);
  return request;
}

GenerationRequest textRequest(const Call &call, Fields &fields,
                              const char *prefix) {
  GenerationRequest request = namedRequest(call, fields, prefix);
  readSampling(fields, *call.context, request);
  request.grammar = readGrammar(fields);
  return request;
}

std::optional<int64_t> readMaxTokens(Fields &fields,
                                     std::initializer_list<const char *> names,
                                     int64_t least,
                                     std::optional<int64_t> otherwise) {
  std::optional<int64_t> most = otherwise;
  for (const char *name : names) {
    auto given = fields.integer(name);
    if (given && *given < least && *given != -1 && *given != -2) {
      refuse(name, std::string(name) + " must be at least " +
                       std::to_string(least) + ", or -1 for no limit");
    }
    if (given) {
      most = *given < 0 ? std::nullopt : given;
    }
  }
  return most;
}

/// What a prompt takes until it is answered: its tokens, which the engine and
/// the answer have, and what is kept of each choice, such as which tokens came.
static uint64_t queuedBytes(const GenerationRequest &request, size_t tokens) {
  constexpr uint64_t perPrompt = 8192, perChoice = 2048, perSeenToken = 48;
  uint64_t seen = request.sampling.penalises() ? tokens * perSeenToken : 0;
  return perPrompt + 3 * sizeof(int32_t) * tokens +
         uint64_t(request.choices) * (perChoice + seen);
}

void generate(const Call &call, const GenerationRequest &request,
              std::vector<std::vector<int32_t>> prompts,
              std::unique_ptr<AnswerForm> form, bool streams) {
  for (const std::vector<int32_t> &tokens : prompts) {
    Work::take(queuedBytes(request, tokens.size()));
  }
  std::vector<GenerationRequest> requests;
  for (std::vector<int32_t> &tokens : prompts) {
    requests.push_back(request);
    requests.back().memory = call.request.share;
    requests.back().prompt = std::move(tokens);
  }
  auto answer = std::make_shared<Answer>(call.context, call.responder,
                                         std::move(form), streams);
  answer->countIn(call.request.share);
  answer->start(std::move(requests));
}

} // namespace cheems::serve
