#include "Backend.h"
#include "runtime/ChatTemplate/TemplateCheck.h"
#include "runtime/Generation/ModelCache.h"
#include "runtime/Generation/ProgressLine.h"
#include "runtime/Generation/Prompt.h"
#include "runtime/Process/Output.h"
#include "runtime/Serve/Engine/Engine.h"
#include "runtime/Serve/Engine/GrammarConstraint.h"
#include <ctime>
#include <filesystem>
#include <sys/stat.h>

namespace cheems::serve {

namespace {

/// Reads what requests will need: what is wrong is said now, and not to the
/// first client.
void checkTexts(TextModel &text) {
  if (!text.model().tokenizer().empty()) {
    text.tokenizer();
  }
  try {
    if (!text.hasChatTemplate()) {
      return;
    }
    text.chatTemplate();
  } catch (const Error &error) {
    throw Error(error.status,
                std::string(error.what()) +
                    "; give another chat template with --chat-template-file");
  }
  try {
    tryChatTemplate(text.chatTemplate(), text.templateVariables());
  } catch (const Error &error) {
    say("warning: " + std::string(error.what()) +
        "; chats need another template, with --chat-template-file");
  }
}

std::shared_ptr<TextModel> loadText(const Options &options) {
  auto text = std::make_shared<TextModel>(
      openModel(options.model, say, options.compileArguments, options.device));
  if (options.chatTemplateFile) {
    text->setChatTemplate(readText(*options.chatTemplateFile),
                          *options.chatTemplateFile);
  }
  for (const std::string &warning : text->generation().warnings) {
    say("warning: " + warning);
  }
  checkTexts(*text);
  return text;
}

/// Where a model sets no limit, a text that nothing ends would keep its slot
/// for ever: there the length that it was trained with is the default.
int64_t contextOf(const Options &options, const Metadata &data) {
  bool unlimited = options.context == 0 && data.defaultContext == 0;
  return unlimited ? data.trainedContext : options.context;
}

EngineOptions engineOptions(const Options &options,
                            const std::shared_ptr<TextModel> &text,
                            const std::shared_ptr<Metrics> &metrics) {
  EngineOptions result;
  result.slots = options.slots;
  result.context = contextOf(options, text->model().metadata());
  result.threads = options.threads;
  result.prefillChunk = options.prefillChunk;
  result.cacheBytes = options.cacheBytes;
  result.exactCache = options.cacheExact;
  result.queueLength = options.queueLength;
  result.queueSeconds = options.queueSeconds;
  result.totalSeconds = options.totalSeconds;
  result.slotFolder = options.slotSavePath.value_or("");
  result.slotLimits.files = static_cast<uint64_t>(options.slotFiles);
  result.slotLimits.bytes = static_cast<uint64_t>(options.slotBytes);
  result.constraints = grammarConstraints(text);
  result.metrics = metrics;
  result.warn = [](const std::string &line) { say("warning: " + line); };
  result.uploading = UploadProgress();
  return result;
}

/// The name of the file or folder, without ".cheems".
std::string nameOf(const Options &options) {
  if (!options.alias.empty()) {
    return options.alias;
  }
  std::filesystem::path path =
      std::filesystem::absolute(options.model).lexically_normal();
  path = path.has_filename() ? path : path.parent_path();
  return (path.extension() == ".cheems" ? path.stem() : path.filename())
      .string();
}

ApiOptions apiOptions(const Options &options,
                      const std::shared_ptr<Metrics> &metrics) {
  ApiOptions result;
  result.modelName = nameOf(options);
  result.version = CHEEMS_VERSION;
  struct stat file;
  result.created = stat(options.model.c_str(), &file) == 0
                       ? static_cast<int64_t>(file.st_mtime)
                       : static_cast<int64_t>(std::time(nullptr));
  result.isolate = options.cacheIsolate;
  result.slotFiles = options.slotSavePath.has_value();
  result.metrics = [metrics, name = result.modelName] {
    return metrics->render(name);
  };
  return result;
}

} // namespace

void say(const std::string &text) { printMessage("cheems-serve: " + text); }

Backend::Backend(const Options &options) : text(loadText(options)) {
  auto metrics = std::make_shared<Metrics>();
  engine = makeEngine(text, engineOptions(options, text, metrics));
  api = std::make_shared<Api>(*text, *engine, apiOptions(options, metrics));
}

void Backend::drain() {
  engine->drain([] {}); // the listener knows when its requests have ended
}

} // namespace cheems::serve
