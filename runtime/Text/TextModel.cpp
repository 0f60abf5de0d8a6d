#include "runtime/Text/TextModel.h"
#include "runtime/ChatTemplate/TemplateSource.h"
#include "runtime/Error.h"

namespace cheems {

static std::optional<std::string> present(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

TextModel::TextModel(std::shared_ptr<const Model> model)
    : compiled(std::move(model)) {
  if (!compiled->generationConfig().empty()) {
    config = parseGenerationConfig(compiled->generationConfig());
  }
}

std::vector<int32_t> TextModel::eosTokens() const {
  return config.eosTokensOr(compiled->metadata().eosTokens);
}

const Tokenizer &TextModel::tokenizer() {
  std::lock_guard<std::mutex> lock(loading);
  if (!loaded) {
    if (compiled->tokenizer().empty()) {
      throw Error(Status::unsupported,
                  compiled->path() +
                      " has no tokenizer: its model folder had no "
                      "tokenizer.json; cheems-run takes and prints token ids "
                      "with --prompt-ids and --print-ids");
    }
    loaded.emplace(compiled->tokenizer(), compiled->tokenizerConfig());
  }
  return *loaded;
}

/// The first that is there.
static std::optional<int32_t> firstOf(std::optional<int32_t> tokenizers,
                                      std::optional<int32_t> generations,
                                      std::optional<int64_t> models) {
  if (tokenizers || generations) {
    return tokenizers ? tokenizers : generations;
  }
  return models ? std::optional(static_cast<int32_t>(*models)) : std::nullopt;
}

std::optional<int32_t> TextModel::bosToken() {
  bool hasTokenizer = !compiled->tokenizer().empty();
  return firstOf(hasTokenizer ? tokenizer().bosId() : std::nullopt,
                 config.bosTokenId, compiled->metadata().bosToken);
}

std::optional<int32_t> TextModel::padToken() {
  bool hasTokenizer = !compiled->tokenizer().empty();
  return firstOf(hasTokenizer ? tokenizer().padId() : std::nullopt,
                 config.padTokenId, compiled->metadata().padToken);
}

std::vector<int32_t> TextModel::encodePrompt(const std::string &text,
                                             size_t most) {
  std::vector<int32_t> ids = tokenizer().encode(
      text, /*addSpecialTokens=*/true, /*parseSpecialTokens=*/true, most);
  if (!ids.empty()) {
    return ids;
  }
  if (auto bos = bosToken()) {
    return {*bos};
  }
  throw Error(Status::usage,
              "the prompt is empty and the model has no token that begins a "
              "text; give a prompt with -p or -f");
}

std::optional<std::string> TextModel::templateSource() const {
  return chatTemplateSource(present(compiled->chatTemplate()),
                            present(compiled->tokenizerConfig()));
}

std::optional<std::string> TextModel::toolUseSource() const {
  return toolUseTemplateSource(present(compiled->chatTemplate()),
                               present(compiled->toolUseTemplate()),
                               present(compiled->tokenizerConfig()));
}

const ChatTemplate &TextModel::chatTemplate() {
  std::lock_guard<std::mutex> lock(loading);
  if (format) {
    return *format;
  }
  auto source = templateSource();
  if (!source) {
    throw Error(Status::unsupported,
                compiled->path() +
                    " has no chat template (chat_template.jinja or "
                    "tokenizer_config.json); use -p instead of --chat");
  }
  return format.emplace(*source, toolUseSource());
}

void TextModel::setChatTemplate(const std::string &source,
                                const std::string &name) {
  std::lock_guard<std::mutex> lock(loading);
  try {
    format.emplace(source);
  } catch (const Error &error) {
    throw Error(error.status, name + ": " + error.what());
  }
  otherFormat = true;
  otherSource = source;
}

std::optional<std::string> TextModel::chatTemplateText() {
  std::lock_guard<std::mutex> lock(loading);
  return otherFormat ? otherSource : templateSource();
}

std::optional<std::string> TextModel::toolUseTemplateText() {
  std::lock_guard<std::mutex> lock(loading);
  return otherFormat ? std::nullopt : toolUseSource();
}

std::map<std::string, std::string> TextModel::templateVariables() const {
  if (compiled->tokenizerConfig().empty()) {
    return {};
  }
  return specialTokens(compiled->tokenizerConfig());
}

} // namespace cheems
