// Reads tokenizer_config.json for the chat template.
#include "runtime/ChatTemplate/TemplateSource.h"

#include "runtime/Error.h"
#include "runtime/Json/Json.h"

#include <nlohmann/json.hpp>

namespace cheems {

namespace {

using Json = nlohmann::json;

[[noreturn]] void malformed(const std::string &what) {
  throw Error("tokenizer_config.json: " + what);
}

Json parseConfig(std::string_view text) {
  Json config = parseJson<Json>(text);
  if (!config.is_object()) {
    malformed("must hold one JSON object");
  }
  return config;
}

const Json *find(const Json &object, const char *field) {
  auto found = object.find(field);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

/// The template of that name, from a list that is checked whole.
std::optional<std::string> namedTemplate(const Json &list,
                                         const std::string &wanted) {
  std::optional<std::string> found;
  for (size_t i = 0; i < list.size(); ++i) {
    std::string where = "chat_template[" + std::to_string(i) + "]";
    const Json *name = list[i].is_object() ? find(list[i], "name") : nullptr;
    const Json *source =
        list[i].is_object() ? find(list[i], "template") : nullptr;
    if (!name || !name->is_string() || !source || !source->is_string()) {
      malformed(where + " must have a name and a template, both strings");
    }
    if (*name == wanted && !found) {
      found = source->get<std::string>();
    }
  }
  return found;
}

} // namespace

std::optional<std::string>
chatTemplateSource(const std::optional<std::string> &templateFile,
                   const std::optional<std::string> &tokenizerConfig) {
  if (templateFile || !tokenizerConfig) {
    return templateFile;
  }
  Json config = parseConfig(*tokenizerConfig);
  const Json *source = find(config, "chat_template");
  if (!source) {
    return std::nullopt;
  }
  if (source->is_array()) {
    auto general = namedTemplate(*source, "default");
    if (!general) {
      malformed("chat_template has no entry named \"default\"");
    }
    return general;
  }
  if (!source->is_string()) {
    malformed("chat_template must be a string or a list of named templates");
  }
  return source->get<std::string>();
}

std::optional<std::string>
toolUseTemplateSource(const std::optional<std::string> &templateFile,
                      const std::optional<std::string> &toolUseFile,
                      const std::optional<std::string> &tokenizerConfig) {
  if (toolUseFile || templateFile || !tokenizerConfig) {
    return toolUseFile;
  }
  Json config = parseConfig(*tokenizerConfig);
  const Json *source = find(config, "chat_template");
  return source && source->is_array() ? namedTemplate(*source, "tool_use")
                                      : std::nullopt;
}

std::map<std::string, std::string>
specialTokens(std::string_view tokenizerConfig) {
  Json config = parseConfig(tokenizerConfig);
  std::map<std::string, std::string> tokens;
  for (const char *name : {"bos_token", "eos_token", "pad_token", "unk_token",
                           "sep_token", "cls_token", "mask_token"}) {
    const Json *token = find(config, name);
    if (!token) {
      continue;
    }
    const Json *content = token->is_object() ? find(*token, "content") : token;
    if (!content || !content->is_string()) {
      malformed(std::string(name) +
                " must be a string or an object with a string \"content\"");
    }
    tokens[name] = content->get<std::string>();
  }
  return tokens;
}

} // namespace cheems
