#include "Options.h"
#include "Setup.h"
#include "runtime/Generation/DeviceList.h"
#include "runtime/Generation/Prompt.h"
#include "runtime/Generation/TokenIds.h"
#include "runtime/Process/Output.h"
#include "runtime/ThreadPool/ThreadPool.h"
#include "tools/Support/CommandLine.h"
#include "tools/Support/CompileFlags.h"
#include "tools/Support/DeviceFlags.h"
#include "tools/Support/Escapes.h"
#include "tools/Support/StandardInput.h"
#include <random>
#include <utility>
#include <vector>

namespace cheems::run {

namespace {

constexpr const char *description =
    "Runs a model that cheems-compile made: generates text, chats, or computes "
    "logits.\nMODEL may also be a model folder. It is then compiled once and "
    "kept in the cache.";

/// What is on the command line, before the parts are held against each other.
struct Raw {
  Options options;
  CompileFlags compile;
  DeviceFlags device;
  bool tokenize = false, chat = false, verify = false;
  bool escapes = false, noHistory = false, embedding = false;
  std::optional<std::string> pooling;
  std::string color = "auto";
  std::optional<std::string> describe;
  std::optional<int64_t> maxTokens, threads, prefillChunk, seed;
  std::vector<std::string> logitBias;
  std::optional<std::string> grammar, grammarFile, schema, schemaFile;
};

void declareText(CLI::App &app, Raw &raw) {
  Options &options = raw.options;
  app.add_option("MODEL,-m,--model", options.model,
                 "compiled model, or model folder");
  app.add_option("-p,--prompt", options.prompt,
                 "prompt (with --chat: the first message)");
  app.add_option(
      "-f,--file", options.file,
      "file with the prompt, used as it is but for a byte order mark in front; "
      "- is standard input");
  app.add_flag(
      "-e,--escape", raw.escapes,
      "read \\n, \\t, \\\\, \\\" and \\' in -p, -r and --system-prompt as "
      "the characters that they stand for");
  addNumber(app, "-n,--n-predict,--predict", raw.maxTokens, -1, INT32_MAX,
            "how many tokens to generate at most; -1 (the default): as many as "
            "the context has room for");
  app.add_flag("-i,--interactive,--chat,--conversation", raw.chat,
               "chat, with one message per line (also -cnv)");
  app.add_option("--system-prompt", options.system,
                 "system prompt of a chat (also -sys)");
  app.add_option("--chat-template-file", options.chatTemplateFile,
                 "Jinja template for chats, in the place of the model's");
  app.add_option("--color", raw.color,
                 "whether what you type stands out: auto (the default: on a "
                 "terminal, unless NO_COLOR is set), always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_flag("--no-history", raw.noHistory,
               "neither read nor keep the history of lines that were typed");
  app.add_flag("--json", options.json,
               "print one JSON object with the text, its ids, why it ended and "
               "what it took");
  app.add_flag("--ignore-eos", options.ignoreEos,
               "do not stop at what the model says ends a text");
  app.add_option("-r,--reverse-prompt", options.stopStrings,
                 "stop before this text; may be given several times")
      ->allow_extra_args(false);
}

void declareGrammar(CLI::App &app, Raw &raw) {
  const char *group = "What the text may be (one of these)";
  app.add_option("--grammar", raw.grammar,
                 "the text is one of this grammar (GBNF, as llama.cpp's)")
      ->group(group);
  app.add_option("--grammar-file", raw.grammarFile,
                 "file with the grammar; - is standard input")
      ->group(group);
  app.add_option("-j,--json-schema", raw.schema,
                 "the text is JSON that this schema accepts; {} is any JSON")
      ->group(group);
  app.add_option("--json-schema-file", raw.schemaFile,
                 "file with the schema (also -jf); - is standard input")
      ->group(group);
}

void declareSampling(CLI::App &app, Raw &raw) {
  Options &options = raw.options;
  addNumber(app, "--temp,--temperature", options.temperature,
            "temperature; 0 takes the most probable token")
      ->group("Sampling (defaults: the model's generation_config.json)");
  const char *group = "Sampling (defaults: the model's generation_config.json)";
  addNumber(app, "--top-k", options.topK, 0, INT64_MAX,
            "keep the k best tokens; 0: all")
      ->group(group);
  addNumber(app, "--top-p", options.topP,
            "keep the best tokens that together have this probability; 1: all, "
            "0: the best one")
      ->group(group);
  addNumber(app, "--min-p", options.minP,
            "keep tokens that are this probable, relative to the best; 0: all")
      ->group(group);
  addNumber(app, "--repeat-penalty", options.repeatPenalty,
            "penalty for tokens that came before; 1: none")
      ->group(group);
  addNumber(app, "--repeat-last-n", options.repeatLastN, -1, INT64_MAX,
            "how many of the newest tokens the penalties look at; -1 (the "
            "default): all; 0: none")
      ->group(group);
  addNumber(app, "--presence-penalty", options.presencePenalty,
            "taken from the logit of a token that came before; 0: none")
      ->group(group);
  addNumber(app, "--frequency-penalty", options.frequencyPenalty,
            "the same for each time that it came; 0: none")
      ->group(group);
  app.add_option("-l,--logit-bias", raw.logitBias,
                 "make a token more or less probable: 15043+1 adds 1 to the "
                 "logit of token 15043, 15043-inf forbids it; may be given "
                 "several times")
      ->allow_extra_args(false)
      ->group(group);
  addNumber(app, "-s,--seed", raw.seed, -1, INT64_MAX,
            "the same seed gives the same text; -1 (the default): a new seed "
            "each time")
      ->group(group);
}

void declareModes(CLI::App &app, Raw &raw) {
  Options &options = raw.options;
  const char *ids = "Token ids", *file = "The file", *run = "Running";
  addNumber(app, "-c,--ctx-size", options.context, 0, INT32_MAX,
            "context in tokens; 0 (the default): that of the model")
      ->group(run);
  addNumber(app, "-t,--threads", raw.threads, 1, ThreadPool::maxThreads,
            "number of threads; default: the physical cores that this process "
            "may use")
      ->group(run);
  raw.device.declare(app, "the model", run);
  addNumber(app, "--prefill-chunk", raw.prefillChunk, 1, INT32_MAX,
            "how many tokens of a prompt to process at once, at most 65536")
      ->group(run);
  app.add_option("--prompt-ids", options.promptIds,
                 "prompt as token ids, used as given: 1,2,3 or @FILE")
      ->group(ids);
  app.add_flag("--print-ids", options.printIds,
               "print generated ids instead of text")
      ->group(ids);
  app.add_flag("--tokenize", raw.tokenize,
               "print the ids of the text of -p or -f, without special tokens")
      ->group(ids);
  app.add_option(
         "--detokenize", options.detokenize,
         "print the text of the ids 1,2,3 or @FILE, with special tokens")
      ->group(ids);
  app.add_flag("--embedding", raw.embedding,
               "print the embedding of the prompt as a JSON list of numbers")
      ->group(ids);
  app.add_option("--pooling", raw.pooling,
                 "how the rows of --embedding become one: mean (the default), "
                 "or last, that of the last token")
      ->check(CLI::IsMember({"mean", "last"}))
      ->group(ids);
  app.add_option("--input-ids", options.inputIds,
                 "safetensors file with input_ids [B,T], for --logits")
      ->group(ids);
  app.add_option("--logits", options.logits,
                 "safetensors file to write, with logits [B,T,V]")
      ->group(ids);
  app.add_flag("--describe{summary}", raw.describe,
               "print a summary of the file; --describe=full: print "
               "everything; --describe=json: the same as JSON")
      ->check(CLI::IsMember({"summary", "full", "json"}))
      ->group(file);
  app.add_flag("--verify", raw.verify, "check every byte of the file")
      ->group(file);
  app.add_option("--save-state", options.saveState,
                 "file to save the state to, at the end of the run")
      ->group(run);
  app.add_option(
         "--load-state", options.loadState,
         "continue from a saved state, with or without a new prompt; sampling "
         "flags are not saved")
      ->group(run);
  app.add_flag("--verbose", options.verbose,
               "say which device and code run the model, and what memory they "
               "take")
      ->group(run);
  app.add_option(
         "--profile", options.profile,
         "file to write, with a trace that shows where the time goes, for "
         "Perfetto or chrome://tracing")
      ->group(run);
}

/// The mode whose flag was given; one at most.
Mode chooseMode(const Raw &raw) {
  const std::pair<const char *, Mode> chosen[] = {
      {raw.chat ? "--chat" : nullptr, Mode::chat},
      {raw.tokenize ? "--tokenize" : nullptr, Mode::tokenize},
      {raw.options.detokenize ? "--detokenize" : nullptr, Mode::detokenize},
      {raw.options.logits ? "--logits" : nullptr, Mode::logits},
      {raw.embedding ? "--embedding" : nullptr, Mode::embedding},
      {raw.describe ? "--describe" : nullptr, Mode::describe},
      {raw.verify ? "--verify" : nullptr, Mode::verify}};
  const char *first = nullptr;
  Mode mode = Mode::generate;
  for (auto [name, candidate] : chosen) {
    if (name && first) {
      throw usage(std::string(first) + " and " + name +
                  " cannot be used together");
    }
    if (name) {
      first = name;
      mode = candidate;
    }
  }
  return mode;
}

void checkInputs(const Options &options) {
  if (options.model.empty()) {
    throw usage("no model given: name a compiled model or a model folder");
  }
  int prompts = options.prompt.has_value() + options.file.has_value() +
                options.promptIds.has_value();
  bool text = options.prompt || options.file;
  if (prompts > 1) {
    throw usage("give only one of -p, -f and --prompt-ids");
  }
  if (options.system && options.mode != Mode::chat) {
    throw usage("--system-prompt needs --chat");
  }
  if (options.printIds && options.mode != Mode::generate) {
    throw usage("--print-ids is for generating text, not for other modes");
  }
  if (options.logits.has_value() != options.inputIds.has_value()) {
    throw usage(options.logits ? "--logits needs --input-ids"
                               : "--input-ids needs --logits");
  }
  if ((options.saveState || options.loadState) &&
      options.mode != Mode::generate && options.mode != Mode::chat) {
    throw usage("--save-state and --load-state are for text and chats, not for "
                "other modes");
  }
  if (options.profile && options.mode != Mode::generate &&
      options.mode != Mode::chat && options.mode != Mode::logits) {
    throw usage("--profile is for text, chats and --logits, not for other "
                "modes");
  }
  if (options.system && options.loadState) {
    throw usage("--system-prompt cannot be used with --load-state: the "
                "conversation has begun already");
  }
  if (options.json && options.mode != Mode::generate) {
    throw usage("--json is for generating text, not for other modes");
  }
  if (options.json && options.printIds) {
    throw usage("--json has the ids, too: drop --print-ids");
  }
  if (options.chatTemplateFile && options.mode != Mode::chat) {
    throw usage("--chat-template-file needs --chat");
  }
  switch (options.mode) {
  case Mode::generate:
    if (prompts == 0 && !options.loadState) {
      throw usage("no prompt given: use -p, -f or --prompt-ids");
    }
    break;
  case Mode::embedding:
    if (prompts == 0) {
      throw usage("--embedding needs a prompt: use -p, -f or --prompt-ids");
    }
    break;
  case Mode::tokenize:
    if (!text) {
      throw usage("--tokenize needs a text: use -p or -f");
    }
    break;
  case Mode::chat:
    if (options.promptIds) {
      throw usage("--prompt-ids cannot be used with --chat");
    }
    break;
  default:
    if (prompts != 0) {
      throw usage("this mode takes no prompt: drop -p, -f or --prompt-ids");
    }
  }
}

/// The options that read files, each with its file. A chat reads its messages
/// from standard input, unless it is given the first one: then it may end with
/// it.
InputFiles inputFiles(const Raw &raw, Mode mode) {
  const Options &options = raw.options;
  InputFiles files;
  auto add = [&](const char *name, const std::optional<std::string> &file) {
    if (file) {
      files.emplace_back(name, *file);
    }
  };
  auto addList = [&](const char *name, const std::optional<std::string> &ids) {
    if (ids && ids->rfind('@', 0) == 0) {
      files.emplace_back(name, ids->substr(1));
    }
  };
  if (mode == Mode::chat && !options.prompt && !options.file) {
    files.emplace_back("--chat", "-");
  }
  add("-f", options.file);
  addList("--prompt-ids", options.promptIds);
  addList("--detokenize", options.detokenize);
  add("--input-ids", options.inputIds);
  add("--chat-template-file", options.chatTemplateFile);
  add("--grammar-file", raw.grammarFile);
  add("--json-schema-file", raw.schemaFile);
  return files;
}

/// The one that was given.
std::shared_ptr<const Grammar> grammarOf(const Raw &raw, Mode mode) {
  const std::pair<const char *, const std::optional<std::string> &> given[] = {
      {"--grammar", raw.grammar},
      {"--grammar-file", raw.grammarFile},
      {"--json-schema", raw.schema},
      {"--json-schema-file", raw.schemaFile}};
  const char *first = nullptr;
  for (const auto &[name, text] : given) {
    if (text && first) {
      throw usage(std::string(first) + " and " + name +
                  " cannot be used together");
    }
    first = text ? name : first;
  }
  if (!first) {
    return nullptr;
  }
  if (mode != Mode::generate && mode != Mode::chat) {
    throw usage(std::string(first) +
                " is for text and chats, not for other modes");
  }
  if (raw.grammar || raw.grammarFile) {
    return parseGbnf(raw.grammar ? *raw.grammar : readText(*raw.grammarFile));
  }
  return jsonSchemaGrammar(raw.schema ? *raw.schema
                                      : readText(raw.schemaFile.value()));
}

Options checked(Raw raw) {
  raw.options.mode = chooseMode(raw);
  checkStandardInput(inputFiles(raw, raw.options.mode));
  raw.options.grammar = grammarOf(raw, raw.options.mode);
  Options options = std::move(raw.options);
  checkInputs(options);
  if (raw.pooling && options.mode != Mode::embedding) {
    throw usage("--pooling needs --embedding");
  }
  options.pooling = raw.pooling == "last" ? Pooling::last : Pooling::mean;
  if (raw.escapes) {
    for (auto *text : {&options.prompt, &options.system}) {
      if (*text) {
        *text = unescape(**text);
      }
    }
    for (std::string &text : options.stopStrings) {
      text = unescape(text);
    }
  }
  options.history = !raw.noHistory;
  options.color = raw.color == "always"  ? Color::always
                  : raw.color == "never" ? Color::never
                                         : Color::automatic;
  if (raw.describe) {
    options.description = *raw.describe == "json"   ? Description::json
                          : *raw.describe == "full" ? Description::full
                                                    : Description::summary;
  }
  if (raw.maxTokens && *raw.maxTokens >= 0) {
    options.maxTokens = raw.maxTokens;
  }
  if (raw.seed && *raw.seed >= 0) {
    options.seed = static_cast<uint64_t>(*raw.seed);
  }
  options.threads = static_cast<int>(raw.threads.value_or(0));
  options.prefillChunk = raw.prefillChunk.value_or(0);
  options.device = DeviceChoice::parse(raw.device.device);
  options.compileArguments = raw.compile.arguments();
  for (const std::string &text : raw.logitBias) {
    options.logitBias.push_back(parseLogitBias(text, "--logit-bias"));
  }
  // also catches values that no model's defaults could mend
  validate(options.sampling(SamplingOptions()),
           {"--repeat-penalty", "--temp", "--top-k", "--top-p", "--min-p",
            "--presence-penalty", "--frequency-penalty", "--repeat-last-n",
            "--logit-bias"});
  return options;
}

} // namespace

SamplingOptions Options::sampling(SamplingOptions chosen) const {
  if (temperature || topK || topP || minP) {
    chosen.doSample = true; // a temperature of 0 is still greedy
  }
  chosen.temperature = temperature.value_or(chosen.temperature);
  chosen.topK = topK.value_or(chosen.topK);
  chosen.topP = topP.value_or(chosen.topP);
  chosen.minP = minP.value_or(chosen.minP);
  chosen.repeatPenalty = repeatPenalty.value_or(chosen.repeatPenalty);
  chosen.presencePenalty = presencePenalty.value_or(chosen.presencePenalty);
  chosen.frequencyPenalty = frequencyPenalty.value_or(chosen.frequencyPenalty);
  chosen.repeatLastN = repeatLastN.value_or(chosen.repeatLastN);
  chosen.logitBias = logitBias;
  chosen.seed = seed ? *seed : std::random_device()();
  return chosen;
}

std::optional<Options> parseOptions(int argc, char **argv) {
  CLI::App app(description, "cheems-run");
  prepare(app, 36);
  Raw raw;
  declareText(app, raw);
  declareSampling(app, raw);
  declareGrammar(app, raw);
  declareModes(app, raw);
  raw.compile.declareFormats(app);
  raw.compile.declare(app);
  const Aliases ofLlama = {{"-sys", "--system-prompt"},
                           {"-cnv", "--chat"},
                           {"-dev", "--device"},
                           {"-jf", "--json-schema-file"}};
  if (!parse(app, argc, argv, ofLlama)) {
    return std::nullopt;
  }
  if (raw.device.list) {
    writeOutput(deviceList(say));
    return std::nullopt;
  }
  return checked(std::move(raw));
}

} // namespace cheems::run
