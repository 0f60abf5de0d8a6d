#include "TextCheck.h"
#include "cheems/Import/Checkpoint.h"
#include "runtime/ChatTemplate/TemplateCheck.h"
#include "runtime/ChatTemplate/TemplateSource.h"
#include "runtime/Error.h"
#include "runtime/Sampler/GenerationConfig.h"
#include "runtime/Tokenizer/Tokenizer.h"
#include <filesystem>

namespace cheems {

static std::optional<std::string> present(const std::string &text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

/// A model without tokenizer.json takes token ids. But files of tokenizers say
/// that text was meant.
static void checkFormat(const std::string &folder, MessageHandler warn) {
  for (const char *name : {"tokenizer.model", "spiece.model", "vocab.json",
                           "vocab.txt", "merges.txt", "tekken.json"}) {
    std::error_code ignored;
    if (std::filesystem::exists(std::filesystem::path(folder) / name,
                                ignored)) {
      warn(folder + " has " + name +
           " and no tokenizer.json, so the model takes token ids alone; save "
           "the tokenizer as tokenizer.json with transformers");
      return;
    }
  }
}

llvm::Error checkTexts(const std::string &folder, const Checkpoint &checkpoint,
                       MessageHandler warn) {
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
  if (checkpoint.tokenizerJson.empty()) {
    checkFormat(folder, warn);
  }
  try {
    auto file = present(checkpoint.chatTemplate),
         tokenizer = present(checkpoint.tokenizerConfigJson);
    if (auto source = chatTemplateSource(file, tokenizer)) {
      const std::string &config = checkpoint.tokenizerConfigJson;
      tryChatTemplate(
          ChatTemplate(*source, toolUseTemplateSource(
                                    file, present(checkpoint.toolUseTemplate),
                                    tokenizer)),
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
