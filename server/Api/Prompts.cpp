#include "server/Api/Prompts.h"

#include "server/Api/ApiError.h"
#include "server/Api/Fields.h"

#include <algorithm>

namespace cheems::serve {

/// A prompt of more tokens than the context has is not read to its end.
[[noreturn]] static void refuseLength(const std::string &param,
                                      const Context &context) {
  throw ApiError(400,
                 param + " has more tokens than the context, which is " +
                     std::to_string(context.engine.context()),
                 param, "context_length_exceeded");
}

/// Reads a prompt that is given as token ids.
static std::vector<int32_t> readPromptIds(const Json &value,
                                          const std::string &param,
                                          const Context &context) {
  if (value.size() > size_t(context.engine.context())) {
    refuseLength(param, context);
  }
  return readTokenIds(value, param, context);
}

std::vector<int32_t> readTokenIds(const Json &value, const std::string &param,
                                  const Context &context) {
  std::vector<int32_t> ids;
  int64_t vocabulary = context.vocabulary();
  for (const Json &each : value) {
    int64_t id = wholeNumber(each).value_or(-1);
    if (id < 0 || id >= vocabulary) {
      refuse(param, param + " has " + dumped(each).substr(0, 40) +
                        " at place " + std::to_string(ids.size()) +
                        ", which is no token id below " +
                        std::to_string(vocabulary));
    }
    ids.push_back(int32_t(id));
  }
  if (ids.empty()) {
    refuse(param, param + " has no tokens");
  }
  return ids;
}

std::vector<int32_t> encodeText(const std::string &text,
                                const std::string &param, bool addSpecialTokens,
                                const Context &context) {
  std::vector<int32_t> ids;
  auto most = size_t(context.engine.context());
  try {
    ids = addSpecialTokens ? context.text.encodePrompt(text, most)
                           : context.text.tokenizer().encode(
                                 text, /*addSpecialTokens=*/false,
                                 /*parseSpecialTokens=*/true, most);
  } catch (const TooManyTokens &) {
    refuseLength(param, context);
  } catch (const Error &error) {
    refuse(param, param + ": " + error.what());
  }
  if (ids.empty()) {
    refuse(param, param + " has no tokens");
  }
  for (int32_t id : ids) {
    if (id >= context.vocabulary()) {
      refuse(param, param + " has text of token " + std::to_string(id) +
                        ", which the model lacks: its ids are below " +
                        std::to_string(context.vocabulary()) +
                        "; leave that text out");
    }
  }
  return ids;
}

std::vector<std::vector<int32_t>> readPrompts(const Json *value,
                                              const std::string &param,
                                              bool addSpecialTokens,
                                              const Context &context) {
  auto encode = [&](const Json &text) {
    return encodeText(text.get<std::string>(), param, addSpecialTokens,
                      context);
  };
  if (value && value->is_string()) {
    return {encode(*value)};
  }
  if (!value || !value->is_array() || value->empty()) {
    refuse(param, param + " must be a string, a list of strings, a list of "
                          "token ids, or a list of such lists");
  }
  if ((*value)[0].is_number()) {
    return {readPromptIds(*value, param, context)};
  }
  size_t most = context.options.maximumPrompts;
  if (value->size() > most) {
    refuse(param, param + " has more than " + std::to_string(most) +
                      " entries; send them in parts");
  }
  std::vector<std::vector<int32_t>> prompts;
  for (const Json &each : *value) {
    if (each.is_string()) {
      prompts.push_back(encode(each));
    } else if (each.is_array()) {
      prompts.push_back(readPromptIds(each, param, context));
    } else {
      refuse(param, "an entry of " + param +
                        " must be a string or a list of token ids");
    }
  }
  return prompts;
}

std::vector<int32_t> readMixed(const Json &value, const std::string &param,
                               const Context &context) {
  bool isMixed = value.is_array() && !value.empty() &&
                 std::any_of(value.begin(), value.end(),
                             [](const Json &each) { return each.is_number(); });
  if (!isMixed) {
    auto prompts = readPrompts(&value, param, true, context);
    if (prompts.size() != 1) {
      refuse(param, "only one prompt may be given; /v1/completions takes "
                    "several");
    }
    return prompts[0];
  }
  std::vector<int32_t> ids;
  for (const Json &each : value) {
    bool isText = each.is_string();
    std::vector<int32_t> more =
        isText ? encodeText(each.get<std::string>(), param,
                            /*addSpecialTokens=*/ids.empty(), context)
               : readTokenIds(Json::array({each}), param, context);
    ids.insert(ids.end(), more.begin(), more.end());
    if (ids.size() > size_t(context.engine.context())) {
      refuseLength(param, context);
    }
  }
  return ids;
}

} // namespace cheems::serve
