#include "Backend.h"
#include "runtime/ChatTemplate/TemplateCheck.h"
#include "runtime/Error.h"
#include "runtime/Generation/ModelCache.h"
#include "runtime/Generation/ProgressLine.h"
#include "runtime/Generation/Prompt.h"
#include "runtime/Process/Output.h"
#include "server/Engine/Engine.h"
#include "server/Engine/GrammarConstraint.h"
#include <algorithm>
#include <chrono>
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
  result.memoryLimit = options.memoryBytes;
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

/// Beside weights, states and requests: the program with its libraries and its
/// tokenizer, what the allocator keeps, and the buffers of connections.
int64_t otherBytes(const Options &options) {
  constexpr int64_t program = int64_t{192} << 20, perConnection = 32 << 10;
  auto connections = static_cast<int64_t>(options.limits.connections);
  return program + perConnection * connections;
}

/// Returns how much of what the engine leaves requests may take. Without
/// --memory that is no more than what serves well, and enough to serve at all.
uint64_t requestMemory(const Options &options, int64_t spare) {
  constexpr int64_t least = int64_t{64} << 20, most = int64_t{1} << 30;
  int64_t left = spare - otherBytes(options);
  if (options.memoryBytes && left < least) {
    int64_t needed = *options.memoryBytes + least - left;
    if (options.cacheIsShare) { // which grows with the memory
      int64_t others = needed - options.cacheBytes;
      needed = std::min(others * Options::share / (Options::share - 1),
                        others + Options().cacheBytes);
    }
    throw Error(Status::usage,
                "--memory: weights, slots, cache and connections leave too "
                "little for requests; give at least " +
                    std::to_string((needed >> 20) + 1) +
                    "M, or lower --parallel, --ctx-size, --cache-ram or "
                    "--max-connections");
  }
  return static_cast<uint64_t>(
      options.memoryBytes ? left : std::clamp(left, least, most));
}

} // namespace

std::string Backend::waiting() const {
  WorkerPool::Waiting tasks = api->waiting();
  int64_t requests = metrics->waiting, since = metrics->oldestWaiting;
  if (requests == 0 && tasks.tasks == 0) {
    return "";
  }
  std::chrono::steady_clock::duration waited =
      std::chrono::steady_clock::now().time_since_epoch() -
      std::chrono::steady_clock::duration(since);
  double oldest =
      since == 0 ? 0 : std::chrono::duration<double>(waited).count();
  return R"("waiting":)" +
         std::to_string(static_cast<int64_t>(tasks.tasks) + requests) +
         R"(,"oldest_wait_seconds":)" +
         std::to_string(std::max(oldest, tasks.oldestSeconds));
}

void say(const std::string &text) { printMessage("cheems-serve: " + text); }

Backend::Backend(const Options &options)
    : metrics(std::make_shared<Metrics>()), text(loadText(options)) {
  engine = makeEngine(text, engineOptions(options, text, metrics));
  forRequests = requestMemory(options, engine->spareBytes());
  api = std::make_shared<Api>(*text, *engine, apiOptions(options, metrics));
}

void Backend::drain() {
  engine->drain([] {}); // the listener knows when its requests have ended
}

} // namespace cheems::serve
