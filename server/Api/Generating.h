// What all requests that run the model say alike, and how their answers start.
#ifndef CHEEMS_SERVER_API_GENERATING_H
#define CHEEMS_SERVER_API_GENERATING_H

#include "server/Api/Answer.h"
#include "server/Api/Endpoints.h"
#include "server/Api/Fields.h"

#include <initializer_list>
#include <memory>
#include <optional>
#include <vector>

namespace cheems::serve {

constexpr size_t maximumSaltBytes = 256;

/// A request with its name, and with the name that it shares states under: of
/// its API key, and of `cache_salt`. Throws ApiError.
GenerationRequest namedRequest(const Call &call, Fields &fields,
                               const char *prefix);

/// The same for texts, with sampling and grammar. Throws ApiError, Error.
GenerationRequest textRequest(const Call &call, Fields &fields,
                              const char *prefix);

/// How many tokens may be generated: the last of these fields that is there,
/// else `otherwise`. Nothing: as many as the context takes, which clients ask
/// for with -1, and llama.cpp's also with -2. Throws ApiError.
std::optional<int64_t>
readMaxTokens(Fields &fields, std::initializer_list<const char *> names,
              int64_t least, std::optional<int64_t> otherwise = std::nullopt);

/// Runs `request` with each of the prompts; the engine or the form answers.
void generate(const Call &call, const GenerationRequest &request,
              std::vector<std::vector<int32_t>> prompts,
              std::unique_ptr<AnswerForm> form, bool streams);

} // namespace cheems::serve

#endif
