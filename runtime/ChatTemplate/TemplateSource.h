// Says where a model's chat template and the tokens that it names come from.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_TEMPLATESOURCE_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_TEMPLATESOURCE_H

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace cheems {

/// Picks the template's text: `templateFile` (the text of chat_template.jinja)
/// if there is one, else `chat_template` of `tokenizerConfig` (the text of
/// tokenizer_config.json): a string, or the entry named "default" of a list of
/// {name, template}. Nothing if there is none. Throws Error naming the field
/// that is malformed.
std::optional<std::string>
chatTemplateSource(const std::optional<std::string> &templateFile,
                   const std::optional<std::string> &tokenizerConfig);

/// The template for conversations with tools: `toolUseFile` (the text of
/// additional_chat_templates/tool_use.jinja) if there is one, else the entry
/// named "tool_use" of such a list. Nothing if there is none, or if the list is
/// not used. Throws Error as above.
std::optional<std::string>
toolUseTemplateSource(const std::optional<std::string> &templateFile,
                      const std::optional<std::string> &toolUseFile,
                      const std::optional<std::string> &tokenizerConfig);

/// The special tokens that templates may name: bos_token, eos_token, pad_token,
/// unk_token, sep_token, cls_token, mask_token, as tokenizer_config.json gives
/// them (a string, or an object with "content"). Absent or null ones are left
/// out, so that the template sees them as undefined. Throws Error naming the
/// field that is malformed.
std::map<std::string, std::string>
specialTokens(std::string_view tokenizerConfig);

} // namespace cheems

#endif
