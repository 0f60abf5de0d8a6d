#include "Setup.h"
#include "runtime/Generation/ModelCache.h"
#include "runtime/Generation/ProgressLine.h"
#include "runtime/Generation/Prompt.h"
#include "runtime/Generation/TokenIds.h"
#include "runtime/Process/Interrupt.h"
#include "runtime/Process/NewFile.h"
#include "runtime/Process/Output.h"
#include "tools/Support/Format.h"

namespace cheems::run {

void say(const std::string &text) { printMessage("cheems-run: " + text); }

std::shared_ptr<const Model> open(const Options &options) {
  return openModel(options.model, say, options.compileArguments,
                   options.device);
}

std::shared_ptr<const Model> openToRead(const Options &options) {
  DeviceChoice device = options.device;
  if (device.kind == DeviceChoice::Kind::automatic) {
    device.kind = DeviceChoice::Kind::none;
  }
  return openModel(options.model, say, options.compileArguments, device);
}

void Warnings::print() {
  for (const std::string &line : lines) {
    say("warning: " + line);
  }
  lines.clear();
}

SessionOptions sessionOptions(const Options &options, Warnings &warnings) {
  SessionOptions result;
  result.context = options.context;
  result.threads = options.threads;
  result.prefillChunk = options.prefillChunk;
  result.profile = options.recording;
  result.warn = [&](const std::string &text) { warnings.add(text); };
  result.interrupted = interrupt::requested;
  result.uploading = UploadProgress();
  return result;
}

void sayWhereItRuns(const Options &options, const Session &session) {
  if (!options.verbose) {
    return;
  }
  auto megabytes = [](int64_t bytes) {
    return format("%.2f MB", static_cast<double>(bytes) / 1e6);
  };
  const Model &model = session.model();
  const cuda::DeviceInfo *gpu = model.gpu();
  say("runs on " + model.deviceName() + (gpu ? ", " + gpu->name : "") +
      ": code " + session.code() + ", state " +
      megabytes(session.bytes().state) + ", workspace " +
      megabytes(session.bytes().workspace));
}

GenerationLimits limitsOf(const Options &options, TextModel &text) {
  GenerationLimits limits;
  limits.maxTokens = options.maxTokens;
  limits.stopStrings = options.stopStrings;
  if (!options.ignoreEos) {
    limits.eosTokens = text.eosTokens();
    const GenerationConfig &config = text.generation();
    auto add = [&](const std::vector<std::string> &texts) {
      limits.stopStrings.insert(limits.stopStrings.end(), texts.begin(),
                                texts.end());
    };
    add(config.stopStrings);
    if (options.mode == Mode::chat) {
      add(config.chatStopStrings);
    }
  }
  if (options.grammar) {
    limits.constraint = std::make_shared<TokenConstraint>(
        options.grammar, makeVocabularyTrie(text));
  }
  return limits;
}

Sampler makeSampler(const Options &options, const TextModel &text,
                    Warnings &warnings) {
  for (const std::string &warning : text.generation().warnings) {
    warnings.add(warning);
  }
  int64_t vocabulary = text.model().metadata().vocabulary;
  for (const LogitBias &each : options.logitBias) {
    if (each.token >= vocabulary) {
      throw Error(Status::usage, "--logit-bias: token " +
                                     std::to_string(each.token) +
                                     " is outside the vocabulary (0 to " +
                                     std::to_string(vocabulary - 1) + ")");
    }
  }
  return Sampler(options.sampling(text.generation().sampling));
}

std::vector<int32_t> promptTokens(const Options &options,
                                  const std::vector<int64_t> &ids,
                                  TextModel &text) {
  int64_t vocabulary = text.model().metadata().vocabulary;
  if (options.promptIds) {
    return checkTokenIds(ids.data(), ids.size(), vocabulary, "--prompt-ids");
  }
  if (!options.prompt && !options.file) {
    return {};
  }
  std::string given = givenText(options);
  return checkVocabulary(options.loadState
                             ? text.tokenizer().encode(given, false)
                             : text.encodePrompt(given),
                         vocabulary);
}

std::string givenText(const Options &options) {
  return options.prompt ? *options.prompt : readText(options.file.value());
}

void sayStatistics(const Statistics &statistics, const Sampler &sampler) {
  const SamplingOptions &settings = sampler.options();
  say(statistics.line() +
      (settings.greedy() ? "" : "; seed " + std::to_string(settings.seed)));
}

SavedRun loadState(const Options &options, Session &session, Sampler &sampler) {
  SavedRun run = loadRun(session, options.loadState.value());
  bool chat = options.mode == Mode::chat;
  if (run.chat != chat) {
    throw Error(Status::usage,
                options.loadState.value() +
                    (chat ? ": was not saved by a chat; load it without --chat"
                          : ": was saved by a chat; load it with --chat"));
  }
  if (!options.seed || *options.seed == run.random.seed) {
    sampler.setRandomState(run.random);
  }
  return run;
}

void checkSaveState(const Options &options) {
  if (options.saveState) {
    NewFile probe(*options.saveState);
  }
}

} // namespace cheems::run
