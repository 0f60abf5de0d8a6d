#include "TextCheck.h"
#include "cheems/Import/Checkpoint.h"
#include "runtime/ChatTemplate/TemplateCheck.h"
#include "runtime/ChatTemplate/TemplateSource.h"
#include "runtime/Error.h"
#include "runtime/Sampler/GenerationConfig.h"
#include "runtime/Tokenizer/Tokenizer.h"

namespace cheems {

static std::optional<std::string> present(const std::string &text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

llvm::Error checkTexts(const Checkpoint &checkpoint, MessageHandler warn) {
  try {
    if (!checkpoint.generationConfigJson.empty()) {
      parseGenerationConfig(checkpoint.generationConfigJson);
    }
    if (!checkpoint.tokenizerJson.empty()) {
      Tokenizer(checkpoint.tokenizerJson, checkpoint.tokenizerConfigJson);
    }
  } catch (const Error &error) {
    if (error.status == Status::unsupported) {
      return llvm::make_error<UnsupportedError>(
          std::string(error.what()) +
          "; without tokenizer.json the model compiles, and takes token ids");
    }
    return llvm::createStringError(error.what());
  }
  try {
    auto source = chatTemplateSource(present(checkpoint.chatTemplate),
                                     present(checkpoint.tokenizerConfigJson));
    if (source) {
      const std::string &config = checkpoint.tokenizerConfigJson;
      tryChatTemplate(ChatTemplate(*source),
                      config.empty() ? std::map<std::string, std::string>()
                                     : specialTokens(config));
    }
  } catch (const Error &error) {
    warn(std::string(error.what()) +
         "; chats need another template, with --chat-template-file");
  }
  return llvm::Error::success();
}

} // namespace cheems
