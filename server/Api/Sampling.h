// How a request wants its texts drawn and ended: the words of OpenAI, vLLM and
// llama.cpp.
#ifndef CHEEMS_SERVER_API_SAMPLING_H
#define CHEEMS_SERVER_API_SAMPLING_H

#include "server/Api/Context.h"
#include "server/Api/Fields.h"

namespace cheems::serve {

constexpr int64_t maximumChoices = 16;
constexpr size_t maximumStops = 16, maximumStopBytes = 256;
constexpr int64_t maximumTopLogprobs = 20;
constexpr size_t maximumBiases = 16384; ///< tokens of logit_bias

/// The sampling of a request that says nothing of it.
SamplingOptions defaultSampling(const Context &context);

/// Fills in sampling, stop strings, ignoreEos, cachePrompt, slot and
/// showSpecial, and refuses what of sampling is not implemented. Throws
/// ApiError, Error.
void readSampling(Fields &fields, const Context &context,
                  GenerationRequest &request);

/// `grammar`, `response_format` and `json_schema`; null: any text.
std::shared_ptr<const Grammar> readGrammar(Fields &fields);

/// A grammar of `make`; its fault is that of the field `param`.
std::shared_ptr<const Grammar>
grammarOf(const std::string &param,
          const std::function<std::shared_ptr<const Grammar>()> &make);

/// What clients send and no answer depends on. Throws ApiError for wishes that
/// are only harmless when they are off.
void ignoreHarmless(Fields &fields);

} // namespace cheems::serve

#endif
