// What a compiled model says about text: its tokenizer, its defaults for
// generation, its chat template.
#ifndef CHEEMS_RUNTIME_GENERATION_TEXTMODEL_H
#define CHEEMS_RUNTIME_GENERATION_TEXTMODEL_H

#include "runtime/Artifact/Model.h"
#include "runtime/ChatTemplate/ChatTemplate.h"
#include "runtime/Sampler/GenerationConfig.h"
#include "runtime/Tokenizer/Tokenizer.h"
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace cheems {

class TextModel {
public:
  /// Reads the generation defaults; the tokenizer is read when first asked
  /// for. Throws Error.
  explicit TextModel(std::shared_ptr<const Model> model);

  const Model &model() const { return *compiled; }
  const std::shared_ptr<const Model> &sharedModel() const { return compiled; }
  const GenerationConfig &generation() const { return config; }
  /// Those of generation_config.json, else of config.json.
  std::vector<int32_t> eosTokens() const;
  /// The token that begins a text and the one that fills rows up: those of
  /// tokenizer_config.json, else of generation_config.json, else of
  /// config.json. Throws Error where the tokenizer is not sound.
  std::optional<int32_t> bosToken();
  std::optional<int32_t> padToken();

  /// The first of several threads that ask loads it, the others wait. Throws
  /// Error: unsupported where the model has none.
  const Tokenizer &tokenizer();
  /// The ids of a prompt with the tokenizer's own special tokens around it; an
  /// empty one is the token that begins a text. Throws Error: usage for an
  /// empty prompt where the model has no such token.
  std::vector<int32_t> encodePrompt(const std::string &text,
                                    size_t most = SIZE_MAX);

  /// Throws Error where it cannot be told.
  bool hasChatTemplate() const {
    return otherFormat || templateSource().has_value();
  }
  /// Read when first asked for, as the tokenizer. Throws Error: unsupported
  /// where the model has none.
  const ChatTemplate &chatTemplate();
  /// Returns the text as it is written; nothing where there is none. Throws
  /// Error where it cannot be told.
  std::optional<std::string> chatTemplateText();
  /// The one for conversations with tools, where the model has another one for
  /// them.
  std::optional<std::string> toolUseTemplateText();
  /// What the template may name: bos_token and its like.
  std::map<std::string, std::string> templateVariables() const;
  /// Another one in the place of all of the model's, before any is asked for;
  /// `name` is what messages call it. Throws Error for one that is malformed.
  void setChatTemplate(const std::string &source, const std::string &name);

private:
  std::optional<std::string> templateSource() const;
  std::optional<std::string> toolUseSource() const;

  std::shared_ptr<const Model> compiled;
  GenerationConfig config;
  std::mutex loading;
  bool otherFormat = false; ///< the chat template is not the model's
  std::string otherSource;  ///< it, then
  std::optional<Tokenizer> loaded;
  std::optional<ChatTemplate> format;
};

} // namespace cheems

#endif
