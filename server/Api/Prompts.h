// Prompts as requests spell them: texts or token ids, one or several.
#ifndef CHEEMS_SERVER_API_PROMPTS_H
#define CHEEMS_SERVER_API_PROMPTS_H

#include "server/Api/Context.h"
#include "server/Api/Json.h"
#include "server/Http/Exchange.h"

#include <string>
#include <vector>

namespace cheems::serve {

/// A text, a list of texts, a list of ids, or a list of lists of ids. Throws
/// ApiError naming `param`.
std::vector<std::vector<int32_t>> readPrompts(const Json *value,
                                              const std::string &param,
                                              bool addSpecialTokens,
                                              const Context &context);

/// A list of ids.
std::vector<int32_t> readTokenIds(const Json &value, const std::string &param,
                                  const Context &context);

/// A text's tokens. Throws ApiError for text that is empty or is not UTF-8.
std::vector<int32_t> encodeText(const std::string &text,
                                const std::string &param, bool addSpecialTokens,
                                const Context &context);

/// llama.cpp's mixture of texts and ids in one prompt.
std::vector<int32_t> readMixed(const Json &value, const std::string &param,
                               const Context &context);

} // namespace cheems::serve

#endif
