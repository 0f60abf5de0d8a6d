#include "Modes.h"
#include "runtime/Generation/Chat.h"
#include "runtime/Generation/Interrupt.h"
#include "runtime/Generation/LogitsMode.h"
#include "runtime/Generation/ModelCache.h"
#include "runtime/Generation/Output.h"
#include "runtime/Generation/Prompt.h"
#include "runtime/Generation/TextStream.h"
#include "runtime/Generation/TokenIds.h"

namespace cheems::run {

namespace {

void say(const std::string &text) { printMessage("cheems-run: " + text); }

std::shared_ptr<const Model> open(const Options &options) {
  return openModel(options.model, say);
}

/// Warnings wait until nothing can be refused any more: an error is one line.
class Warnings {
public:
  void add(const std::string &warning) { lines.push_back(warning); }
  void print() {
    for (const std::string &line : lines) {
      say("warning: " + line);
    }
    lines.clear();
  }

private:
  std::vector<std::string> lines;
};

SessionOptions sessionOptions(const Options &options, Warnings &warnings) {
  SessionOptions result;
  result.context = options.context;
  result.threads = options.threads;
  result.prefillChunk = options.prefillChunk;
  result.warn = [&](const std::string &text) { warnings.add(text); };
  result.interrupted = interrupt::requested;
  return result;
}

GenerationLimits limitsOf(const Options &options, const TextModel &text) {
  return {options.maxTokens,
          options.ignoreEos ? std::vector<int32_t>() : text.eosTokens()};
}

Sampler makeSampler(const Options &options, const TextModel &text,
                    Warnings &warnings) {
  for (const std::string &warning : text.generation().warnings) {
    warnings.add(warning);
  }
  return Sampler(options.sampling(text.generation().sampling));
}

/// The last line of a run, and what makes it repeatable.
void sayStatistics(const Statistics &statistics, const Sampler &sampler) {
  const SamplingOptions &settings = sampler.options();
  say(statistics.line() +
      (settings.greedy() ? "" : "; seed " + std::to_string(settings.seed)));
}

std::string givenText(const Options &options) {
  return options.prompt ? *options.prompt : readText(*options.file);
}

std::vector<int32_t> promptTokens(const Options &options, TextModel &text) {
  int64_t vocabulary = text.model().metadata().vocabulary;
  if (options.promptIds) {
    std::vector<int64_t> ids =
        parseTokenIds(*options.promptIds, "--prompt-ids");
    return checkTokenIds(ids.data(), ids.size(), vocabulary, "--prompt-ids");
  }
  return checkVocabulary(text.encodePrompt(givenText(options)), vocabulary);
}

int generate(const Options &options) {
  if (options.promptIds) {
    parseTokenIds(*options.promptIds, "--prompt-ids"); // before a long open
  }
  TextModel text(open(options));
  if (!options.printIds) {
    text.tokenizer(); // refused before anything is computed
  }
  std::vector<int32_t> prompt = promptTokens(options, text);
  Warnings warnings;
  Session session(text.sharedModel(), sessionOptions(options, warnings));
  if (static_cast<int64_t>(prompt.size()) > session.context()) {
    throw Error("the prompt has " + std::to_string(prompt.size()) +
                " tokens, more than the context of " +
                std::to_string(session.context()) + "; shorten it or raise -c");
  }
  Sampler sampler = makeSampler(options, text, warnings);
  warnings.print();

  Generator generator(session, sampler, interrupt::requested);
  generator.feed(prompt);
  sampler.accept(prompt.data(), prompt.size());
  Stop stop;
  if (options.printIds) {
    const char *separator = "";
    stop = generator.generate(limitsOf(options, text), [&](int32_t token) {
      writeOutput(separator + std::to_string(token));
      separator = ",";
    });
    writeOutput("\n");
  } else {
    TextStream stream(text.tokenizer(), writeOutput);
    stop = generator.generate(limitsOf(options, text),
                              [&](int32_t token) { stream.push(token); });
    stream.finish();
    if (outputIsTerminal()) {
      writeOutput("\n");
    }
    if (stream.unknown() != 0) {
      say("warning: " + std::to_string(stream.unknown()) +
          " generated tokens have no text in the tokenizer");
    }
  }
  if (stop == Stop::contextFull) {
    say("the context of " + std::to_string(session.context()) +
        " tokens is full; raise it with -c");
  }
  sayStatistics(generator.statistics(), sampler);
  return static_cast<int>(stop == Stop::interrupted ? Status::interrupted
                                                    : Status::ok);
}

int chat(const Options &options) {
  TextModel text(open(options));
  text.tokenizer();
  text.chatTemplate(); // both refused before memory is had
  std::optional<std::string> first;
  if (options.prompt || options.file) {
    first = givenText(options);
  }
  Warnings warnings;
  Session session(text.sharedModel(), sessionOptions(options, warnings));
  Sampler sampler = makeSampler(options, text, warnings);
  Chat chat(text, session, sampler, limitsOf(options, text));
  if (options.system) {
    chat.setSystemPrompt(*options.system);
  }
  warnings.print();
  runChat(chat, first);
  sayStatistics(chat.statistics(), sampler);
  return 0;
}

int logits(const Options &options) {
  TokenTable table =
      TokenTable::parse(readText(*options.inputIds), *options.inputIds);
  Warnings warnings;
  Session session(open(options), sessionOptions(options, warnings));
  writeLogits(session, table, *options.inputIds, *options.logits);
  warnings.print();
  return 0;
}

int tokenize(const Options &options) {
  TextModel text(open(options));
  const Tokenizer &tokenizer = text.tokenizer();
  writeOutput(formatTokenIds(tokenizer.encode(givenText(options), false)) +
              "\n");
  return 0;
}

int detokenize(const Options &options) {
  std::vector<int64_t> ids = parseTokenIds(*options.detokenize, "--detokenize");
  TextModel text(open(options));
  const Tokenizer &tokenizer = text.tokenizer();
  writeOutput(tokenizer.decode(checkTokenIds(ids.data(), ids.size(),
                                             tokenizer.vocabularySize(),
                                             "--detokenize"),
                               /*skipSpecial=*/false));
  if (outputIsTerminal()) {
    writeOutput("\n");
  }
  return 0;
}

} // namespace

int runMode(const Options &options) {
  switch (options.mode) {
  case Mode::generate:
    return generate(options);
  case Mode::chat:
    return chat(options);
  case Mode::logits:
    return logits(options);
  case Mode::tokenize:
    return tokenize(options);
  case Mode::detokenize:
    return detokenize(options);
  case Mode::describe:
    writeOutput(open(options)->describe() + "\n");
    return 0;
  case Mode::verify:
    open(options)->verify();
    say(options.model + ": every byte is as it was written");
    return 0;
  }
  return static_cast<int>(Status::failed); // not reached: all modes are above
}

} // namespace cheems::run
